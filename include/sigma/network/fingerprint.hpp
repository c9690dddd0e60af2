// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/tape/program.hpp>

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

// Fingerprints of programs: numbers that distinguish networks with the same names and shapes of tensors. A fingerprint
// depends on the operations that lead to the results, and not on their places on the tape, because compilers choose the
// order of operands.
namespace sigma::detail {

constexpr std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 32;
}
constexpr std::uint64_t mixed(std::uint64_t hash, std::string_view text) {
    for (const char c : text) hash = mixed(hash, static_cast<unsigned char>(c));
    return hash;
}
/// Hashes of the names of operations. Numbers of operations would change when new ones are inserted. A template, so
/// that only programs with fingerprints compute the hashes.
template <int = 0>
inline constexpr auto operation_words = [] {
    std::array<std::uint64_t, operation_count> words{};
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = mixed(1, name(static_cast<Operation>(i)));
    return words;
}();

template <class Parameters>
class ProgramFingerprint {
public:
    constexpr ProgramFingerprint(const Tape& tape, const Parameters& parameters) : tape_(tape) {
        of_.reserve(tape.size());
        for (int i = 0, inputs = 0; i < tape.size(); ++i) {
            const Node& n = tape[i];
            if (n.operation == Operation::copy) {  // left by layers that do nothing
                of_.push(of_[n.a]);
                continue;
            }
            std::uint64_t h = operation_words<>[static_cast<std::size_t>(n.operation)];
            if (n.operation == Operation::parameter)
                h = mixed(h, parameters[static_cast<int>(n.attribute)].name.view());
            else if (n.operation == Operation::input) h = mixed(h, static_cast<std::uint64_t>(inputs++));
            else if (is_loop_value(n.operation)) h = mixed(h, loop_word(n));
            else if (n.operation == Operation::constant) h = mixed(h, std::bit_cast<std::uint64_t>(n.constant));
            else if (n.attribute != 0) h = mixed(h, n.attribute);
            for (int k = 0; k < n.shape.rank; ++k) h = mixed(h, static_cast<std::uint64_t>(n.shape[k]));
            if (n.a >= 0 && n.b >= 0 && is_commutative(n.operation)) {
                h = mixed(mixed(h, of_[n.a] < of_[n.b] ? of_[n.a] : of_[n.b]),
                          of_[n.a] < of_[n.b] ? of_[n.b] : of_[n.a]);
            } else {
                if (n.a >= 0) h = mixed(h, of_[n.a]);
                if (n.b >= 0) h = mixed(h, of_[n.b]);
                if (n.c >= 0) h = mixed(h, of_[n.c]);
            }
            of_.push(h);
            if (n.operation == Operation::advance) effects_ += h;  // no result's operand
        }
    }
    constexpr void result(int variable) { results_ = mixed(results_, of_[variable]); }
    /// Adds a side effect. The order of side effects does not matter.
    constexpr void effect(int variable, int value) { effects_ += mixed(of_[variable], of_[value]); }
    constexpr void fact(std::string_view text) { effects_ += mixed(2, text); }
    constexpr void fact(std::string_view text, double value) {
        effects_ += mixed(mixed(4, text), std::bit_cast<std::uint64_t>(value));
    }
    constexpr std::uint64_t value() const { return mixed(results_, effects_); }

private:
    const Tape& tape_;
    List<std::uint64_t> of_;
    std::uint64_t results_ = 3, effects_ = 0;

    /// Returns a hash of the loop's properties, which replaces its number, and of the number of the carried value.
    constexpr std::uint64_t loop_word(const Node& n) const {
        const Loop& loop = tape_.loops()[loop_of(n)];
        return static_cast<std::uint64_t>(loop.count) << 32 | (n.attribute >> 16 & 0xFFFF) << 1 |
               (loop.backwards ? 1u : 0u);
    }
};

}  // namespace sigma::detail
