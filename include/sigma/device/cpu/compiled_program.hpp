// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/frozen.hpp>
#include <sigma/device/cpu/fused.hpp>
#include <sigma/device/cpu/kernels.hpp>
#include <sigma/device/program_table.hpp>
#include <sigma/plan/planned_now.hpp>
#include <sigma/tape/geometry.hpp>

#include <utility>

namespace sigma::simd::inline SIGMA_INSTRUCTIONS {

/// Is the interpreter in a library, and not compiled with each program that uses it?
#ifdef SIGMA_COMPILED
inline constexpr bool library_interprets = true;
#else
inline constexpr bool library_interprets = false;
#endif

/// Is P, a Planned program, interpreted, so that no fused kernel is compiled for it? As the macro SIGMA_INTERPRET says
/// (0, 1); if it is not defined, where the compiler does not optimize, for they would be slow, and where P is long and
/// the library has the interpreter.
template <class P>
constexpr bool interprets() {
#if defined(SIGMA_INTERPRET)
    return SIGMA_INTERPRET;
#elif !defined(__OPTIMIZE__)
    return true;
#else
    if constexpr (library_interprets) return sigma::detail::is_long<P>;
    else return false;
#endif
}
/// And if it runs now and then?
template <class P>
constexpr bool interprets_cold() {
    if constexpr (library_interprets) return true;  // without a look at how long it is
    else return interprets<P>();
}

/// The plan of P: a constant or, where the library can interpret what it has planned itself, made when this is first
/// called.
template <class P, class T, bool interpreted = interprets<P>()>
constexpr PlanView plan_of() {
    if constexpr (interpreted && library_interprets) return view_of<T>(sigma::detail::PlannedNow<P>::plan());
    else return view_of<T>(P::plan);
}

namespace detail {

/// The fused functions of a plan, one entry a kernel; kernels with equal code, of this plan or another, share one.
template <class P, class T>
struct FusedFunctions {
    template <int i>
    static constexpr FusedFunction<T> function() {
        constexpr int canonical = P::plan.kernels[i].canonical;
        if constexpr (canonical >= 0) return &Fused<code_of<P, canonical>, T>::run;
        else return nullptr;
    }
    template <int... i>
    static constexpr auto make(std::integer_sequence<int, i...>) {
        return Frozen<FusedFunction<T>, sizeof...(i)>{{function<i>()...}};
    }
    static constexpr auto all = make(std::make_integer_sequence<int, P::plan.kernels.size()>{});
};

#ifdef SIGMA_COMPILED
/// The library's, chosen when the program starts.
template <class P, class T, bool interpreted>
inline constexpr const Kernels<T>* kernels_for = nullptr;
#else
template <class T, class AnyPlan>
constexpr ConvolutionNeeds convolution_needs(const AnyPlan& plan) {
    ConvolutionNeeds needs{false, false, false};
    for (const Kernel& k : plan.kernels) {
        if (k.kind != Kernel::Kind::convolution) continue;
        const int groups = Convolution::unpacked(k.stream).groups;
        const bool input = k.operation == Operation::convolve_input;
        const auto& x = plan.arguments[k.argument + (input ? 2 : 0)].stride;
        (groups > 1 && groups == x[5] && groups == k.extent[3] ? needs.each : needs.many) = true;
        for (int i = 0; i < 3; ++i) {  // how far rows of each argument are apart
            const bool weights = i == (k.operation == Operation::convolve_weights ? 2 : 1),
                       image = i == (input ? 2 : 0);
            const int row = plan.arguments[k.argument + i].stride[weights ? 0 : 2];
            if (row % lanes<T> != 0 && !(image && !input && groups == 1)) needs.tails = true;
        }
        if (groups > 1)
            needs.tails = needs.tails || k.extent[3] / groups % lanes<T> != 0 || x[5] / groups % lanes<T> != 0;
    }
    return needs;
}
template <class AnyPlan>
constexpr bool pools(const AnyPlan& plan) {
    for (const Kernel& k : plan.kernels)
        if (k.kind == Kernel::Kind::pooling) return true;
    return false;
}
/// Of the program's own: only those that the plan uses are compiled.
template <class P, class T, bool interpreted>
inline constexpr const Kernels<T>* kernels_for =
    &own_kernels<T, convolution_needs<T>(P::plan), pools(P::plan), interpreted>;
#endif

template <class P, class T, bool interpreted>
constexpr CompiledProgram<T> make_compiled_program() {
    CompiledProgram<T> program{&plan_of<P, T, interpreted>, nullptr, kernels_for<P, T, interpreted>};
    if constexpr (!interpreted) program.fused = FusedFunctions<P, T>::all.data;
    return program;
}

}  // namespace detail

/// Of P, a Planned program for vectors of lanes<T>: all that remains of its types when it runs.
template <class P, class T, bool interpreted = interprets<P>()>
inline constexpr CompiledProgram<T> compiled_program = detail::make_compiled_program<P, T, interpreted>();

/// The kernels that it runs with.
template <class P, class T, bool interpreted = interprets<P>()>
const Kernels<T>& kernels_of() {
    constexpr const Kernels<T>* own = detail::kernels_for<P, T, interpreted>;
    if constexpr (own == nullptr) return kernels<T>();
    else return *own;
}

}  // namespace sigma::simd::inline SIGMA_INSTRUCTIONS
