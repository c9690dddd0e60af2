// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Histograms of a tensor over a run, in bounded memory. Included by `<sigma/monitor/run_folder.hpp>`.
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

namespace sigma::monitor {

/// A histogram of the finite values of a tensor at one iteration.
///
/// @par Example
/// @code
/// const std::vector<double> numbers{0, 1, 1, 2};
/// monitor::Distribution found(120, numbers, 2);  // low 0, high 2, counts {1, 3}
/// @endcode
/// @see Distributions
struct Distribution {
    std::uint64_t iteration = 0;          ///< Iteration at which the tensor was read.
    double low = 0;                       ///< Smallest finite value; +inf if no value is finite.
    double high = 0;                      ///< Largest finite value; -inf if no value is finite.
    std::vector<std::uint64_t> counts{};  ///< Number of values in each bin. The bins divide [low, high] equally.

    /// Constructs a histogram without bins.
    Distribution() = default;
    /// Constructs the histogram of some numbers.
    /// @param at       iteration at which the numbers were read
    /// @param numbers  the numbers; those that are not finite are not counted
    /// @param bins     number of bins, at least 1
    Distribution(std::uint64_t at, std::span<const double> numbers, std::size_t bins);
};

/// The histograms of a tensor over a run of any length, in bounded memory.
///
/// Keeps at most 80 histograms: if there are more, drops every second one, and from then on keeps only every second one
/// that is appended. The newest is always kept. Not thread-safe.
///
/// @par Example
/// @code
/// const std::vector<double> numbers{0, 1};
/// monitor::Distributions kept;
/// kept.append(monitor::Distribution(10, numbers, 48));
/// kept.all().back().iteration;  // 10
/// @endcode
/// @see KeptRun
class Distributions {
public:
    static constexpr std::size_t most = 80;  ///< Maximum number of histograms that are kept.
    static constexpr std::size_t bins = 48;  ///< Number of bins that a monitor uses, and the maximum in a file.

    /// Appends a histogram. If its iteration is not later than the newest one, the run was reset to an earlier
    /// iteration, and all histograms from this iteration on are removed first.
    /// @param next  the histogram
    /// @return true if the histogram must be written to disk, so that `restore` of all written ones gives the same
    /// result
    bool append(Distribution next);
    /// Returns the kept histograms, from the oldest to the newest.
    /// @return the histograms
    const std::deque<Distribution>& all() const { return kept_; }
    /// @cond internal
    /// Adds a histogram that `append` returned true for; call it in their order.
    void restore(Distribution next);
    /// Returns whether the newest histogram is dropped when a later one is appended.
    bool last_is_passing() const { return since_ > 0; }
    /// @endcond

private:
    bool forget_from(std::uint64_t iteration);
    bool thin();

    std::deque<Distribution> kept_;
    std::uint64_t every_ = 1, since_ = 0;  ///< every `every_`-th is kept; number appended since the last kept one
};

}  // namespace sigma::monitor
