// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/list.hpp>
#include <sigma/core/shape.hpp>
#include <sigma/tape/operation.hpp>

#include <bit>
#include <cstdint>
#include <type_traits>

namespace sigma {
struct Variable;
}

namespace sigma::detail {

/// The part of a training step that an operation belongs to.
enum class StepPart : std::uint8_t { forward, backward, update };
/// The layer that an operation was traced for, and the part of the step, for profiles.
struct Origin {
    short layer = -1;  ///< position in NetworkTable::layers; behind the last layer a cost; -1: none
    StepPart part = StepPart::forward;
    bool known = false;
};

/// A value of the program: an operation, its operands (positions on the tape, or -1) and its shape.
struct Node {
    Operation operation{};
    int a = -1, b = -1, c = -1;
    Shape shape{};
    double constant = 0;
    /// iota, argmax: axis. uniform: stream. slice, pad, concatenate: axis and first index (see `axis_of`).
    /// permute: four bits an axis. products: 1 if leading axes are kept apart (one product each).
    /// step, stack: number of the loop; carry: the loop and the number of the carry (see `loop_of`).
    /// convolutions and poolings: their geometry. Blocks: 1 if transposed or in descending order; custom
    /// operations: the number of their part (see custom_functions.hpp).
    std::uint64_t attribute = 0;
    Origin origin{};  ///< no part of the value: equal nodes may differ in it

    constexpr int operand(int which) const { return which == 0 ? a : which == 1 ? b : c; }

    friend constexpr bool operator==(const Node& x, const Node& y) {
        return x.operation == y.operation && x.a == y.a && x.b == y.b && x.c == y.c && x.attribute == y.attribute &&
               std::bit_cast<std::uint64_t>(x.constant) == std::bit_cast<std::uint64_t>(y.constant) &&
               x.shape == y.shape;
    }
};

constexpr std::uint64_t axis_and_first(int axis, int first) {
    return static_cast<std::uint64_t>(axis) | static_cast<std::uint64_t>(static_cast<std::uint32_t>(first)) << 8;
}
constexpr int axis_of(const Node& n) { return static_cast<int>(n.attribute & 255); }
constexpr int first_of(const Node& n) { return static_cast<int>(n.attribute >> 8); }
/// Returns the axis of the operand that becomes axis `i` of a permutation's result.
constexpr int source_axis(const Node& n, int i) { return static_cast<int>(n.attribute >> (4 * i) & 15); }

constexpr int loop_of(const Node& n) { return static_cast<int>(n.attribute & 0xFFFF); }

/// A part of the program that is repeated for every position along time, forwards or backwards. Its nodes are on the
/// tape once.
struct Loop {
    int count = 0;
    bool backwards = false;
};

/// A gradient that a user has written: the gradients of a value's operands, from the operands, the value and its
/// gradient. A node of `stop_gradient` stands for the value; its attribute is the number of the rule, from 1.
struct GradientRule {
    static constexpr int most = 8;  ///< operands
    List<Variable> (*gradients)(const List<Variable>& operands, Variable value, Variable gradient) = nullptr;
    int operands[most]{}, count = 0;
};

/// The base of classes that trace a program onto a tape and keep more about it.
struct Tracer {};
/// A pointer to the tracer of a tape. It does not follow when the tape is copied or moved.
struct TracerPointer {
    Tracer* tracer = nullptr;

    constexpr TracerPointer() = default;
    constexpr TracerPointer(const TracerPointer&) {}
    constexpr TracerPointer& operator=(const TracerPointer&) { return *this; }
    constexpr TracerPointer& operator=(Tracer* t) {
        tracer = t;
        return *this;
    }
    constexpr Tracer& operator*() const { return *tracer; }
};

/// A program in static single assignment form. With `sharing`, equal nodes are one node (common subexpressions are
/// unified when they are written); with `identities`, the operators of `variable.hpp` simplify algebraically.
class Tape {
public:
    bool sharing = true, identities = true;
    Origin origin{-1, StepPart::forward, true};  ///< the origin of nodes that are added from here on
    TracerPointer tracer{};                      ///< found from any variable, by code that knows its class

    constexpr int size() const { return nodes_.size(); }
    constexpr const Node& operator[](int i) const { return nodes_[i]; }
    constexpr const Node* begin() const { return nodes_.begin(); }
    constexpr const Node* end() const { return nodes_.end(); }

    /// Adds a leaf of its own, even if the tape has an equal one.
    constexpr int leaf(Operation operation, const Shape& shape, std::uint64_t attribute = 0) {
        return push({operation, -1, -1, -1, shape, 0, attribute});
    }
    /// Sets the number of a leaf that was added before its number was known.
    constexpr void renumber(int of, std::uint64_t attribute) { nodes_[of].attribute = attribute; }
    constexpr int emit_unshared(const Node& n) { return push(n); }
    constexpr int put(const Node& n) { return std::is_constant_evaluated() ? emitted(n) : emit_now(n); }

    constexpr int add_loop(Loop loop) { return loops_.push(loop); }
    constexpr const List<Loop>& loops() const { return loops_; }

    /// Adds a value with the operand's numbers and a gradient of its own.
    constexpr int add_rule(const GradientRule& rule, int operand) {
        const auto number = static_cast<std::uint64_t>(rules_.push(rule)) + 1;
        return push({Operation::stop_gradient, operand, -1, -1, nodes_[operand].shape, 0, number});
    }
    /// Returns the rule of a node, or null if it has none.
    constexpr const GradientRule* rule(const Node& n) const {
        if (n.operation != Operation::stop_gradient || n.attribute == 0) return nullptr;
        return &rules_[static_cast<int>(n.attribute) - 1];
    }

private:
    /// Emits a node at run time: compiled once, not into each formula.
    [[gnu::cold]] int emit_now(const Node& n);
    /// Adds a node. A copy of another tape's node keeps its origin.
    constexpr int push(const Node& n) {
        const int i = nodes_.push(n);
        if (!n.origin.known) nodes_[i].origin = origin;
        return i;
    }
    constexpr int emitted(const Node& n) {
        if (!sharing) return push(n);
        if (2 * (nodes_.size() + 1) > slots_.size()) rehash(slots_.empty() ? 64 : 2 * slots_.size());
        int& slot = slots_[find(n)];
        if (slot < 0) slot = push(n);
        return slot;
    }

    List<Loop> loops_;
    List<GradientRule> rules_;
    List<Node> nodes_;
    List<int> slots_;

    static constexpr bool shared(Operation o) {
        return o > Operation::state && o != Operation::uniform && o != Operation::copy && o != Operation::advance;
    }
    static constexpr unsigned hash(const Node& n) {
        const auto bits = std::bit_cast<std::uint64_t>(n.constant) ^ n.attribute * 0x9E3779B97F4A7C15u;
        unsigned h = static_cast<unsigned>(n.operation) * 0x9E3779B1u;
        h = (h ^ static_cast<unsigned>(n.a)) * 0x85EBCA6Bu;
        h = (h ^ static_cast<unsigned>(n.b)) * 0xC2B2AE35u;
        h = (h ^ static_cast<unsigned>(n.c) ^ static_cast<unsigned>(bits >> 32) ^ static_cast<unsigned>(bits)) *
            0x27D4EB2Fu;
        return h ^ h >> 15;
    }
    constexpr int find(const Node& n) const {
        const unsigned mask = static_cast<unsigned>(slots_.size()) - 1;
        unsigned h = hash(n) & mask;
        while (true) {
            const int at = slots_[static_cast<int>(h)];
            if (at < 0 || nodes_[at] == n) return static_cast<int>(h);
            h = (h + 1) & mask;
        }
    }
    constexpr void rehash(int capacity) {
        slots_ = List<int>(capacity, -1);
        for (int i = 0; i < nodes_.size(); ++i)
            if (shared(nodes_[i].operation)) slots_[find(nodes_[i])] = i;
    }
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/tape/impl/tape.ipp>
#endif
