// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/digits.hpp>
#include <sigma/core/error.hpp>
#include <sigma/hook/moment.hpp>
#include <sigma/storage/safetensors.hpp>

#include <string>

namespace sigma::detail {

/// How far a trainer has come, as numbers.
struct RunRecord {
    std::uint64_t epoch = 0, iteration = 0;
    std::uint64_t batch = 0;  ///< steps taken in this epoch
    double total = 0;         ///< Σ loss · records of this epoch
    std::uint64_t seen = 0;   ///< records of this epoch
    double loss = 0, error = 0;
    MomentCounts counts{};

    /// f(name, number) for each.
    void visit(auto f) {
        f("epoch", epoch);
        f("iteration", iteration);
        f("batch", batch);
        f("total", total);
        f("seen", seen);
        f("loss", loss);
        f("error", error);
        for (int m = 0; m < moment_count; ++m) {
            const auto moment = static_cast<Moment>(m);
            f(sentence("count.", text(moment)), counts[moment]);
        }
    }
};

/// A number in the metadata of a file.
template <class X>
X number_from(const SafetensorsFile& file, const std::string& key) {
    const std::string* text = file.metadata(key);
    if (text == nullptr) throw DataError(file.path(), "metadata", sentence("'", key, "'"), "none");
    X x{};
    if (!read_number(*text, x))
        throw DataError(file.path(), sentence("metadata '", key, "'"), "a number", sentence("'", *text, "'"));
    return x;
}

}  // namespace sigma::detail
