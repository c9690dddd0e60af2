// SPDX-License-Identifier: BSL-1.0
// The kernels for the instructions that this translation unit is compiled for.
#pragma once
#include <sigma/device/cpu/blocks.hpp>
#include <sigma/device/cpu/convolution.hpp>
#include <sigma/device/cpu/interpreter/interpreter.hpp>
#include <sigma/device/cpu/interpreter/tile_driver.hpp>
#include <sigma/device/cpu/interpreter/tile_functions.hpp>
#include <sigma/device/cpu/kernels.hpp>
#include <sigma/device/cpu/move.hpp>
#include <sigma/device/cpu/peak.hpp>
#include <sigma/device/cpu/pooling.hpp>
#include <sigma/device/cpu/product.hpp>
#include <sigma/device/cpu/random.hpp>
#include <sigma/device/cpu/transpose.hpp>

namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS {

#if defined(__AVX512F__)
inline constexpr const char* instructions_compiled = "AVX-512";
#elif defined(__AVX2__)
inline constexpr const char* instructions_compiled = "AVX2";
#elif defined(__AVX__)
inline constexpr const char* instructions_compiled = "AVX";
#elif defined(__SSE2__)
inline constexpr const char* instructions_compiled = "SSE2";
#else
inline constexpr const char* instructions_compiled = "generic";
#endif

/// Returns the kernels for a program with these needs: convolutions, pooling, operations on blocks, interpretation.
template <class T, ConvolutionNeeds needs = ConvolutionNeeds{}, bool pools = true, bool blocks = true,
          bool interpreted = true>
constexpr Kernels<T> make_kernels() {
    Kernels<T> k{};
    k.instructions = instructions_compiled;
    k.lanes = lanes<T>;
    k.product = &product<T>;
    k.pack_whole = &pack_whole<T>;
    k.transpose = &transpose<T>;
    k.move = &move<T>;
    k.argmax = &argmax<T>;
    k.fill_uniform = &fill_uniform<T>;
    k.gather = &gather<T>;
    k.scatter_add = &scatter_add<T>;
    k.multiply_adds = &multiply_adds<T>;
    if constexpr (needs.each || needs.many) {
        k.convolve = &convolve<needs, T>;
        k.convolve_weights = &convolve_weights<needs, T>;
        k.convolve_input = &convolve_input<needs, T>;
    }
    if constexpr (pools) {
        k.pool_max = &pool_max<T>;
        k.unpool = &unpool<T>;
        k.pool_select = &pool_select<T>;
    }
    if constexpr (blocks) k.blocks = &run_blocks<T>;
    if constexpr (interpreted) {
        k.interpreter = &Interpreter<T>::make;
        k.tile_function = &tile_function<T>;
        k.run_tiles = &run_tiles<T>;
    }
    return k;
}
template <class T, ConvolutionNeeds needs = ConvolutionNeeds{}, bool pools = true, bool blocks = true,
          bool interpreted = true>
inline constexpr Kernels<T> own_kernels = make_kernels<T, needs, pools, blocks, interpreted>();

}  // namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS
