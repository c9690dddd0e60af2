// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Gradient checks of functions: check_gradients. Include `<sigma/check_gradients.hpp>`.
#include <sigma/device/made_program.hpp>
#include <sigma/function/function.hpp>
#include <sigma/function/gradient_report.hpp>

#include <array>
#include <tuple>
#include <vector>

namespace sigma {

namespace detail {

/// Makes the program x…, upstream gradients u… → Σ u · result, and its gradients in the chosen arguments. Notes the
/// shapes of the results.
template <class F, int... which, std::size_t count>
constexpr Program checked_program(Wrt<which...>, const std::array<Shape, count>& shapes, List<Shape>& results) {
    Program p;
    p.sequential = true;
    Tracing tracing(p.tape);
    std::array<Tensor, count> x{};
    int number = 0;
    for (Tensor& each : x) {
        each = Tensor{input(p, shapes[static_cast<std::size_t>(number)], number)};
        ++number;
    }
    const auto y = std::apply(F{}, x);
    Variable total = constant(&p.tape, 0);
    each_tensor(y, [&](Tensor result) {
        const Variable product = input(p, result.shape(), number++) * result.variable;
        total = total + sum(Tensor{product}).variable;
        results.push(result.shape());
    });
    List<Variable> of;
    (of.push(std::get<which>(x).variable), ...);
    add_output(p, total);
    if (std::is_constant_evaluated()) of = differentiate(total, constant(&p.tape, 1), of);
    else of = differentiate_now(total, of);
    for (const Variable& g : of) add_output(p, g);
    return p;
}
template <class F, class Which, Shape... S>
struct CheckedProgram {
    constexpr Program operator()() const {
        List<Shape> results;
        return checked_program<F>(Which{}, std::array{S...}, results);
    }
};

inline std::vector<std::size_t> extents_with(const Shape& s, std::ptrdiff_t records) {
    std::vector<std::size_t> extents;
    for (int i = 0; i < s.rank; ++i) extents.push_back(static_cast<std::size_t>(s[i] < 0 ? -s[i] * records : s[i]));
    return extents;
}

template <class F, class Which>
struct SIGMA_BY_INSTRUCTIONS CheckGradients;
template <class F, int... which>
struct CheckGradients<F, Wrt<which...>> {
    GradientCheckOptions options;

    template <class... A>
        requires is_fine<CheckCall<F, A...>>
    GradientReport operator()(const A&... arguments) const {
        static_assert(((which >= 0 && which < static_cast<int>(sizeof...(A))) && ...),
                      "the function has no argument of this number");
        constexpr bool known = (Argument_<A>::known && ...);
        std::ptrdiff_t records = 0;
        int number = 0;
        const std::array<Shape, sizeof...(A)> shapes{shape_when_run<known>(number++, arguments, records)...};
        if (records == 0) records = 1;
        number = 0;
        const std::array<std::vector<double>, sizeof...(A)> x{
            copied(arguments, shapes[static_cast<std::size_t>(number++)], records)...};
        if constexpr (known) {
            using P = Planned<CheckedProgram<F, Wrt<which...>, Argument_<A>::shape...>, on_cpu::lanes<double>>;
            constexpr auto results = OnShapes<F, Argument_<A>::shape...>::shapes;
            return compared<A...>(on_cpu::compiled_program<P, double, on_cpu::interprets_cold<P>()>, results, shapes, x,
                                  records);
        } else {
            List<Shape> results;
            const Program traced = checked_program<F>(Wrt<which...>{}, shapes, results);
            const MadeProgram<double> made(traced, on_cpu::kernels<double>().lanes);
            return compared<A...>(made.compiled(), results, shapes, x, records);
        }
    }
    template <class... A>
        requires(!is_fine<CheckCall<F, A...>>)
    auto operator()(const A&... arguments) const
        -> decltype(plainly(std::type_identity<typename CheckCall<F, A...>::mistake>{}));

private:
    template <class... A, std::size_t count>
    GradientReport compared(const CompiledProgram<double>& program, const auto& results,
                            const std::array<Shape, count>& shapes, std::array<std::vector<double>, count> x,
                            std::ptrdiff_t records) const {
        constexpr bool one_result = std::is_same_v<std::invoke_result_t<F, typename InPlaceOf<A>::type...>, Tensor>;
        std::array<std::vector<double>, count> gradients;
        Session<double> session(program);
        int number = 0;
        for (const auto& values : x) session.bind_input(number++, values.data());
        std::vector<std::vector<double>> upstream;
        for (const Shape& s : results) {
            const auto elements = static_cast<std::size_t>(elements_of(s, records));
            if (one_result && s.scalar()) upstream.push_back({1});
            else upstream.push_back(upstream_gradient(elements, options.seed, upstream.size()));
        }
        for (const auto& values : upstream) session.bind_input(number++, values.data());
        double total = 0;
        session.bind_output(0, &total);
        number = 1;
        (bind_gradient(session, number, gradients[static_cast<std::size_t>(which)],
                       x[static_cast<std::size_t>(which)].size()),
         ...);
        session.prepare(records);
        session.run();

        std::vector<std::vector<double>> found;  // a copy: later runs overwrite the gradients
        std::vector<CheckedTensor> tensors;
        (found.push_back(gradients[static_cast<std::size_t>(which)]), ...);
        for (std::size_t i = 0; const int n : {which...}) {
            const std::vector<std::size_t> e = extents_with(shapes[static_cast<std::size_t>(n)], records);
            tensors.push_back({sentence("argument ", n), e, x[static_cast<std::size_t>(n)].data(),
                               e.empty() ? 1 : e.back(), found[i++]});
        }
        return compare_gradients(
            tensors,
            [&] {
                session.run();
                return total;
            },
            options);
    }
    template <class A>
    static std::vector<double> copied(const A& argument, const Shape& shape, std::ptrdiff_t records) {
        const Elements<A, double> elements(argument);
        return {elements.data(), elements.data() + elements_of(shape, records)};
    }
    static void bind_gradient(Session<double>& session, int& number, std::vector<double>& to, std::size_t count) {
        to.resize(count);
        session.bind_output(number++, to.data());
    }
};
template <class F, class Which>
struct CheckAllGradients {
    GradientCheckOptions options;
    template <class... A>
        requires is_fine<CheckCall<F, A...>>
    GradientReport operator()(const A&... arguments) const {
        return [&]<int... i>(std::integer_sequence<int, i...>) {
            return CheckGradients<F, Wrt<i...>>{options}(arguments...);
        }(std::make_integer_sequence<int, static_cast<int>(sizeof...(A))>{});
    }
    template <class... A>
        requires(!is_fine<CheckCall<F, A...>>)
    auto operator()(const A&... arguments) const
        -> decltype(plainly(std::type_identity<typename CheckCall<F, A...>::mistake>{}));
};

}  // namespace detail

/// Compares the gradients of a function over tensors with central differences, in double.
///
/// Call the result with arguments, as that of `gradient`. If the function has no scalar result, the gradients of
/// Σ u · result are compared, for random u. The function must not capture values.
/// @tparam F  type of the function
/// @param function  a captureless function object over tensors
/// @param options  number of elements to compare, and the seed
/// @return a function of the arguments that returns a GradientReport
/// @par Example
/// @code
/// const auto f = [](auto x, auto w) { return sum(square(x * w)); };
/// check_gradients(f)(xt::xtensor<double, 1>{1, 2}, 0.5).require();
/// @endcode
///
/// @see GradientReport, gradient, docs/gradients.md
template <class F>
    requires std::is_empty_v<F>
constexpr auto check_gradients([[maybe_unused]] F function, const GradientCheckOptions& options = {}) {
    return detail::CheckAllGradients<F, detail::Wrt<>>{options};
}
/// Compares the gradients of a function in chosen arguments with central differences, in double.
/// @tparam F  type of the function
/// @tparam first  number of an argument, from 0
/// @tparam numbers  numbers of further arguments
/// @param function  a captureless function object over tensors
/// @param which  `wrt<…>` with the numbers of the arguments
/// @param options  number of elements to compare, and the seed
/// @return a function of the arguments that returns a GradientReport
/// @par Example
/// @code
/// const auto f = [](auto y, auto w) { return sum(square(w - y)); };
/// check_gradients(f, wrt<1>)(2.0, 0.5).require();
/// @endcode
///
/// @see wrt
template <class F, int first, int... numbers>
    requires std::is_empty_v<F>
constexpr auto check_gradients([[maybe_unused]] F function, [[maybe_unused]] detail::Wrt<first, numbers...> which,
                               const GradientCheckOptions& options = {}) {
    return detail::CheckGradients<F, detail::Wrt<first, numbers...>>{options};
}
template <class F>
    requires(!std::is_empty_v<F> && std::is_class_v<F> && !requires { F::parameter_count; })
constexpr error_function_must_not_capture<F> check_gradients(F, const GradientCheckOptions& = {});
template <class F, int... numbers>
    requires(!std::is_empty_v<F>)
constexpr error_function_must_not_capture<F> check_gradients(F, detail::Wrt<numbers...>,
                                                             const GradientCheckOptions& = {});

}  // namespace sigma
