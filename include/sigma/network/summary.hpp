// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/network/model.hpp>

#include <cstdio>
#include <string>

namespace sigma {

namespace detail {
inline std::string cell(std::string text, std::size_t width, bool left = false) {
    if (text.size() >= width) return text;
    return left ? text + std::string(width - text.size(), ' ') : std::string(width - text.size(), ' ') + text;
}
inline std::string extents_text(const Shape& s) {
    std::string text = "(";
    for (int i = 0; i < s.rank; ++i) text += (i ? ", " : "") + (s[i] == batch ? std::string("batch") : std::to_string(s[i]));
    return text + ")";
}
}  // namespace detail

/// A table of a network: each layer with the shape of its output, its parameters, the bytes its output takes and its
/// multiply-adds per record; then the totals, with the arena of prediction for one record.
template <AnyNetwork N, class T = float>
std::string summary() {
    constexpr auto& records = detail::NetworkRecords<N>::records;
    using detail::cell;
    const auto line = [](const std::string& layer, const std::string& shape, const std::string& parameters,
                         const std::string& bytes, const std::string& work) {
        return cell(layer, 18, true) + cell(shape, 22, true) + cell(parameters, 12) + cell(bytes, 14) + cell(work, 16) + "\n";
    };
    std::string text = line("layer", "output", "parameters", "bytes/record", "multiply-adds");
    text += std::string(82, '-') + "\n";
    long long parameters = 0, work = 0;
    for (int i = 0; i < records.layers.size(); ++i) {
        const LayerRecord& r = records.layers[i];
        parameters += r.parameters;
        work += records.multiply_adds[i];
        text += line(std::string(r.name.view()), detail::extents_text(r.output), std::to_string(r.parameters),
                     std::to_string(r.output.count() * static_cast<long long>(sizeof(T))), std::to_string(records.multiply_adds[i]));
    }
    text += line(std::to_string(records.layers.size()) + "-" + std::string(N::Loss::kind.view()), "()", "0", std::to_string(sizeof(T)), "0");
    text += std::string(82, '-') + "\n";
    text += line("total", "", std::to_string(parameters), std::to_string(Model<N, T>::prediction_bytes(1)) + " arena", std::to_string(work));
    return text;
}
template <AnyNetwork N>
std::string summary(const N&) {
    return summary<N>();
}

}  // namespace sigma
