// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Functions on arrays and their gradients: evaluate, gradient, value_and_gradient. Included by `<sigma/xtensor.hpp>`.
#include <sigma/core/threads.hpp>
#include <sigma/core/words.hpp>
#include <sigma/device/cpu/compiled_program.hpp>
#include <sigma/device/cpu/device.hpp>
#include <sigma/device/cpu/packed.hpp>
#include <sigma/device/device_array.hpp>
#include <sigma/device/session.hpp>
#include <sigma/function/arguments.hpp>
#include <sigma/function/errors.hpp>
#include <sigma/function/function_sessions.hpp>
#include <sigma/plan/static_plan.hpp>
#include <sigma/tape/compose.hpp>
#include <sigma/tape/differentiate.hpp>
#include <sigma/tape/traced_function.hpp>
#include <sigma/tape/without_copies.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

SIGMA_INCLUDED(sigma, include_sigma_xtensor_hpp);

namespace sigma {

namespace detail {

/// The arrays for the results of a function on shapes. `Of` is an OnShapes.
template <class Of, class Numbers = std::make_index_sequence<Of::count>>
struct ResultArrays;
template <class Of, std::size_t... i>
struct ResultArrays<Of, std::index_sequence<i...>> {
    template <class T>
    static auto make(std::ptrdiff_t records) {
        return std::tuple{make_result<T, Of::shapes[i]>(records)...};
    }
    template <class T>
    static auto make_there(const Device& device, std::ptrdiff_t records) {
        return std::tuple{make_result_there<T, Of::shapes[i]>(device, records)...};
    }
    template <class T, class... D>
    static std::array<T*, Of::count> places(const std::tuple<D&...>& results, std::ptrdiff_t records) {
        return {place_of<T, Of::shapes[i]>(std::get<i>(results), records)...};
    }
};

template <class F, Shape... S>
struct FunctionProgram {
    constexpr Program operator()() const {
        Program p;
        p.sequential = true;
        Tracing tracing(p.tape);
        each_tensor(std::apply(F{}, inputs_of<S...>(p)), [&](Tensor result) { add_output(p, result.variable); });
        return without_copies(p);
    }
};

template <class... A>
using CommonElement = std::common_type_t<typename Argument_<A>::value_type...>;

/// The program of a function for this signature, with arrays bound to it. `Where` runs it.
template <class F, class... A>
class SIGMA_BY_INSTRUCTIONS FunctionCall {
public:
    using T = CommonElement<A...>;
    using R = std::invoke_result_t<F, typename InPlaceOf<A>::type...>;
    using Found = OnShapes<F, Argument_<A>::shape...>;
    static constexpr std::size_t result_count = Found::count;

    template <class Where>
    static auto fresh(const Where& where, const A&... arguments) {
        const std::ptrdiff_t records = records_of(arguments...);
        auto results = [&] {
            if constexpr ((is_on_device<A> || ...))
                return ResultArrays<Found>::template make_there<T>(where.device(), records);
            else return ResultArrays<Found>::template make<T>(records);
        }();
        std::apply(
            [&](auto&... r) { run(where, records, {result_data(r)...}, results, [](const auto&) {}, arguments...); },
            results);
        if constexpr (std::is_same_v<R, Tensor>) return std::get<0>(std::move(results));
        else return results;
    }
    template <class Where, class... D>
    static void into(const Where& where, const std::tuple<D&...>& results, const A&... arguments) {
        const std::ptrdiff_t records = records_of(arguments...);
        const Places to = ResultArrays<Found>::template places<T>(results, records);
        const auto examine = [&](const auto& elements) {
            constexpr std::array counted{Argument_<A>::shape...};
            int result = 0;
            for (const Shape& s : Found::shapes) {
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
        run(where, records, to, results, examine, arguments...);
    }

    /// A program for any machine is compiled for narrow vectors. If the machine has wider ones, and the arrays are
    /// large enough, the library interprets the same plan.
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
    static void run(const Where& where, std::ptrdiff_t records, const Places& to, const Results& results, Check examine,
                    const A&... arguments) {
        const std::tuple<Elements<A, T>...> elements(arguments...);
        examine(elements);
        where.template with<FunctionCall>(records, [&](Session<T>& session) {
            int number = 0;
            std::apply([&](auto&... e) { (session.bind_input(number++, e.data(), where.is_there(e)), ...); }, elements);
            number = 0;
            std::apply(
                [&](auto&... r) {
                    ((session.bind_output(number, to[static_cast<std::size_t>(number)], where.is_there(r)), ++number),
                     ...);
                },
                results);
            session.prepare(records);
            session.run();
        });
    }
};

/// Returns the shape of an argument: that of its type, or its extents if one of the types has no shape.
template <bool known, class A>
Shape shape_when_run(int number, const A& argument, std::ptrdiff_t& records) {
    if constexpr (known) {
        check_argument(number, argument, records);
        return Argument_<A>::shape;
    } else if constexpr (std::is_arithmetic_v<A>) {
        return {};
    } else if constexpr (requires { Argument_<A>::batched; }) {
        return shape_of_batched(number, Argument_<A>::array(argument).shape(), records);
    } else {
        return shape_of_array(number, Argument_<A>::array(argument).shape());
    }
}
/// New arrays for results of any rank: in the memory of a device if an argument is there, except for the value beside
/// gradients, which is a number.
template <class F, class T, class R, bool there>
class FreshResults {
    static constexpr std::size_t count = tensors_in<R>;
    static constexpr bool value_first = requires { requires F::value_first; };

public:
    explicit FreshResults(const Device& device) : device_(device) {}

    typename MadeCalls<T>::Result place(std::size_t number, const std::vector<std::size_t>& extents) {
        if (value_first && number == 0) return {&value_, false};
        if constexpr (there) arrays_[number].emplace(DeviceArray<T>::from_shape(device_, extents));
        else arrays_[number].emplace(typename xt::xarray<T>::shape_type(extents.begin(), extents.end()));
        return {arrays_[number]->data(), there};
    }
    auto all() && {
        if constexpr (std::is_same_v<R, Tensor>) return *std::move(arrays_[0]);
        else return each(std::make_index_sequence<count>{});
    }

private:
    const Device& device_;
    T value_ = 0;
    std::array<std::optional<std::conditional_t<there, DeviceArray<T>, xt::xarray<T>>>, count> arrays_{};

    template <std::size_t i>
    auto one() {
        if constexpr (value_first && i == 0) return value_;
        else return *std::move(arrays_[i]);
    }
    template <std::size_t... i>
    auto each(std::index_sequence<i...>) {
        return std::tuple{one<i>()...};
    }
};
/// Calls f with arguments, traced for their shapes. `place` returns the memory of each result.
template <class T, class F, class Where, class Place, class... A>
void call_when_run(const F& f, const Where& where, Place place, const A&... arguments) {
    constexpr bool known = (Argument_<A>::known && ...) && !needs_extents_when_run<F, A...>;
    using Bound = typename MadeCalls<T>::Argument;
    std::ptrdiff_t records = 0;
    int number = 0;
    const std::array<Shape, sizeof...(A)> shapes{shape_when_run<known>(number++, arguments, records)...};
    const std::tuple<Elements<A, T>...> elements(arguments...);
    std::array<Bound, sizeof...(A)> given;
    number = 0;
    std::apply(
        [&](const auto&... e) {
            ((given[static_cast<std::size_t>(number)] = {shapes[static_cast<std::size_t>(number)], e.data(),
                                                         where.is_there(e)},
              ++number),
             ...);
        },
        elements);
    records = records == 0 ? 1 : records;
    where.template with_made<F, T>(
        [&](MadeCalls<T>& calls, const SharedOwner<ComputeDevice>& device, const Cpu& threads) {
            calls.run(
                given, records,
                [&](std::span<const Tensor> inputs, List<Variable>& to) {
                    [&]<std::size_t... i>(std::index_sequence<i...>) {
                        each_tensor(f(inputs[i]...), [&](Tensor t) { to.push(t.variable); });
                    }(std::make_index_sequence<sizeof...(A)>{});
                },
                [&](std::size_t i, const std::vector<std::size_t>& extents) {
                    const auto to = place(i, extents);
                    std::ptrdiff_t count = 1;
                    for (const std::size_t e : extents) count *= static_cast<std::ptrdiff_t>(e);
                    for (const Bound& a : given) check_apart<T>(to.data, count, a.data, elements_of(a.shape, records));
                    return to;
                },
                device, threads);
        });
}

/// Runs functions on the calling thread, with one session for each thread and signature. The sessions keep their
/// memory.
struct OnThisThread {
    template <class Call, class F>
    void with(std::ptrdiff_t records, F f) const {
        using Runs = Session<typename Call::T>;
        if constexpr (Call::has_wide)
            if (Call::is_wide(records))
                return f(kept<std::pair<Call, std::true_type>, Runs>(Call::template program<true>()));
        f(kept<Call, Runs>(Call::template program<false>()));
    }
    /// Calls f(programs, device, threads) for a captureless function that is traced at run time.
    template <class F, class T, class Body>
    static void with_made(Body f) {
        f(kept<F, MadeCalls<T>>(), calling_thread(), Cpu{});
    }
    static constexpr bool is_there(const auto&) { return false; }
    static Device device() { return cpu(1); }

private:
    /// Returns this thread's object for a type. The objects have one owner: a thread-local object of each type would
    /// take its size in every thread.
    template <class Of, class X, class... A>
    static X& kept(const A&... arguments) {
        constinit thread_local X* own = nullptr;
        if (own == nullptr) own = &functions_of_thread().of<X>(&own, arguments...);
        return *own;
    }
};

/// Keeps an object out of constants: a constant expression may use it, but not have it as its result.
class InNoConstant {
public:
    constexpr InNoConstant() : memory_(std::is_constant_evaluated() ? new char : nullptr) {}
    constexpr InNoConstant(const InNoConstant&) : InNoConstant() {}
    constexpr InNoConstant& operator=(const InNoConstant&) { return *this; }
    constexpr ~InNoConstant() { delete memory_; }

private:
    char* memory_;
};

/// Runs functions on a device, with programs that live as long as this object. Calls of several threads wait for each
/// other. In constant expressions it has no device, since functions are called with tensors only.
class OnDevice : InNoConstant {
public:
    constexpr OnDevice() {
        if (!std::is_constant_evaluated()) open(cpu(1));
    }
    explicit OnDevice(Device device) { open(std::move(device)); }
    const Device& device() const { return opened_->device; }

    template <class Call, class F>
    void with(std::ptrdiff_t records, F f) const {
        const Lock lock(opened_->mutex);
        const auto& program = Call::is_wide(records) ? Call::template program<true>() : Call::template program<false>();
        auto& session = opened_->template of<Session<typename Call::T>>(&program, program);
        session.run_on(opened_->runs_on, device().processor());
        f(session);
    }
    template <class, class T, class Body>
    void with_made(Body f) const {
        const Lock lock(opened_->mutex);
        f(opened_->template of<MadeCalls<T>>(&made_calls_of<T>), opened_->runs_on, device().processor());
    }
    /// Returns whether an argument or a result is in the memory of the accelerator. Throws ArgumentError if it is in
    /// the memory of another device.
    template <class E>
    bool is_there([[maybe_unused]] const E& elements) const {
        if constexpr (requires { elements.device(); }) {
            if (!(elements.device() == device())) throw_other_device(device(), elements.device());
            return static_cast<bool>(device().compute_device());
        } else return false;
    }

private:
    template <class T>
    static constexpr char made_calls_of = 0;  ///< a key
    struct Opened : FunctionSessions {
        Device device;
        SharedOwner<ComputeDevice> runs_on;
        Mutex mutex{};  ///< guards all members

        explicit Opened(Device of) : device(std::move(of)), runs_on(opened(device)) {}
    };
    SharedOwner<Opened> opened_;

    void open(Device device) { opened_ = SharedOwner<Opened>::make(std::move(device)); }
};

/// A function that writes its results to existing arrays.
template <class F, class Where, class... D>
struct SIGMA_BY_INSTRUCTIONS Into : Held<F> {
    Where where;
    std::tuple<D&...> results;

    constexpr Into(const F& f, const Where& on, std::tuple<D&...> to) : Held<F>(f), where(on), results(to) {}

    template <class... A>
        requires is_fine<CheckCall<F, A...>>
    void operator()(const A&... arguments) const {
        using R = std::invoke_result_t<const F&, typename InPlaceOf<A>::type...>;
        static_assert(tensors_in<R> == sizeof...(D), "into(...) takes one array for each result of the function");
        if constexpr (traced_when_run<F, A...>) {
            using T = CommonElement<A...>;
            call_when_run<T>(
                this->get(), where,
                [&](std::size_t number, const std::vector<std::size_t>& extents) {
                    typename MadeCalls<T>::Result to{};
                    std::size_t i = 0;
                    std::apply(
                        [&](auto&... r) {
                            ((i++ == number ? void(to = {place_when_run<T>(r, extents), where.is_there(r)}) : void()),
                             ...);
                        },
                        results);
                    return to;
                },
                arguments...);
        } else FunctionCall<F, A...>::into(where, results, arguments...);
    }
    template <class... A>
        requires(!is_fine<CheckCall<F, A...>>)
    auto operator()(const A&... arguments) const
        -> decltype(plainly(std::type_identity<typename CheckCall<F, A...>::mistake>{}));
};

/// A function on arrays. `Where` runs it.
template <class F, class Where>
struct SIGMA_BY_INSTRUCTIONS Called : Held<F> {
    [[no_unique_address]] Where where{};  // a function of a captureless one captures nothing either

    constexpr Called()
        requires(std::is_empty_v<F> && std::is_default_constructible_v<F>)
        : Called(F{}) {}
    constexpr explicit Called(const F& f, const Where& on = Where()) : Held<F>(f), where(on) {}

    template <class... A>
        requires detail::is_fine<detail::CheckCall<F, A...>>
    constexpr auto operator()(const A&... arguments) const {
        if constexpr ((std::is_same_v<A, Tensor> && ...)) return this->get()(arguments...);
        else {
            static_assert(std::is_same_v<Where, OnDevice> || !(is_on_device<A> || ...),
                          "arrays in the memory of a device: write f.on(device)(...)");
            if constexpr (traced_when_run<F, A...>) {
                using T = CommonElement<A...>;
                using R = std::invoke_result_t<const F&, typename InPlaceOf<A>::type...>;
                FreshResults<F, T, R, (is_on_device<A> || ...)> results(where.device());
                call_when_run<T>(
                    this->get(), where,
                    [&](std::size_t i, const std::vector<std::size_t>& extents) { return results.place(i, extents); },
                    arguments...);
                return std::move(results).all();
            } else {
                return detail::FunctionCall<F, A...>::fresh(where, arguments...);
            }
        }
    }
    template <class... A>
        requires(!detail::is_fine<detail::CheckCall<F, A...>>)
    constexpr auto operator()(const A&... arguments) const
        -> decltype(detail::plainly(std::type_identity<typename detail::CheckCall<F, A...>::mistake>{}));

    /// Returns a function that writes its results to existing arrays, one for each result: `f.into(d)(a, b)`. They are
    /// resized if their shape differs. They must not be arguments. For large results, this is many times faster than
    /// new memory, which the system has to find and clear.
    template <class... D>
    constexpr Into<F, Where, D...> into(D&... results) const {
        return {this->get(), where, {results...}};
    }
};

/// A function over tensors as one over arrays, which runs as one fused kernel. Called with tensors it is the function
/// itself, so such functions nest. A function that captures is traced at run time, and its captured values are read
/// then: once for each combination of shapes. Its calls in several threads wait for each other; copies share their
/// traces.
template <class F>
struct Evaluate : Called<F, std::conditional_t<std::is_empty_v<F>, OnThisThread, OnDevice>> {
    using Called<F, std::conditional_t<std::is_empty_v<F>, OnThisThread, OnDevice>>::Called;

    /// Returns the function on a device: `const auto g = f.on(gpu()); g(a, b);`, or with the threads of `f.on(cpu(2))`.
    /// Its programs and their memory live as long as g or a copy of it. Results are on the device if an argument is a
    /// DeviceArray. Numbers with a shape known at compile time, and the value beside gradients, are always on the host.
    Called<F, OnDevice> on(const Device& device) const { return Called<F, OnDevice>(this->get(), OnDevice(device)); }
};
template <class F>
constexpr Evaluate<F> evaluated(F f) {
    return Evaluate<F>(std::move(f));
}

}  // namespace detail

/// Makes a function on arrays of a function over tensors.
///
/// It runs as one fused kernel on the calling thread. `f.on(device)(a, b)` runs it on a device, `f.into(result)(a, b)`
/// writes to existing arrays. Arguments are arrays of xtensor, numbers, or DeviceArray. Results are xt::xtensor, or
/// xt::xarray if the compiler does not know an extent (see `shaped`) or the function captures values. Such functions
/// are traced once for each combination of shapes.
/// @tparam F  type of the function
/// @param function  a function object of tensors that returns a tensor or a tuple of tensors
/// @return the function on arrays
/// @par Example
/// @code
/// const auto damped = evaluate([](auto a, auto b) { return a * exp(-b); });
/// const xt::xtensor<double, 1> a{1, 2}, b{0, 1};
/// const auto y = damped(a, b);
/// @endcode
///
/// @see gradient, shaped, docs/gradients.md
template <class F>
constexpr auto evaluate(F function) {
    return detail::evaluated(std::move(function));
}

namespace detail {

/// The derivative of F as a function over tensors.
template <class F, bool with_value, int... which>
struct Derivative<F, with_value, Wrt<which...>> : Held<F> {
    static constexpr bool value_first = with_value;

    constexpr Derivative()
        requires std::is_empty_v<F>
        : Held<F>(F{}) {}
    constexpr explicit Derivative(const F& f) : Held<F>(f) {}

    template <std::same_as<Tensor>... X>
    constexpr auto operator()(X... x) const {
        return of<true>(this->get(), x...);
    }
    /// The derivative without its backward pass.
    struct Outline {
        template <std::same_as<Tensor>... X>
        constexpr auto operator()(X... x) const {
            return of<false>(F{}, x...);
        }
    };

private:
    template <bool backwards, class... X>
    static constexpr auto of(const F& f, X... x) {
        // Fresh nodes: a captured value can be the same node as the argument, but does not count as the argument.
        const std::array<Tensor, sizeof...(X)> own{Tensor{copy(x.variable)}...};
        const Tensor y = std::apply(f, own);
        if (!y.shape().scalar()) y.refused(error_gradient_needs_a_scalar_function_it_returns, {it_returns, y.shape()});
        const auto gradients = [&]<int... n>(std::integer_sequence<int, n...>) {
            List<Variable> g;
            (g.push(std::get<n>(own).variable), ...);
            if (backwards && !y.trace().failed()) {
                if (std::is_constant_evaluated()) g = differentiate(y.variable, constant(y.variable.tape, 1), g);
                else g = differentiate_now(y.variable, g);
            }
            int next = 0;
            if constexpr (with_value) return std::tuple{y, (static_cast<void>(n), Tensor{g[next++]})...};
            else if constexpr (sizeof...(n) == 1) return Tensor{g[0]};
            else return std::tuple{(static_cast<void>(n), Tensor{g[next++]})...};
        };
        if constexpr (sizeof...(which) == 0) return gradients(std::make_integer_sequence<int, sizeof...(X)>{});
        else return gradients(std::integer_sequence<int, which...>{});
    }
};

}  // namespace detail

/// Makes a function of the gradients of a scalar function in its arguments.
///
/// In a function that is itself differentiated, call it with tensors.
/// @tparam F  type of the function
/// @tparam numbers  numbers of arguments, from 0
/// @param function  a function object of tensors that returns a scalar tensor
/// @param which  `wrt<…>` with the numbers of the arguments. Default: all.
/// @return a function of arrays and numbers that returns an array like the argument, or a tuple of arrays
/// @par Example
/// @code
/// const auto slope = gradient([](auto x) { return sum(square(x)); });
/// const auto dx = slope(xt::xtensor<double, 1>{1, 2});  // {2, 4}
/// @endcode
///
/// @see value_and_gradient, wrt, check_gradients, docs/gradients.md
template <class F, int... numbers>
constexpr auto gradient(F function, [[maybe_unused]] detail::Wrt<numbers...> which = {}) {
    return detail::evaluated(detail::Derivative<F, false, detail::Wrt<numbers...>>(function));
}

/// Makes a function of the value and the gradients of a scalar function.
/// @tparam F  type of the function
/// @tparam numbers  numbers of arguments, from 0
/// @param function  a function object of tensors that returns a scalar tensor
/// @param which  `wrt<…>` with the numbers of the arguments. Default: all.
/// @return a function of arrays and numbers that returns a tuple: the value, then the gradients
/// @par Example
/// @code
/// const auto f = value_and_gradient([](auto x, auto w) { return sum(square(x * w)); });
/// const auto [value, dx, dw] = f(xt::xtensor<double, 1>{1, 2}, 0.5);
/// @endcode
///
/// @see gradient, wrt
template <class F, int... numbers>
constexpr auto value_and_gradient(F function, [[maybe_unused]] detail::Wrt<numbers...> which = {}) {
    return detail::evaluated(detail::Derivative<F, true, detail::Wrt<numbers...>>(function));
}

}  // namespace sigma
