// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>
#include <sigma/hook/moment.hpp>
#include <sigma/storage/safetensors.hpp>

#include <array>
#include <charconv>
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

/// Numbers in the metadata of a file: as short as possible, and the same when read again.
template <class X>
std::string number_text(X x) {
    std::array<char, 40> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), x).ptr;
    return {digits.data(), end};
}
template <class X>
X number_from(const SafetensorsFile& file, const std::string& key) {
    const std::string* text = file.metadata(key);
    if (text == nullptr) throw DataError(file.path(), "metadata", sentence("'", key, "'"), "none");
    X x{};
    const auto [end, fault] = std::from_chars(text->data(), text->data() + text->size(), x);
    if (fault != std::errc() || end != text->data() + text->size())
        throw DataError(file.path(), sentence("metadata '", key, "'"), "a number", sentence("'", *text, "'"));
    return x;
}

}  // namespace sigma::detail
