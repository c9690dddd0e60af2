// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/list.hpp>
#include <sigma/core/shape.hpp>
#include <sigma/tape/geometry.hpp>
#include <sigma/tape/operation.hpp>
#include <sigma/tape/program.hpp>

/// The kernels of a plan: one struct for each kind. Extents are coded (see plan/plan.hpp): -k stands for k times the
/// number of records.
namespace sigma::detail {

/// Elementwise code as one kernel, with reductions along the row (kind `rows`) or over leading axes (kind `columns`).
/// Arguments have a stride for each loop.
struct FusedKernel {
    enum class Tail : std::uint8_t {
        none,    ///< rows end on whole vectors, or padding makes them
        masked,  ///< the last vector touches only what exists
        padded,  ///< the last vector may be read and written whole, but must not enter a reduction
    };
    Tail tail{};
    short rank = 0;      ///< loops
    short outer = 0;     ///< rows: loops outside the row; columns: loops outside the reduction
    short reduced = 0;   ///< columns: loops of the reduction, after the outer ones
    short sweeps = 1;    ///< rows: sweeps over the row; columns: 2, inside the reduction and after it
    int canonical = -1;  ///< first kernel of the plan with the same code
    int instruction = 0, instructions = 0;
    int extent[max_rank]{};  ///< of the loops
};

/// C = alpha · A · B, or added to C; of one matrix, or of `count[0] * count[1]` one after the other. Arguments: A, B, C
/// and, where `scaled`, a scalar that is alpha; their strides: from row to row, and from matrix to matrix along both
/// counts.
struct ProductKernel {
    bool transposed = false;  ///< A is (k, m)
    bool each = false;        ///< a product for each of many matrices, though there may be one
    bool accumulate = false, negative = false, scaled = false;
    bool padded = false;  ///< rows of B and C take whole vectors
    int m = 0, n = 0, k = 0;
    int count[2]{1, 1};
    double alpha = 1;

    constexpr Operation operation() const { return transposed ? Operation::transposed_dot : Operation::dot; }
};

/// Matrices to (columns, rows). Arguments: from, to, with strides as those of a product.
struct TransposeKernel {
    int rows = 0, columns = 0;
    int count[2]{1, 1};
};

/// Copies element by element, through loops of any strides. Arguments: from, to.
struct MoveKernel {
    short rank = 0;
    int extent[max_rank]{};
    int clear = 0;  ///< elements of the destination set to zero before
};

/// Argument: to, rows of random numbers that are `row` elements apart.
struct FillUniformKernel {
    int rows = 0, columns = 0, row = 0;
    std::uint64_t stream = 0;
};

/// The position of the greatest element along the last loop. Arguments: from, to.
struct ArgmaxKernel {
    short rank = 0;
    int extent[max_rank]{};
};

/// y = x * w, or one of its adjoints. Arguments: x, w, y; of convolve_input y, w (turned), x; of convolve_weights x, y,
/// w. Pixels of x and y, and rows of w, are so many elements apart; all that is between them is padding.
struct ConvolutionKernel {
    Operation operation{};
    Convolution geometry{};
    int images = 0, height = 0, width = 0, channels = 0;   ///< of x
    int result_height = 0, result_width = 0, outputs = 0;  ///< of y
    int kernel_height = 0, kernel_width = 0;               ///< of w
    int pixel = 0, y_pixel = 0, weights_row = 0;           ///< elements from one to the next

    constexpr bool by_channel() const { return Convolution::by_channel(geometry.groups, channels); }
    constexpr int group_channels() const { return channels / geometry.groups; }
    constexpr int group_outputs() const { return outputs / geometry.groups; }
    constexpr int positions() const { return result_height * result_width; }
    constexpr int weights_rows() const { return kernel_height * kernel_width * group_channels(); }
};

/// The maximum over windows, or one of its adjoints. Arguments: x, y; of unpool x, y, d, result; of pool_select x, y,
/// values, result.
struct PoolingKernel {
    Operation operation{};
    Pooling geometry{};
    int images = 0, height = 0, width = 0, channels = 0;
    int windows_high = 0, windows_wide = 0;
    int pixel[4]{};  ///< of each argument: elements from one pixel to the next
};

/// Rows of a table. Arguments of gather: table, ids, values; of scatter_add: values, ids, table.
struct LookupKernel {
    Operation operation{};
    int ids = 0, width = 0, rows = 0;   ///< rows of the table, of so many elements
    int table_row = 0, values_row = 0;  ///< elements from one row to the next
    int ids_each = 0, ids_row = 0;      ///< ids lie `ids_each` side by side in rows `ids_row` apart
};

/// An operation of whole blocks (see tape/operation.hpp) at each step of some loops. Arguments: operands, result.
struct BlockKernel {
    struct Block {
        int rows = 1, columns = 1, row = 0, column = 0;  ///< how many, and elements from one to the next
    };
    Operation operation{};
    bool option = false;
    short rank = 0;  ///< loops
    int extent[max_rank]{};
    Block blocks[4]{};  ///< of each argument
};

struct Kernel {
    enum class Kind : std::uint8_t {
        rows,
        columns,
        product,
        transpose,
        move,
        fill_uniform,
        argmax,
        convolution,
        pooling,
        lookup,
        block,
    };
    Kind kind{};
    bool local = false;  ///< each record's part depends on that record alone
    int stage = 0;
    int loop = -1;  ///< which loop over time repeats it, or -1
    int arguments = 0;
    int argument = 0;  ///< its first argument in the plan
    union {            ///< by kind
        FusedKernel fused;
        ProductKernel product;
        TransposeKernel transpose;
        MoveKernel move;
        FillUniformKernel fill_uniform;
        ArgmaxKernel argmax;
        ConvolutionKernel convolution;
        PoolingKernel pooling;
        LookupKernel lookup;
        BlockKernel block;
    };

    constexpr Kernel() : fused{} {}
    constexpr Kernel(Kind rows_or_columns, const FusedKernel& k) : kind(rows_or_columns), fused(k) {}
    constexpr explicit Kernel(const ProductKernel& k) : kind(Kind::product), product(k) {}
    constexpr explicit Kernel(const TransposeKernel& k) : kind(Kind::transpose), transpose(k) {}
    constexpr explicit Kernel(const MoveKernel& k) : kind(Kind::move), move(k) {}
    constexpr explicit Kernel(const FillUniformKernel& k) : kind(Kind::fill_uniform), fill_uniform(k) {}
    constexpr explicit Kernel(const ArgmaxKernel& k) : kind(Kind::argmax), argmax(k) {}
    constexpr explicit Kernel(const ConvolutionKernel& k) : kind(Kind::convolution), convolution(k) {}
    constexpr explicit Kernel(const PoolingKernel& k) : kind(Kind::pooling), pooling(k) {}
    constexpr explicit Kernel(const LookupKernel& k) : kind(Kind::lookup), lookup(k) {}
    constexpr explicit Kernel(const BlockKernel& k) : kind(Kind::block), block(k) {}

    constexpr bool is_fused() const { return kind == Kind::rows || kind == Kind::columns; }
    /// Extents of the loops of a kind that has such; max_rank of them.
    constexpr const int* loop_extents() const {
        return is_fused()             ? fused.extent
               : kind == Kind::move   ? move.extent
               : kind == Kind::argmax ? argmax.extent
               : kind == Kind::block  ? block.extent
                                      : nullptr;
    }
};

/// Extents and strides of a plan may hold the batch: -k stands for k times the number of records.
constexpr int times(int a, int b) {
    const int product = (a < 0 ? -a : a) * (b < 0 ? -b : b);
    return a < 0 || b < 0 ? -product : product;
}
constexpr long long resolve(long long coded, long long records) { return coded < 0 ? -coded * records : coded; }

/// One micro-operation of a fused kernel.
struct Instruction {
    enum class Opcode : std::uint8_t { load, evaluate, store, reduce };
    Opcode opcode{};
    Operation operation{};         ///< evaluate: what; reduce: sum, maximum or minimum
    short a = -1, b = -1, c = -1;  ///< instructions whose results are read; a sum of products reads two
    short argument = -1;           ///< load, store, reduce: which argument of the kernel
    signed char level = 0;         ///< 0: once a kernel, 1: once a row, 2: for each vector
    signed char sweep = 0;         ///< row kernels: sweep over the row; column kernels: 0 inside, 1 after the reduction
    bool broadcast = false;        ///< load at level 2 of a value that does not vary along the vector
    bool apart = false;            ///< evaluate: a product that must not be fused with what reads it
    double constant = 0;
    friend constexpr bool operator==(const Instruction&, const Instruction&) = default;
};

struct Argument {
    int buffer = -1;
    int offset = 0;  ///< elements, coded
    int record = 0;  ///< elements a record, 0 where the tensor has no batch
    int time = 0;    ///< elements a position of the kernel's loop over time
    bool written = false;
    int stride[max_rank]{};  ///< elements per step along each loop of a kernel that has such, coded
};

struct Buffer {
    enum class Where : std::uint8_t { none, input, output, parameter, state, fixed, batched };
    Where where{};
    int offset = 0;  ///< fixed: elements; batched: elements per record; otherwise the position of the tensor
    int pitch = 0;   ///< elements between rows (last axis), at least its extent
    bool padded = false;
    Shape shape{};
};

/// Kernels that are repeated together for each position along time.
struct PlannedLoop {
    int first = 0, end = 0, count = 0;
    bool backwards = false;
};

/// Everything the executor needs, as plain data.
struct Plan {
    List<Kernel> kernels{};
    List<Instruction> instructions{};
    List<Argument> arguments{};
    List<Buffer> buffers{};
    List<PlannedLoop> loops{};
    List<int> outputs{};   ///< buffer of each output
    List<int> iotas{};     ///< buffers filled once with 0, 1, 2, …
    int reciprocal = -1;   ///< buffer of 1 / records, or -1
    int fixed_size = 0;    ///< elements
    int batched_size = 0;  ///< elements per record
    int stages = 0;
    int lanes = 1;  ///< of the vectors that it is for
};

constexpr int round_up(int n, int to) { return (n + to - 1) / to * to; }

/// Elements between rows of a stored tensor: whole vectors, so that kernels need no tails. Rows a multiple of 2 KB
/// apart would share few sets of the cache; they are a cache line further apart.
constexpr int row_pitch(const Shape& s, int lanes) {
    if (s.last() <= 1) return 1;
    const int whole = round_up(s.last(), lanes);
    return whole % 512 == 0 ? whole + 16 : whole;
}
/// Elements (per record where batched) of a tensor stored with the given pitch.
constexpr int stored_count(const Shape& s, int pitch) {
    return s.last() < 0 ? static_cast<int>(s.count()) : static_cast<int>(s.count() / s.last()) * pitch;
}
/// The same, rounded to cache lines of floats when fixed: the room that our own memory gives it.
constexpr int footprint(const Shape& s, int pitch) {
    return s.rank == 0 ? 16 : s.batched() ? stored_count(s, pitch) : round_up(stored_count(s, pitch), 16);
}

/// An argument of a kernel whose tensor has no place in memory yet.
struct TensorArgument : Argument {
    int tensor = -1;  ///< node
};

/// Kernels in the order of their groups.
struct LoweredKernels {
    List<Kernel> kernels{};
    List<Instruction> instructions{};
    List<TensorArgument> arguments{};
};

}  // namespace sigma::detail
