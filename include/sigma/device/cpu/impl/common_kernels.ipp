// SPDX-License-Identifier: BSL-1.0
// The fused kernels of common networks, for float. Compiled into the library once for each instruction set, as
// kernels.ipp is. An interpreted plan finds a kernel by its code (common_kernels.hpp). A code contains no sizes, so a
// kernel works in any network that fuses the same operations.
#pragma once

#include <sigma/device/cpu/common_kernels.hpp>
#include <sigma/device/cpu/fused.hpp>

#include <utility>

namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS {

namespace common {

template <int number>
struct Code;

// Row of common_codes.inc: the sizes of the code's two lists, the code's form, and the lists.
#define SIGMA_LIST(...) __VA_ARGS__
#define SIGMA_CODE(number, instructions, constants, form, instructions_packed, values) \
    template <>                                                                        \
    struct Code<number> {                                                              \
        static constexpr sigma::detail::FusedCode<instructions, constants> value{      \
            form_of form, {{SIGMA_LIST instructions_packed}}, {{SIGMA_LIST values}}};  \
    };
constexpr sigma::detail::FusedForm form_of(int kind, int rank, int outer, int reduced, int sweeps, int arguments) {
    return {static_cast<sigma::detail::Kernel::Kind>(kind),
            sigma::detail::FusedKernel::Tail::masked,  // for rows of any length
            static_cast<short>(rank),
            static_cast<short>(outer),
            static_cast<short>(reduced),
            static_cast<short>(sweeps),
            arguments};
}
#include <sigma/device/cpu/impl/common_codes.inc>
#undef SIGMA_CODE
#undef SIGMA_LIST

template <int... i>
constexpr auto make_table(std::integer_sequence<int, i...>) {
    return sigma::detail::StaticArray<CommonKernel<float>, sizeof...(i)>{
        {{Code<i>::value.form,
          {Code<i>::value.words.data, Code<i>::value.words.size()},
          {Code<i>::value.values.data, Code<i>::value.values.size()},
          &Fused<Code<i>::value, float>::run}...}};
}
constexpr auto table = make_table(std::make_integer_sequence<int, codes>{});

}  // namespace common

extern const sigma::detail::ListView<CommonKernel<float>> float_common_kernels;
constexpr sigma::detail::ListView<CommonKernel<float>> float_common_kernels{common::table.data, common::codes};

}  // namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS
