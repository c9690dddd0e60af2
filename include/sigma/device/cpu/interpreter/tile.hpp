// SPDX-License-Identifier: BSL-1.0
// The arguments of the interpreter's kernels, the same for all sets of instructions. A fused kernel runs tile by tile:
// some rows, or a part of one, so small that all values between its micro-operations stay in the first-level cache.
// Each micro-operation is one call for a whole tile.
#pragma once
#include <sigma/device/program_table.hpp>
#include <sigma/plan/plan.hpp>

#include <cstddef>

namespace sigma::on_cpu {

template <class T>
struct TileOperation;

/// The current tile of a kernel. Values are in *places*: arguments of the kernel, tiles, one number per row, or a
/// vector of equal numbers.
template <class T>
struct Tile {
    T* const* at;                ///< first element of each place
    const std::ptrdiff_t* step;  ///< elements from row to row of each place
    int rows, vectors;           ///< rows, and vectors of a row; the last vector may be partial
    int whole;                   ///< number of whole vectors
    int rest;                    ///< elements of the partial vector, or 0
    int numbers;                 ///< numbers of places with one number per row
    bool flat;                   ///< consecutive rows may be processed as one
};

template <class T>
using TileFunction = void (*)(const Tile<T>&, const TileOperation<T>&);

template <class T>
struct TileOperation {
    TileFunction<T> run = nullptr;
    short operand[4] = {-1, -1, -1, -1}, result = -1;  ///< places
    bool flat = false;                                 ///< rows of all its places are consecutive
    bool masked = false;                               ///< accesses only existing elements of a partial row
    bool inside = false;  ///< all lanes of a resulting tile are written, because later operations read them
};

/// The task of a function over tiles. An operand with one number per row is `broadcast`.
enum class TileTask : std::uint8_t {
    evaluate,   ///< an elementwise operation
    greater,    ///< maximum of a number and a value that may be NaN
    choose,     ///< a comparison that selects one of two values
    broadcast,  ///< one number along each row
    number,     ///< a vector of equal numbers from one
    gather,
    scatter,         ///< numbers of rows from an argument and to it
    scatter_equal,   ///< one number to all rows of an argument
    reduce_rows,     ///< reduces rows to one number each
    reduce_row,      ///< reduces a part of a row to a vector, which later parts continue
    reduce_columns,  ///< reduces columns to vectors, which later rows continue
};
/// Returns whether an operation has functions only for whole tiles, because it is rare or slow.
constexpr bool needs_tiles(sigma::detail::Operation o) { return is_comparison(o) || (is_binary(o) && is_function(o)); }
struct TileRequest {
    TileTask task{};
    sigma::detail::Operation operation{};
    unsigned broadcast = 0;  ///< one bit for each operand
    bool product = false;    ///< a sum of products
};

struct TileReduction {
    sigma::detail::Operation operation;
    short total, settled;  ///< places; the second has the completed blocks of a sum
    short argument;        ///< the argument to which it is stored, or -1
};

/// The code of one fused kernel.
template <class T>
struct TileCode {
    enum class Walk : std::uint8_t {
        map,   ///< no reductions: long rows are divided
        rows,  ///< several short rows at once, each with its own reduction
        row,   ///< one row, which may be long and have several loops
        columns,
    };
    struct Operations {
        const TileOperation<T>* first = nullptr;
        const TileOperation<T>* last = nullptr;
    };
    struct Sweep {
        Operations rows, vectors;  ///< operations once per row, and for its vectors
        const TileReduction* reductions = nullptr;
        const TileReduction* reductions_end = nullptr;
    };
    Walk walk{};
    bool blocks = false;                                 ///< long sums are sums of blocks
    short rank = 0, outer = 0, reduced = 0, sweeps = 0;  ///< numbers of the kernel
    short rows_loop = -1;                                ///< the loop of the rows of a tile
    short numbers_step = 0;  ///< distance of the numbers of rows: 1, or 0 for tiles of one row
    short arguments = 0, constants = 0, equal = 0, numbers = 0, totals = 0, tiles = 0;  ///< places, in this order
    int tile = 0;                                                                       ///< vectors of a tile
    std::ptrdiff_t length = 0;           ///< length of a row for which operations are flat
    const bool* along = nullptr;         ///< true for an argument that varies along the row
    const T* constant_values = nullptr;  ///< one vector for each constant
    Operations once;
    const Sweep* sweep = nullptr;
};

/// Largest number of rows of a tile.
inline constexpr int tile_rows = 64;
/// Size of a block of a sum: a sum is a sum of sums of so many vectors (rows; records), so that errors grow with the
/// longer of both.
inline constexpr int sum_block = 256;

}  // namespace sigma::on_cpu
