// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/network/parameter_rows.hpp>
#include <sigma/trainer/last_sound.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

namespace sigma::detail {

template <class T>
LastSound<T>::~LastSound() = default;

template <class T>
void LastSound<T>::begin(std::uint64_t first_batch, std::uint64_t iterations, std::span<const T> parameters,
                         std::span<const T> states) {
    first_batch_ = first_batch;
    iterations_ = iterations;
    parameters_.assign(parameters.begin(), parameters.end());
    states_.assign(states.begin(), states.end());
}

template <class T>
void LastSound<T>::restore(std::span<T> parameters, std::span<T> states) const {
    std::ranges::copy(parameters_, parameters.begin());
    std::ranges::copy(states_, states.begin());
}

template <class T>
std::string LastSound<T>::find_parameter(const ModelStore<T>& model) {
    for (int p = 0; p < model.network().parameters.size(); ++p)
        if (!finite(model, p)) {
            const std::string_view name = model.network().parameters[p].name.view();
            return std::string(name.substr(0, name.find('.')));
        }
    return "";
}

template <class T>
std::string LastSound<T>::find_layer(const ModelStore<T>& model, const std::vector<std::vector<T>>& outputs) {
    const NetworkTable& network = model.network();
    for (int i = 0; i < network.layers.size(); ++i) {
        const std::string name(network.layers[i].name.view());
        for (int p = 0; p < network.parameters.size(); ++p)
            if (network.parameters[p].name.view().starts_with(name + ".") && !finite(model, p)) return name;
        if (!all_finite(outputs[static_cast<std::size_t>(i)])) return name;
    }
    return "";
}

template <class T>
bool LastSound<T>::all_finite(std::span<const T> values) {
    bool all = true;  // without an early end, so that it can become vector code
    for (const T x : values) all &= std::abs(x) <= std::numeric_limits<T>::max();
    return all;
}

template <class T>
bool LastSound<T>::finite(const ModelStore<T>& model, int parameter) {
    const auto rows = parameter_rows(model, parameter);
    for (std::size_t r = 0; r < rows.count; ++r)
        if (!all_finite(rows[r])) return false;
    return true;
}

}  // namespace sigma::detail

#ifdef SIGMA_COMPILED
template class sigma::detail::LastSound<float>;
template class sigma::detail::LastSound<double>;
#endif
