// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>
#include <sigma/hook/value.hpp>

#include <cstdint>
#include <string>

namespace sigma::detail {

/// How far a trainer has come, as numbers.
struct RunRecord {
    std::uint64_t epoch = 0, iteration = 0;
    std::uint64_t batch = 0;  ///< steps taken in this epoch
    double total = 0;         ///< Σ loss · records of this epoch
    std::uint64_t seen = 0;   ///< records of this epoch
    double loss = 0, mean_loss = 0;
    MomentCounts counts{};

    /// f(name, number) for each.
    void visit(auto f) {
        f("epoch", epoch);
        f("iteration", iteration);
        f("batch", batch);
        f("total", total);
        f("seen", seen);
        f("loss", loss);
        f("error", mean_loss);
        for (int m = 0; m < moment_count; ++m) {
            const auto moment = static_cast<Moment>(m);
            f(sentence("count.", text(moment)), counts[moment]);
        }
    }
};

}  // namespace sigma::detail
