// SPDX-License-Identifier: BSL-1.0
// What the interpreter's kernels are called with, the same for all sets of instructions. A fused kernel is run tile by
// tile: some rows, or a part of one, so small that all values between its micro-operations stay in the first-level
// cache; each micro-operation is one call for a whole tile.
#pragma once
#include <sigma/device/program_table.hpp>
#include <sigma/plan/plan.hpp>

#include <cstddef>

namespace sigma::on_cpu {

template <class T>
struct TileOperation;

/// The part of a kernel that is computed now. Values are in *places*: arguments of the kernel, tiles of their own, a
/// number a row, a vector of equal numbers.
template <class T>
struct Tile {
    T* const* at;                ///< of each place: its first element
    const std::ptrdiff_t* step;  ///< of each place: elements from row to row
    int rows, vectors;           ///< of a row; the last may be cut
    int whole;                   ///< vectors that are not
    int rest;                    ///< elements of the one that is, or 0
    int numbers;                 ///< of places with a number a row
    bool flat;                   ///< may rows that lie one after the other be taken as one?
};

template <class T>
using TileFunction = void (*)(const Tile<T>&, const TileOperation<T>&);

template <class T>
struct TileOperation {
    TileFunction<T> run = nullptr;
    short operand[4] = {-1, -1, -1, -1}, result = -1;  ///< places
    bool flat = false;                                 ///< rows of all its places lie one after the other
    bool masked = false;                               ///< of a row that is cut it may touch only what exists
    bool inside = false;  ///< of a result that is a tile all lanes are written: operations that follow read them
};

/// What a function over tiles does. Operands are `broadcast` where each row has one number of them.
enum class TileTask : std::uint8_t {
    evaluate,   ///< an elementwise operation
    greater,    ///< maximum of a number and what may be NaN
    choose,     ///< a comparison, and one of two values by it
    broadcast,  ///< a number along each row
    number,     ///< a vector of equal numbers from one
    gather,
    scatter,         ///< numbers of rows from an argument and to it
    scatter_equal,   ///< one number to all rows of an argument
    reduce_rows,     ///< to a number a row
    reduce_row,      ///< to a vector, which goes on
    reduce_columns,  ///< to vectors, which go on
};
/// Operations that are rare, or so slow that it does not matter: there are functions for whole tiles only.
constexpr bool needs_tiles(sigma::detail::Operation o) { return is_comparison(o) || (is_binary(o) && is_function(o)); }
struct TileRequest {
    TileTask task{};
    sigma::detail::Operation operation{};
    unsigned broadcast = 0;  ///< a bit for each operand
    bool product = false;    ///< a sum of products
};

struct TileReduction {
    sigma::detail::Operation operation;
    short total, settled;  ///< places: blocks of a sum that have ended are in the second
    short argument;        ///< where it is stored, or -1
};

/// One fused kernel, ready to be run.
template <class T>
struct TileCode {
    enum class Walk : std::uint8_t {
        map,   ///< no reductions: rows are cut where they are long
        rows,  ///< some short rows together, each reduced for itself
        row,   ///< one row, which may be long and of several loops
        columns,
    };
    struct Operations {
        const TileOperation<T>* first = nullptr;
        const TileOperation<T>* last = nullptr;
    };
    struct Sweep {
        Operations rows, vectors;  ///< once a row, and for its vectors
        const TileReduction* reductions = nullptr;
        const TileReduction* reductions_end = nullptr;
    };
    Walk walk{};
    bool blocks = false;                                 ///< long sums are sums of blocks
    short rank = 0, outer = 0, reduced = 0, sweeps = 0;  ///< as of the kernel
    short rows_loop = -1;                                ///< the loop of the rows of a tile
    short numbers_step = 0;  ///< between the numbers of rows: 1, or 0 where a tile is of one row
    short arguments = 0, constants = 0, equal = 0, numbers = 0, totals = 0, tiles = 0;  ///< places, in this order
    int tile = 0;                                                                       ///< vectors
    std::ptrdiff_t length = 0;           ///< of a row, for which operations are flat
    const bool* along = nullptr;         ///< of each argument: does it go along the row?
    const T* constant_values = nullptr;  ///< a vector each
    Operations once;
    const Sweep* sweep = nullptr;
};

/// Rows that a tile has at most.
inline constexpr int tile_rows = 64;
/// A sum is one of sums of as many vectors (rows; records): errors grow with the longer of both.
inline constexpr int sum_block = 256;

}  // namespace sigma::on_cpu
