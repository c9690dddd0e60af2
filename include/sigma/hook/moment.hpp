// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

namespace sigma {

/// What happens in the life of a trainer. Iterations and epochs count when they are complete; the others when the run
/// begins, ends, halts and goes on, and when the trainer goes back to its beginning.
enum class Moment { iteration, epoch, start, stop, pause, resume, reset };

namespace detail {

inline constexpr int moment_count = 7;

constexpr std::string_view text(Moment m) {
    constexpr std::string_view words[] = {"iteration", "epoch", "start", "stop", "pause", "resume", "reset"};
    return words[static_cast<int>(m)];
}

}  // namespace detail

/// How often each has happened since the trainer was made or reset.
class MomentCounts {
public:
    std::uint64_t operator[](Moment m) const { return counts_[static_cast<std::size_t>(m)]; }
    std::uint64_t& operator[](Moment m) { return counts_[static_cast<std::size_t>(m)]; }

private:
    std::array<std::uint64_t, detail::moment_count> counts_{};
};

/// A set of moments.
struct MomentSet {
    unsigned bits = 0;

    constexpr MomentSet() = default;
    constexpr MomentSet(Moment m) : bits(1u << static_cast<int>(m)) {}
    constexpr bool has(Moment m) const { return (bits >> static_cast<int>(m) & 1) != 0; }
    constexpr bool empty() const { return bits == 0; }
    friend constexpr MomentSet operator|(MomentSet a, MomentSet b) {
        a.bits |= b.bits;
        return a;
    }
    friend constexpr bool operator==(MomentSet, MomentSet) = default;
};

}  // namespace sigma
