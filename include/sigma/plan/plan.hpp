// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/list.hpp>
#include <sigma/core/shape.hpp>
#include <sigma/tape/geometry.hpp>
#include <sigma/tape/operation.hpp>
#include <sigma/tape/program.hpp>
#include <sigma/tape/tape.hpp>

// The kernels of a plan have one struct for each kind. Extents are coded: -k means k times the number of records.
namespace sigma::detail {

/// Elementwise operations in one kernel, with reductions along the row (kind `rows`) or over leading axes (kind
/// `columns`). Arguments have a stride for each loop.
struct FusedKernel {
    enum class Tail : std::uint8_t {
        none,    ///< rows take whole vectors, with padding if necessary
        masked,  ///< the last vector accesses only existing elements
        padded,  ///< the last vector may be read and written whole, but its padding must not enter a reduction
    };
    Tail tail{};
    short rank = 0;      ///< number of loops
    short outer = 0;     ///< rows: loops outside the row; columns: loops outside the reduction
    short reduced = 0;   ///< columns: loops of the reduction, after the outer ones
    short sweeps = 1;    ///< rows: sweeps over the row; columns: 2, inside the reduction and after it
    int canonical = -1;  ///< first kernel of the plan with the same code
    int instruction = 0, instructions = 0;
    int extent[max_rank]{};  ///< extent of each loop
};

/// Matrix products C = alpha · A · B, or C += alpha · A · B, for `count[0] * count[1]` matrices. Arguments: A, B, C
/// and, if `scaled`, the scalar alpha. Their strides lead from row to row, and from matrix to matrix along both counts.
struct ProductKernel {
    bool transposed = false;  ///< A is (k, m)
    bool each = false;        ///< a product of each of several matrices, even if there is only one
    bool accumulate = false, negative = false, scaled = false;
    bool padded = false;  ///< rows of B and C take whole vectors
    int m = 0, n = 0, k = 0;
    int count[2]{1, 1};
    double alpha = 1;

    constexpr Operation operation() const { return transposed ? Operation::transposed_dot : Operation::dot; }
};

/// Transposes matrices of (rows, columns). Arguments: from, to, with strides as in a product.
struct TransposeKernel {
    int rows = 0, columns = 0;
    int count[2]{1, 1};
};

/// Copies elements in loops with any strides. Arguments: from, to.
struct MoveKernel {
    short rank = 0;
    int extent[max_rank]{};
    int clear = 0;  ///< number of elements of the destination that are set to zero first
};

/// Fills rows with random numbers. Argument: to, with `row` elements from row to row.
struct FillUniformKernel {
    int rows = 0, columns = 0, row = 0;
    std::uint64_t stream = 0;
};

/// Finds the position of the greatest element along the last loop. Arguments: from, to.
struct ArgmaxKernel {
    short rank = 0;
    int extent[max_rank]{};
};

/// A convolution y = x * w, or one of its adjoints. Arguments: x, w, y; for convolve_input y, w (turned), x; for
/// convolve_weights x, y, w. Elements between pixels of x and y, and between rows of w, are padding.
struct ConvolutionKernel {
    Operation operation{};
    Convolution geometry{};
    int images = 0, height = 0, width = 0, channels = 0;   ///< size of x
    int result_height = 0, result_width = 0, outputs = 0;  ///< size of y
    int kernel_height = 0, kernel_width = 0;               ///< size of w
    int pixel = 0, y_pixel = 0, weights_row = 0;           ///< elements from pixel to pixel, and from row to row
    int before[2]{};                                       ///< rows and columns of zeros above and left of x

    constexpr bool by_channel() const { return Convolution::by_channel(geometry.groups, channels); }
    constexpr int group_channels() const { return channels / geometry.groups; }
    constexpr int group_outputs() const { return outputs / geometry.groups; }
    constexpr int positions() const { return result_height * result_width; }
    constexpr int weights_rows() const { return kernel_height * kernel_width * group_channels(); }
    /// Returns the rows and columns that windows cover, with the zeros before x.
    constexpr int covered(int axis) const {
        return ((axis ? result_width : result_height) - 1) * geometry.stride[axis] +
               geometry.reach(axis, axis ? kernel_width : kernel_height);
    }
    /// Returns whether windows cover zeros around x.
    constexpr bool padded() const {
        return before[0] > 0 || before[1] > 0 || covered(0) > height || covered(1) > width;
    }
};

/// The maximum over windows, or one of its adjoints. Arguments: x, y; for unpool x, y, d, result; for pool_select x, y,
/// values, result.
struct PoolingKernel {
    Operation operation{};
    Pooling geometry{};
    int images = 0, height = 0, width = 0, channels = 0;
    int windows_high = 0, windows_wide = 0;
    int pixel[4]{};  ///< elements from pixel to pixel of each argument
};

/// Reads or adds to rows of a table. Arguments: for gather table, ids, values; for scatter_add values, ids, table.
struct LookupKernel {
    Operation operation{};
    int ids = 0, width = 0, rows = 0;   ///< number of ids; size and number of the table's rows
    int table_row = 0, values_row = 0;  ///< elements from row to row
    int ids_each = 0, ids_row = 0;      ///< ids lie `ids_each` side by side in rows `ids_row` apart
};

/// An operation of whole blocks (see tape/operation.hpp) at each step of some loops. Arguments: operands, result.
struct BlockKernel {
    struct Block {
        int rows = 1, columns = 1, row = 0,
            column = 0;  ///< numbers of rows and columns, and elements from one to the next
    };
    Operation operation{};
    bool option = false;
    short rank = 0;          ///< number of loops
    std::uint64_t part = 0;  ///< number of the part of a custom operation
    int extent[max_rank]{};
    Block blocks[4]{};  ///< block of each argument
};

/// A kernel of a plan.
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
    int loop = -1;    ///< loop over time that repeats the kernel, or -1
    Origin origin{};  ///< layer and part of the step of the kernel's last result
    int arguments = 0;
    int argument = 0;  ///< position of the first argument in the plan
    union {            ///< selected by the kind
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
    /// Returns the max_rank extents of the loops, or null if the kind has no loops.
    constexpr const int* loop_extents() const {
        return is_fused()             ? fused.extent
               : kind == Kind::move   ? move.extent
               : kind == Kind::argmax ? argmax.extent
               : kind == Kind::block  ? block.extent
                                      : nullptr;
    }
};

/// Multiplies coded extents or strides, in which -k means k times the number of records.
constexpr int times(int a, int b) {
    const int product = (a < 0 ? -a : a) * (b < 0 ? -b : b);
    return a < 0 || b < 0 ? -product : product;
}
constexpr long long resolve(long long coded, long long records) { return coded < 0 ? -coded * records : coded; }

/// One micro-operation of a fused kernel.
struct Instruction {
    enum class Opcode : std::uint8_t { load, evaluate, store, reduce };
    Opcode opcode{};
    Operation operation{};         ///< evaluate: the operation; reduce: sum, maximum or minimum
    short a = -1, b = -1, c = -1;  ///< instructions that give the operands; a sum of products reads two
    short argument = -1;           ///< load, store, reduce: argument of the kernel
    signed char level = 0;         ///< 0: once per kernel, 1: once per row, 2: once per vector
    signed char sweep = 0;         ///< row kernels: sweep over the row; column kernels: 0 inside, 1 after the reduction
    bool broadcast = false;        ///< load at level 2 of a value that does not vary along the vector
    bool apart = false;            ///< evaluate: a product that must not be fused with its reader
    double constant = 0;
    friend constexpr bool operator==(const Instruction&, const Instruction&) = default;
};

/// An argument of a kernel: a place in a buffer.
struct Argument {
    int buffer = -1;
    int offset = 0;  ///< number of elements, coded
    int record = 0;  ///< elements from record to record, 0 if the tensor has no batch
    int time = 0;    ///< elements from position to position of the kernel's loop over time
    bool written = false;
    int stride[max_rank]{};  ///< elements per step of each loop, coded
};

/// The memory of a tensor.
struct Buffer {
    enum class Where : std::uint8_t { none, input, output, parameter, state, fixed, batched };
    Where where{};
    int offset = 0;  ///< fixed: elements; batched: elements per record; otherwise the position of the tensor
    int pitch = 0;   ///< elements from row to row (last axis), at least the extent
    bool padded = false;
    Shape shape{};
};

/// A loop over time, which repeats several kernels for each position.
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
    int fixed_size = 0;    ///< number of elements
    int batched_size = 0;  ///< number of elements per record
    int stages = 0;
    int lanes = 1;  ///< number of elements in a vector of the device
};

constexpr int round_up(int n, int to) { return (n + to - 1) / to * to; }

/// Returns the elements from row to row of a stored tensor: whole vectors, so that kernels need no tails. A distance of
/// a multiple of 2 KB would use only few sets of the cache, so a cache line is added.
constexpr int row_pitch(const Shape& s, int lanes) {
    if (s.last() <= 1) return 1;
    const int whole = round_up(s.last(), lanes);
    return whole % 512 == 0 ? whole + 16 : whole;
}
/// Returns the number of elements (per record if batched) of a tensor that is stored with the given pitch.
constexpr int stored_count(const Shape& s, int pitch) {
    return s.last() < 0 ? static_cast<int>(s.count()) : static_cast<int>(s.count() / s.last()) * pitch;
}
/// Returns the number of elements of a tensor in the arena: without a batch it is rounded up to cache lines of floats.
constexpr int footprint(const Shape& s, int pitch) {
    return s.rank == 0 ? 16 : s.batched() ? stored_count(s, pitch) : round_up(stored_count(s, pitch), 16);
}

/// An argument of a kernel, before its tensor has a place in memory.
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
