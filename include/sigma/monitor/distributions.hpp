// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

namespace sigma::monitor {

/// The finite numbers of a tensor at some iteration, counted in bins of the same width over [low, high].
struct Distribution {
    std::uint64_t iteration = 0;
    double low = 0, high = 0;  ///< +inf and -inf where no number is finite
    std::vector<std::uint64_t> counts{};

    Distribution() = default;
    Distribution(std::uint64_t at, std::span<const double> numbers, std::size_t bins);
};

/// Distributions over a run of any length in bounded memory: where there are too many, every second one of those is
/// left out, and from then on only every second one is kept. The last one is always there. For one thread.
class Distributions {
public:
    static constexpr std::size_t most = 80, bins = 48;

    /// Of a later iteration than the last. Where it is not, the run has gone back: those from it on are forgotten.
    /// Whether it is to be written, so that `restore` of what was written comes to the same: it is kept when later
    /// ones come, or says that the run has gone back.
    bool append(Distribution next);
    /// One of those that were to be written, in their order.
    void restore(Distribution next);
    /// From the oldest to the last.
    const std::deque<Distribution>& all() const { return kept_; }
    /// Does the last one go when a later one comes?
    bool last_is_passing() const { return since_ > 0; }

private:
    bool forget_from(std::uint64_t iteration);
    bool thin();

    std::deque<Distribution> kept_;
    std::uint64_t every_ = 1, since_ = 0;  ///< one of so many is kept; how many came since the last of them
};

}  // namespace sigma::monitor
