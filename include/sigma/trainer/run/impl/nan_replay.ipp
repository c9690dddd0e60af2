// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/execution/debug.hpp>
#include <sigma/network/parameter_rows.hpp>
#include <sigma/trainer/run/nan_replay.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

namespace sigma::detail {

template <class T>
NanReplay<T>::NanReplay(int scalars, std::size_t steps) : scalars_each_(static_cast<std::size_t>(scalars)) {
    make_room(steps);
}
template <class T>
void NanReplay<T>::make_room(std::size_t steps) {
    scalars_.reserve(scalars_each_ * steps);
}
template <class T>
NanReplay<T>::~NanReplay() = default;

template <class T>
void NanReplay<T>::begin(std::uint64_t first_batch, std::uint64_t iterations, std::span<const T> parameters,
                         std::span<const T> states) {
    first_batch_ = first_batch;
    iterations_ = iterations;
    parameters_.assign(parameters.begin(), parameters.end());
    states_.assign(states.begin(), states.end());
    scalars_.clear();
}

template <class T>
void NanReplay<T>::restore(std::span<T> parameters, std::span<T> states) const {
    std::ranges::copy(parameters_, parameters.begin());
    std::ranges::copy(states_, states.begin());
}

template <class T>
double* NanReplay<T>::note() {
    scalars_.resize(scalars_.size() + scalars_each_);
    return scalars_.data() + (scalars_.size() - scalars_each_);
}

template <class T>
const double* NanReplay<T>::scalars(std::uint64_t of_batch) const {
    return scalars_.data() + static_cast<std::size_t>(of_batch - first_batch_) * scalars_each_;
}

template <class T>
std::string NanReplay<T>::find_parameter(const Store& model) {
    for (int p = 0; p < model.network().parameters.size(); ++p)
        if (!finite(model, p)) {
            const std::string_view name = model.network().parameters[p].name.view();
            return std::string(name.substr(0, name.find('.')));
        }
    return "";
}

template <class T>
const StateRecord* NanReplay<T>::find_state(detail::StepCore<T>& step) {
    const ListView<StateRecord> table = step.state_table();
    for (int s = 0; s < table.size(); ++s) {
        const Shape& shape = table[s].shape;
        const auto rows = rows_of(step.dual_buffer().read(s), shape, step.pitch(s));
        for (std::size_t r = 0; r < rows.count; ++r)
            if (!all_finite(rows[r])) return &table[s];
    }
    return nullptr;
}

template <class T>
std::string NanReplay<T>::find_layer(const Store& model, const NetworkTape& network, detail::Rows<T> inputs,
                                     detail::Rows<T> targets, std::ptrdiff_t records) {
    const NetworkTable& table = model.network();
    const auto values = detail::debug_values(model, network, inputs, targets, records);
    const auto finite_at = [&](int node) { return all_finite(values[static_cast<std::size_t>(node)]); };
    for (int i = 0; i < table.layers.size(); ++i) {
        const std::string name(table.layers[i].name.view());
        for (int p = 0; p < table.parameters.size(); ++p)
            if (table.parameters[p].name.view().starts_with(name + ".") && !finite(model, p)) return name;
        if (!finite_at(network.layers[i])) return name;
    }
    for (int i = 0; i < table.costs.size() && table.costs.size() > 1; ++i)
        if (!finite_at(network.costs[i])) return std::string(table.costs[i].name.view());
    return "";
}

template <class T>
bool NanReplay<T>::all_finite(std::span<const T> values) {
    bool all = true;  // no early exit, so that the compiler can vectorize the loop
    for (const T x : values) all &= std::abs(x) <= std::numeric_limits<T>::max();
    return all;
}

template <class T>
bool NanReplay<T>::finite(const Store& model, int parameter) {
    const auto rows = parameter_rows(model, parameter);
    for (std::size_t r = 0; r < rows.count; ++r)
        if (!all_finite(rows[r])) return false;
    return true;
}

}  // namespace sigma::detail

SIGMA_INSTANTIATE(class sigma::detail::NanReplay);
