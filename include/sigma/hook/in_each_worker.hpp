// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/hook.hpp>
#include <sigma/hook/order.hpp>

#include <tuple>
#include <type_traits>

namespace sigma {

/// in_each_worker(every(1, epoch).then(save)): a checkpoint is one of all workers, as a pause, a learning rate and what
/// is frozen are. What `over_all_workers` takes, or stands by itself, acts on all.
template <class Action>
struct error_action_acts_on_all_workers;
/// in_each_worker(….in_background()): a worker has a thread of its own already.
template <class Hook>
struct error_hook_in_a_worker_cannot_run_in_the_background;
/// add(in_each_worker(…), every(…).then(…)): each call of `add` takes hooks in workers, or others.
struct write_one_add_for_hooks_in_workers_and_one_for_others;
template <class Write>
struct error_hooks_in_workers_are_added_by_themselves;

/// Sentences that are added to each worker of a run: see `in_each_worker`.
template <class... H>
struct InEachWorker {
    std::tuple<H...> hooks;
};
/// Sentences at the moments of all workers: see `over_all_workers`.
template <class... H>
struct OverAllWorkers {
    std::tuple<H...> hooks;
};

namespace detail {

/// The first action that cannot act in each worker; void where all can.
template <class... Actions>
struct FirstOfAllWorkers {
    using type = void;
};
template <class First, class... Rest>
struct FirstOfAllWorkers<First, Rest...>
    : std::conditional_t<First::in_worker, FirstOfAllWorkers<Rest...>, std::type_identity<First>> {};

template <class Given>
struct WorkerMisfit {
    using type = error_add_takes_sentences<Given>;
};
template <class M, class C, class... A>
struct WorkerMisfit<HookOf<M, C, A...>> {
    using Action = typename FirstOfAllWorkers<A...>::type;
    using type =
        std::conditional_t<M::background, error_hook_in_a_worker_cannot_run_in_the_background<HookOf<M, C, A...>>,
                           std::conditional_t<std::is_void_v<Action>, void, error_action_acts_on_all_workers<Action>>>;
};
/// What of these cannot be in each worker; void where all can.
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

/// These hooks live in every worker of a run: each sees its parameters, the states of its optimizer, its loss and the
/// iterations that it took, has counters of its own, and acts on it, on its thread. Without workers they are those of
/// one, the trainer's.
///
///     trainer.add(in_each_worker(every(100, iteration).then(report(iteration, loss)),
///                                every(1, epoch).then([](auto& worker) { worker.model()… })));
///
/// `stop` ends the run of all. What acts on all workers, `save` and `set(learning_rate, …)` for instance, does not
/// compile.
template <class... H>
    requires(sizeof...(H) > 0 && std::is_void_v<typename detail::FirstWorkerMisfit<H...>::type>)
InEachWorker<H...> in_each_worker(H... hooks) {
    return {{std::move(hooks)...}};
}
template <class... H>
    requires(sizeof...(H) > 0 && !std::is_void_v<typename detail::FirstWorkerMisfit<H...>::type>)
auto in_each_worker(H...)
    -> decltype(detail::called(std::type_identity<typename detail::FirstWorkerMisfit<H...>::type>()));

/// These hooks are checked when all workers have come to their moment, and read what the workers would be merged to.
/// Hooks that say nothing of workers do so, too: this says it.
template <class... H>
    requires(sizeof...(H) > 0)
OverAllWorkers<H...> over_all_workers(H... hooks) {
    return {{std::move(hooks)...}};
}

}  // namespace sigma
