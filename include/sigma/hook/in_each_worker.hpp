// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Hooks in each worker of a run, and hooks over all workers. Included by `<sigma/sigma.hpp>`.
#include <sigma/hook/hook.hpp>
#include <sigma/hook/order.hpp>

#include <tuple>
#include <type_traits>

namespace sigma {

/// A mistake at compile time: an action in `in_each_worker` acts on all workers, as `save`, `hold` and `set` do. Use it
/// in a hook over all workers.
template <class Action>
struct error_action_acts_on_all_workers;
/// A mistake at compile time: a hook in `in_each_worker` has `in_background`. Workers have threads of their own.
template <class Hook>
struct error_hook_in_a_worker_cannot_run_in_the_background;
/// A remedy: call `add` once for hooks in workers and once for the others.
struct use_one_add_for_hooks_in_workers_and_one_for_others;
/// A mistake at compile time: one call of `add` has hooks in workers and others.
template <class Write>
struct error_hooks_in_workers_are_added_by_themselves;

/// Hooks that are added to each worker of a run: the result of `in_each_worker`.
///
/// @see in_each_worker
template <class... H>
struct InEachWorker {
    std::tuple<H...> hooks;  ///< the hooks
};
/// Hooks at the moments of all workers: the result of `over_all_workers`.
///
/// @see over_all_workers
template <class... H>
struct OverAllWorkers {
    std::tuple<H...> hooks;  ///< the hooks
};

namespace detail {

/// The first action that cannot act in each worker; void if all can.
template <class... Actions>
struct FirstOfAllWorkers {
    using type = void;
};
template <class First, class... Rest>
struct FirstOfAllWorkers<First, Rest...>
    : std::conditional_t<First::in_worker, FirstOfAllWorkers<Rest...>, std::type_identity<First>> {};

template <class Given>
struct WorkerMisfit {
    using type = error_add_takes_hooks<Given>;
};
template <class M, class C, class... A>
struct WorkerMisfit<HookOf<M, C, A...>> {
    using Action = typename FirstOfAllWorkers<A...>::type;
    using type =
        std::conditional_t<M::background, error_hook_in_a_worker_cannot_run_in_the_background<HookOf<M, C, A...>>,
                           std::conditional_t<std::is_void_v<Action>, void, error_action_acts_on_all_workers<Action>>>;
};
/// The first mistake of hooks in each worker; void if there is none.
template <class... H>
struct FirstWorkerMisfit {
    using type = void;
};
template <class First, class... Rest>
struct FirstWorkerMisfit<First, Rest...> : std::conditional_t<std::is_void_v<typename WorkerMisfit<First>::type>,
                                                              FirstWorkerMisfit<Rest...>, WorkerMisfit<First>> {};

template <class H>
inline constexpr bool is_of_workers = false;
template <class... H>
inline constexpr bool is_of_workers<InEachWorker<H...>> = true;
template <class... H>
inline constexpr bool is_of_workers<OverAllWorkers<H...>> = true;

}  // namespace detail

/// Returns hooks that are added to every worker of a run.
///
/// Each worker has its own copy with its own counters, which runs on the worker's thread. It sees the worker's
/// parameters, optimizer state, loss and iterations. Without workers there is one copy, in the trainer. `stop` ends the
/// run of all workers. Actions on all workers, such as `save` and `set(learning_rate, …)`, do not compile.
/// @param hooks  one or more hooks; they cannot run in the background
/// @return the hooks, for `Trainer::add`
///
/// @par Example
/// @code
/// trainer.add(in_each_worker(every(100, iteration).then(report(worker_number, iteration, loss)),
///                            every(1, epoch).then([](auto& worker) { worker.model(); })));
/// @endcode
///
/// @see over_all_workers, mean_over_workers, worker_number
template <class... H>
    requires(sizeof...(H) > 0 && std::is_void_v<typename detail::FirstWorkerMisfit<H...>::type>)
InEachWorker<H...> in_each_worker(H... hooks) {
    return {{std::move(hooks)...}};
}
/// @cond internal
template <class... H>
    requires(sizeof...(H) > 0 && !std::is_void_v<typename detail::FirstWorkerMisfit<H...>::type>)
auto in_each_worker(H...)
    -> decltype(detail::called(std::type_identity<typename detail::FirstWorkerMisfit<H...>::type>()));
/// @endcond

/// Returns hooks that are checked when all workers have reached their moment. They read the merged values.
///
/// Hooks that you pass to `add` directly do the same. This function only makes it explicit.
/// @param hooks  one or more hooks
/// @return the hooks, for `Trainer::add`
///
/// @par Example
/// @code
/// trainer.add(over_all_workers(every(1, epoch).then(report(epoch, error))));
/// @endcode
///
/// @see in_each_worker
template <class... H>
    requires(sizeof...(H) > 0)
OverAllWorkers<H...> over_all_workers(H... hooks) {
    return {{std::move(hooks)...}};
}

}  // namespace sigma
