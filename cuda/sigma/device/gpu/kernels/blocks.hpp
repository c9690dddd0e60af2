// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/device/gpu/kernels/math.hpp>
#include <sigma/tape/block_formulas.hpp>

namespace sigma::on_gpu {

#define SIGMA_TEXT(...) #__VA_ARGS__
#define SIGMA_TEXT_OF(...) SIGMA_TEXT(__VA_ARGS__)

/// Operations of whole blocks, a thread a block. After `math`.
inline constexpr const char* blocks_text = R"cuda(
#ifndef SIGMA_BLOCKS_TEXT
#define SIGMA_BLOCKS_TEXT
namespace sigma_math {
)cuda" SIGMA_TEXT_OF(SIGMA_BLOCK_FORMULAS) R"cuda(
}
#endif
)cuda";

#undef SIGMA_TEXT_OF
#undef SIGMA_TEXT

}  // namespace sigma::on_gpu
