// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/threads.hpp>
#include <sigma/core/words.hpp>
#include <sigma/device/cpu/compiled_program.hpp>
#include <sigma/device/cpu/executor.hpp>
#include <sigma/device/cpu/lent_threads.hpp>
#include <sigma/device/cpu/packed.hpp>
#include <sigma/device/device_array.hpp>
#include <sigma/device/session.hpp>
#include <sigma/function/arguments.hpp>
#include <sigma/function/errors.hpp>
#include <sigma/plan/static_plan.hpp>
#include <sigma/tape/compose.hpp>
#include <sigma/tape/differentiate.hpp>
#include <sigma/tape/program.hpp>

#include <algorithm>
#include <array>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

template <class W>
struct sigma::detail::Included<sigma::include_sigma_xtensor_hpp, W> {};

namespace sigma {

namespace detail {

/// Results of a function as a list of outputs: one tensor or a std::tuple of them.
template <class R>
constexpr void add_outputs(Program& p, R result) {
    if constexpr (is_tensor<R>) add_output(p, result.variable);
    else std::apply([&](auto... r) { (add_output(p, r.variable), ...); }, result);
}
template <class R>
struct ResultShapes;
template <Shape... S>
struct ResultShapes<std::tuple<Tensor<S>...>> {
    template <class T>
    static auto make(std::ptrdiff_t records) {
        return std::tuple<Result<T, S>...>{make_result<T, S>(records)...};
    }
    template <class T>
    static auto make_there(const Device& device, std::ptrdiff_t records) {
        return std::tuple<std::conditional_t<S.rank == 0, T, DeviceArray<T>>...>{
            make_result_there<T, S>(device, records)...};
    }
    static constexpr std::array<Shape, sizeof...(S)> shapes{S...};
    template <class T, class... D>
    static std::array<T*, sizeof...(S)> places(const std::tuple<D&...>& results, std::ptrdiff_t records) {
        return std::apply([&](auto&... r) { return std::array<T*, sizeof...(S)>{place_of<T, S>(r, records)...}; },
                          results);
    }
};

template <class F, Shape... S>
struct FunctionProgram {
    template <std::size_t... i>
    static constexpr auto traced(Program& p, std::index_sequence<i...>) {
        return F{}(input<S>(p, static_cast<int>(i))...);
    }
    constexpr Program operator()() const {
        Program p;
        p.sequential = true;
        add_outputs(p, traced(p, std::make_index_sequence<sizeof...(S)>{}));
        return p;
    }
};

template <class... A>
using CommonElement = std::common_type_t<typename Argument_<A>::value_type...>;

/// A function's program for this signature, and arrays bound to it. `Where` says what runs it.
template <class F, class... A>
class FunctionCall {
public:
    using T = CommonElement<A...>;
    using R = std::invoke_result_t<F, Tensor<Argument_<A>::shape>...>;
    using Tuple = std::conditional_t<is_tensor<R>, std::tuple<R>, R>;
    static constexpr std::size_t result_count = std::tuple_size_v<Tuple>;

    template <class Where>
    static auto fresh(const Where& where, const A&... arguments) {
        const std::ptrdiff_t records = records_of(arguments...);
        auto results = [&] {
            if constexpr ((is_on_device<A> || ...))
                return ResultShapes<Tuple>::template make_there<T>(where.device(), records);
            else return ResultShapes<Tuple>::template make<T>(records);
        }();
        std::apply(
            [&](auto&... r) { run(where, records, {result_data(r)...}, results, [](const auto&) {}, arguments...); },
            results);
        if constexpr (is_tensor<R>) return std::get<0>(std::move(results));
        else return results;
    }
    template <class Where, class... D>
    static void into(const Where& where, const std::tuple<D&...>& results, const A&... arguments) {
        const std::ptrdiff_t records = records_of(arguments...);
        const Places to = ResultShapes<Tuple>::template places<T>(results, records);
        const auto check = [&](const auto& elements) {
            constexpr std::array counted{Argument_<A>::shape...};
            int result = 0;
            for (const Shape& s : ResultShapes<Tuple>::shapes) {
                const auto apart = [&](const T* data, const Shape& of) {
                    check_apart(to[static_cast<std::size_t>(result)], elements_of(s, records), data,
                                elements_of(of, records));
                };
                std::apply(
                    [&, i = 0](auto&... e) mutable { (apart(e.data(), counted[static_cast<std::size_t>(i++)]), ...); },
                    elements);
                ++result;
            }
        };
        run(where, records, to, results, check, arguments...);
    }

    /// A program for any machine is compiled for narrow vectors. Where there are wider ones, and enough to do with
    /// them, the library interprets the same plan.
    using P = Planned<FunctionProgram<F, Argument_<A>::shape...>, on_cpu::lanes<T>>;
    static constexpr bool has_wide =
        on_cpu::library_interprets && !on_cpu::interprets<P>() && on_cpu::lanes<T> < on_cpu::most_lanes<T>;
    static bool is_wide([[maybe_unused]] std::ptrdiff_t records) {
        if constexpr (has_wide) {
            constexpr std::ptrdiff_t enough = 512;
            std::ptrdiff_t most = 0;
            for (const Shape& s : {Argument_<A>::shape...}) most = std::max(most, elements_of(s, records));
            return most >= enough && on_cpu::kernels<T>().lanes > on_cpu::lanes<T>;
        }
        return false;
    }
    template <bool wide>
    static const CompiledProgram<T>& program() {
        if constexpr (wide && has_wide) return on_cpu::compiled_program<P, T, true>;
        else return on_cpu::compiled_program<P, T>;
    }

private:
    using Places = std::array<T*, result_count>;

    static std::ptrdiff_t records_of(const A&... arguments) {
        std::ptrdiff_t records = 0;
        int number = 0;
        (check_argument(number++, arguments, records), ...);
        return records == 0 ? 1 : records;
    }
    template <class Where, class Results, class Check>
    static void run(const Where& where, std::ptrdiff_t records, const Places& to, const Results& results, Check check,
                    const A&... arguments) {
        const std::tuple<Elements<A, T>...> elements(arguments...);
        check(elements);
        where.template with<FunctionCall>(records, [&](auto& program) {
            int number = 0;
            std::apply([&](auto&... e) { (where.bind_input(program, number++, e), ...); }, elements);
            number = 0;
            std::apply(
                [&](auto&... r) {
                    ((where.bind_output(program, number, to[static_cast<std::size_t>(number)], r), ++number), ...);
                },
                results);
            program.prepare(records);
        });
    }
};

/// On the thread that calls. One executor a thread and signature: its arena is kept between calls.
struct OnThisThread {
    template <class Call, class F>
    void with(std::ptrdiff_t records, F f) const {
        const auto run = [&](auto& executor) {
            f(executor);
            executor.run();
        };
        if constexpr (Call::has_wide)
            if (Call::is_wide(records)) return run(executor_of<Call, true>());
        run(executor_of<Call, false>());
    }
    static void bind_input(auto& executor, int number, const auto& elements) {
        executor.bind_input(number, elements.data());
    }
    static void bind_output(auto& executor, int number, auto* to, const auto&) { executor.bind_output(number, to); }

private:
    template <class Call, bool wide>
    static on_cpu::Executor<typename Call::T>& executor_of() {
        thread_local on_cpu::Executor<typename Call::T> own(Call::template program<wide>());
        return own;
    }
};

/// On a device, with programs of its own, which are kept as long as it is. Calls of several threads come one after the
/// other.
class OnDevice {
public:
    explicit OnDevice(Device device) : device_(std::move(device)), programs_(SharedOwner<Programs>::make()) {}
    const Device& device() const { return device_; }

    template <class Call, class F>
    void with(std::ptrdiff_t records, F f) const {
        const Lock lock(programs_->mutex);
        const auto& program = Call::is_wide(records) ? Call::template program<true>() : Call::template program<false>();
        auto& session = session_of(program);
        f(session);
        programs_->threads.with(device_.threads(), [&](on_cpu::ThreadPool* pool) { session.run(pool); });
    }
    template <class E>
    void bind_input(auto& session, int number, const E& elements) const {
        if constexpr (requires { elements.device(); }) require(elements.device());
        session.bind_input(number, elements.data(), requires { elements.device(); } && device_.compute_device());
    }
    template <class R>
    void bind_output(auto& session, int number, auto* to, const R& result) const {
        if constexpr (is_device_array<R>) require(result.device());
        session.bind_output(number, to, is_device_array<R> && device_.compute_device());
    }

private:
    struct Programs {
        Mutex mutex{};  ///< of all that follows
        std::vector<std::pair<const void*, SharedOwner<void>>> sessions{};
        on_cpu::LentThreads threads{};
    };
    Device device_;
    SharedOwner<Programs> programs_;

    void require(const Device& device) const {
        if (!(device == device_)) throw_other_device(device_, device);
    }
    template <class T>
    Session<T>& session_of(const CompiledProgram<T>& program) const {
        for (const auto& [of, session] : programs_->sessions)
            if (of == &program) return *static_cast<Session<T>*>(session.get());
        auto fresh = SharedOwner<Session<T>>::make(program);
        fresh->run_on(device_.compute_device());
        programs_->sessions.emplace_back(&program, fresh);
        return *fresh;
    }
};

/// The results of a function go to arrays that are there.
template <class F, class Where, class... D>
struct Into {
    Where where;
    std::tuple<D&...> results;

    template <class... A>
        requires is_fine<CheckCall<F, A...>>
    void operator()(const A&... arguments) const {
        static_assert(FunctionCall<F, A...>::result_count == sizeof...(D),
                      "into(...) takes one array for each result of the function");
        FunctionCall<F, A...>::into(where, results, arguments...);
    }
    template <class... A>
        requires(!is_fine<CheckCall<F, A...>>)
    auto operator()(const A&... arguments) const
        -> decltype(plainly(std::type_identity<typename CheckCall<F, A...>::mistake>{}));
};

/// A function on arrays, run by `Where`.
template <class F, class Where>
struct Called {
    Where where{};

    template <class... A>
        requires detail::is_fine<detail::CheckCall<F, A...>>
    constexpr auto operator()(const A&... arguments) const {
        if constexpr ((detail::is_tensor<A> && ...)) return F{}(arguments...);
        else {
            static_assert(std::is_same_v<Where, OnDevice> || !(is_on_device<A> || ...),
                          "arrays in the memory of a device: write f.on(device)(...)");
            return detail::FunctionCall<F, A...>::fresh(where, arguments...);
        }
    }
    template <class... A>
        requires(!detail::is_fine<detail::CheckCall<F, A...>>)
    constexpr auto operator()(const A&... arguments) const
        -> decltype(detail::plainly(std::type_identity<typename detail::CheckCall<F, A...>::mistake>{}));

    /// Results in arrays that are there, one for each, in place of new ones: `f.into(d)(a, b)`. They are resized where
    /// their shape is another, and must not be arguments too. Where the system has to find and to clear new memory, a
    /// large result takes many times as long.
    template <class... D>
    constexpr Into<F, Where, D...> into(D&... results) const {
        return {where, {results...}};
    }
};

/// A function over tensors as one over arrays: `auto f = evaluate([](auto a, auto b) { return a * exp(-b); });` runs as
/// one fused kernel. Called with tensors it is the function itself, so such functions nest.
template <class F>
struct Evaluate : Called<F, OnThisThread> {
    /// The function on a device: `const auto g = f.on(gpu()); g(a, b);`, or with the threads of `f.on(cpu(2))`. Its
    /// programs and their memory are kept as long as g or a copy of it. Results are there as well where an argument is
    /// a DeviceArray, which is given as shaped<…>(array); numbers come back to the host in any case.
    Called<F, OnDevice> on(const Device& device) const { return {OnDevice(device)}; }
};

}  // namespace detail

template <class F>
    requires std::is_empty_v<F>
constexpr auto evaluate(F) {
    return detail::Evaluate<F>{};
}
template <class F>
constexpr error_function_must_not_capture<F> evaluate(F);

namespace detail {

/// The derivative of F as a function over tensors.
template <class F, bool with_value, int... which>
struct Derivative<F, with_value, Wrt<which...>> {
    template <Shape... S>
    constexpr auto operator()(Tensor<S>... x) const {
        // Fresh nodes: a captured value that happens to be the same node must not count as the argument.
        const auto own = std::tuple<Tensor<S>...>{Tensor<S>{copy(x.variable)}...};
        const auto y = std::apply(F{}, own);
        if constexpr (sizeof...(which) == 0) return of(own, y, std::make_integer_sequence<int, sizeof...(S)>{});
        else return of(own, y, std::integer_sequence<int, which...>{});
    }

private:
    template <class Own, class Y, int... n>
    static constexpr auto of(const Own& own, Y y, std::integer_sequence<int, n...>) {
        List<Variable> variables;
        (variables.push(std::get<static_cast<std::size_t>(n)>(own).variable), ...);
        const List<Variable> g = differentiate(y.variable, constant(y.variable.tape, 1), variables);
        int next = 0;
        if constexpr (with_value)
            return std::tuple{y, std::tuple_element_t<static_cast<std::size_t>(n), Own>{g[next++]}...};
        else if constexpr (sizeof...(n) == 1)
            return (std::tuple_element_t<static_cast<std::size_t>(n), Own>{g[next++]}, ...);
        else return std::tuple{std::tuple_element_t<static_cast<std::size_t>(n), Own>{g[next++]}...};
    }
};

}  // namespace detail

/// Gradients of a scalar function with respect to its arguments: an array like the argument, or a tuple of them.
/// Arguments are xtensor arrays and expressions, or numbers. In a function that is itself differentiated, call it with
/// tensors.
template <class F, int... numbers>
    requires std::is_empty_v<F>
constexpr auto gradient(F, detail::Wrt<numbers...> = {}) {
    return detail::Evaluate<detail::Derivative<F, false, detail::Wrt<numbers...>>>{};
}
template <class F, int... numbers>
constexpr error_function_must_not_capture<F> gradient(F, detail::Wrt<numbers...> = {});

/// The value first, then the gradients, as one tuple: `auto [value, dx, dw] = value_and_gradient(f)(x, w);`
template <class F, int... numbers>
    requires std::is_empty_v<F>
constexpr auto value_and_gradient(F, detail::Wrt<numbers...> = {}) {
    return detail::Evaluate<detail::Derivative<F, true, detail::Wrt<numbers...>>>{};
}
template <class F, int... numbers>
constexpr error_function_must_not_capture<F> value_and_gradient(F, detail::Wrt<numbers...> = {});

}  // namespace sigma
