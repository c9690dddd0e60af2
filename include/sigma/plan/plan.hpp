// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/list.hpp>
#include <sigma/core/shape.hpp>
#include <sigma/plan/kernel.hpp>
#include <sigma/tape/operation.hpp>
#include <sigma/tape/program.hpp>

namespace sigma::detail {

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
