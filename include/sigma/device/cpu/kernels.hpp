// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/list.hpp>
#include <sigma/device/cpu/interpreter/tile.hpp>
#include <sigma/device/cpu/kernel_arguments.hpp>
#include <sigma/device/program_table.hpp>

#include <cstddef>
#include <cstdint>

namespace sigma::on_cpu {

template <class T>
class Interpreter;
template <class T>
struct CommonKernel;

/// The kernels that depend only on the type of elements, compiled for one set of instructions.
template <class T>
struct Kernels {
    const char* instructions;  ///< "SSE2", "AVX2", "AVX-512"
    int lanes;                 ///< lanes of a vector
    void (*product)(const ProductArguments<T>&);
    void (*pack_whole)(const T* b, std::ptrdiff_t b_row, std::ptrdiff_t n, std::ptrdiff_t k, bool padded, T* to);
    void (*transpose)(const T* from, std::ptrdiff_t from_row, int rows, int columns, T* to, std::ptrdiff_t to_row);
    void (*move)(const T* from, T* to, int rank, const std::ptrdiff_t* extent, const Strides& from_stride,
                 const Strides& to_stride);
    void (*argmax)(const T* from, T* to, int loop, int rank, const std::ptrdiff_t* extent, const Strides& from_stride,
                   const Strides& to_stride);
    void (*fill_uniform)(T* to, std::ptrdiff_t first_row, std::ptrdiff_t rows, std::ptrdiff_t columns,
                         std::ptrdiff_t row_stride, std::uint32_t stream, const sigma::detail::RandomKey& key);
    void (*gather)(const LookupArguments<T>&, const T* table, std::ptrdiff_t table_row, T* to, std::ptrdiff_t to_row);
    void (*scatter_add)(const LookupArguments<T>&, const T* from, std::ptrdiff_t from_row, T* table,
                        std::ptrdiff_t table_row, std::ptrdiff_t first, std::ptrdiff_t count);
    double (*multiply_adds)(long turns, T* factor);  ///< see peak.hpp
    // Null in tables for programs that do not use them.
    void (*blocks)(const sigma::detail::BlockKernel&, int arguments, T* const* p, const Strides*,
                   const std::ptrdiff_t* extent);
    void (*convolve)(const ConvolutionArguments<T>&, const T* x, const T* w, T* y);
    void (*convolve_weights)(const ConvolutionArguments<T>&, const T* x, const T* y, T* w, std::ptrdiff_t first,
                             std::ptrdiff_t count);
    void (*convolve_input)(const ConvolutionArguments<T>&, const T* y, const T* w, T* x);
    void (*pool_max)(const PoolingArguments&, const Pixels<T>& x, const Pixels<T>& y);
    void (*unpool)(const PoolingArguments&, const Pixels<T>& x, const Pixels<T>& y, const Pixels<T>& d,
                   const Pixels<T>& result);
    void (*pool_select)(const PoolingArguments&, const Pixels<T>& x, const Pixels<T>& y, const Pixels<T>& values,
                        const Pixels<T>& result);
    Interpreter<T>* (*interpreter)(const sigma::detail::PlanView&, const Kernels&);  ///< makes an interpreter
    TileFunction<T> (*tile_function)(const TileRequest&);
    const sigma::detail::ListView<CommonKernel<T>>*
        common;  ///< fused kernels that the interpreter may run instead of tiles
    void (*run_tiles)(const TileCode<T>&, T* const* arguments, const Strides*, const std::ptrdiff_t* extents);
};

}  // namespace sigma::on_cpu
