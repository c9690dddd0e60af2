// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/list.hpp>
#include <sigma/device/cpu/chosen_kernels.hpp>
#include <sigma/device/cpu/fused.hpp>
#include <sigma/device/program_table.hpp>
#include <sigma/plan/planned_now.hpp>

#include <utility>

namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS {

/// True if the interpreter is in the library, and not compiled with each program that uses it.
#ifdef SIGMA_COMPILED
inline constexpr bool library_interprets = true;
#else
inline constexpr bool library_interprets = false;
#endif

/// Returns whether P, a Planned program, is interpreted, so that no fused kernel is compiled for it. The macro
/// SIGMA_INTERPRET (0, 1) decides. Without it P is interpreted if the compiler does not optimize, because fused kernels
/// would be slow, or if P is long and the library has the interpreter.
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
/// Returns whether P is interpreted if it runs rarely.
template <class P>
constexpr bool interprets_cold() {
    if constexpr (library_interprets) return true;  // whatever its length
    else return interprets<P>();
}

/// Returns the plan of P: a constant or, if the library interprets P, a plan that is made at the first call.
template <class P, class T, bool interpreted = interprets<P>()>
constexpr sigma::detail::PlanView plan_of() {
    if constexpr (interpreted && library_interprets) return view_of<T>(sigma::detail::PlannedNow<P>::plan());
    else return view_of<T>(P::plan);
}

namespace detail {

/// The fused functions of a plan, one entry a kernel; kernels with equal code, of this plan or another, share one.
template <class P, class T>
struct FusedFunctions {
    template <int i>
    static constexpr sigma::detail::FusedFunction<T> function() {
        if constexpr (P::plan.kernels[i].is_fused())
            return &Fused<sigma::detail::code_of<P, P::plan.kernels[i].fused.canonical>, T>::run;
        else return nullptr;
    }
    template <int... i>
    static constexpr auto make(std::integer_sequence<int, i...>) {
        return sigma::detail::StaticArray<sigma::detail::FusedFunction<T>, sizeof...(i)>{{function<i>()...}};
    }
    static constexpr auto all = make(std::make_integer_sequence<int, P::plan.kernels.size()>{});
};

#ifdef SIGMA_COMPILED
/// The kernels of the library, chosen when the program starts.
template <class P, class T, bool interpreted>
inline constexpr const Kernels<T>* kernels_for = nullptr;
#else
template <class T, class AnyPlan>
constexpr ConvolutionNeeds convolution_needs(const AnyPlan& plan) {
    ConvolutionNeeds needs{false, false, false};
    for (const sigma::detail::Kernel& k : plan.kernels) {
        if (k.kind != sigma::detail::Kernel::Kind::convolution) continue;
        const sigma::detail::ConvolutionKernel& c = k.convolution;
        const int groups = c.geometry.groups;
        (c.by_channel() && groups == c.outputs ? needs.each : needs.many) = true;
        const bool input = c.operation == sigma::detail::Operation::convolve_input;
        // A forward image is read pixel by pixel.
        const bool image_tails = c.pixel % lanes<T> != 0 && (input || groups != 1);
        needs.tails = needs.tails || image_tails || c.y_pixel % lanes<T> != 0 || c.weights_row % lanes<T> != 0;
        if (groups > 1)
            needs.tails = needs.tails || c.group_outputs() % lanes<T> != 0 || c.group_channels() % lanes<T> != 0;
    }
    return needs;
}
template <class AnyPlan>
constexpr bool has(const AnyPlan& plan, sigma::detail::Kernel::Kind kind) {
    for (const sigma::detail::Kernel& k : plan.kernels)
        if (k.kind == kind) return true;
    return false;
}
/// The kernels of the program itself. Only those that the plan uses are compiled.
template <class P, class T, bool interpreted>
inline constexpr const Kernels<T>* kernels_for =
    &own_kernels<T, convolution_needs<T>(P::plan), has(P::plan, sigma::detail::Kernel::Kind::pooling),
                 has(P::plan, sigma::detail::Kernel::Kind::block), interpreted>;
#endif

template <class P, class T, bool interpreted>
sigma::detail::PlanView known_plan(const void*) {
    return plan_of<P, T, interpreted>();
}
template <class P, class T, bool interpreted>
constexpr sigma::detail::CompiledProgram<T> make_compiled_program() {
    sigma::detail::CompiledProgram<T> program{&known_plan<P, T, interpreted>, nullptr, kernels_for<P, T, interpreted>};
    if constexpr (!interpreted) program.fused = FusedFunctions<P, T>::all.data;
    return program;
}

}  // namespace detail

/// The compiled form of P, a Planned program for vectors of lanes<T>, without its types.
template <class P, class T, bool interpreted = interprets<P>()>
inline constexpr sigma::detail::CompiledProgram<T> compiled_program =
    detail::make_compiled_program<P, T, interpreted>();

/// Returns the kernels that P runs with.
template <class P, class T, bool interpreted = interprets<P>()>
const Kernels<T>& kernels_of() {
    constexpr const Kernels<T>* own = detail::kernels_for<P, T, interpreted>;
    if constexpr (own == nullptr) return kernels<T>();
    else return *own;
}

}  // namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS
