// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../support.hpp"

#include <sigma/core/philox.hpp>
#include <sigma/data/transform/fitted.hpp>

#include <algorithm>
#include <cstring>
#include <limits>

inline constexpr float missing = std::numeric_limits<float>::quiet_NaN();

/// What a transform makes of records of one section, learned from themselves in blocks of `at_once`.
struct Transformed {
    std::vector<std::size_t> shape;
    std::vector<float> values;
    sigma::data::Preprocessing preprocessing;
};

inline sigma::data::Preprocessing learned(const std::vector<sigma::data::TransformStep>& steps,
                                          const std::string& section, const std::vector<std::size_t>& shape,
                                          const std::vector<float>& values, std::size_t at_once = 1000000) {
    const std::vector<sigma::data::SectionInfo> sections{{section, shape, false}};
    const std::size_t size = sections[0].size(), records = values.size() / size;
    return sigma::data::detail::learn(sections, steps, [&](const sigma::data::detail::BlockVisitor& visit) {
        for (std::size_t first = 0; first < records; first += at_once) {
            const std::size_t count = std::min(at_once, records - first);
            sigma::data::Block block{count, {{}}};
            block.values[0].append(values, first * size, count * size);
            visit(block);
        }
    });
}

template <class T>
Transformed transformed(const T& by, const std::vector<std::size_t>& shape, const std::vector<float>& values,
                        std::size_t at_once = 1000000) {
    const auto p = learned(by.steps(), "inputs", shape, values, at_once);
    const std::vector<sigma::data::SectionInfo> before{{"inputs", shape, false}};
    sigma::data::Block block{values.size() / before[0].size(), {values}};
    p.apply(block, before);
    return {p.sections(before)[0].shape, block.values[0].floats(), p};
}

inline std::vector<float> random_values(std::size_t count, float low, float high, std::uint64_t seed = 1) {
    std::vector<float> values(count);
    sigma::Philox(seed).fill_uniform(std::span(values), low, high);
    return values;
}

inline bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}
