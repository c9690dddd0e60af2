// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/cpu/fused.hpp>
#include <sigma/device/program_table.hpp>

#include <utility>

namespace sigma::simd {

namespace detail {

/// The fused functions of a plan, one entry a kernel; kernels with equal code share one.
template <class P, class T>
struct FusedFunctions {
    template <int i>
    static constexpr FusedFunction<T> function() {
        constexpr int canonical = P::plan.kernels[i].canonical;
        if constexpr (canonical >= 0) return &Fused<P, canonical, T>::run;
        else return nullptr;
    }
    template <int... i>
    static constexpr auto make(std::integer_sequence<int, i...>) {
        return Frozen<FusedFunction<T>, sizeof...(i)>{{function<i>()...}};
    }
    static constexpr auto all = make(std::make_integer_sequence<int, P::plan.kernels.size()>{});
};

}  // namespace detail

/// Of P, a Planned program for vectors of lanes<T>: all that remains of its types when it runs.
template <class P, class T>
inline constexpr CompiledProgram<T> compiled_program{view_of<T>(P::plan), detail::FusedFunctions<P, T>::all.data};

}  // namespace sigma::simd
