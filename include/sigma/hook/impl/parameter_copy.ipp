// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/hook/parameter_copy.hpp>
#include <sigma/network/model_store.hpp>
#include <sigma/network/parameter_rows.hpp>

#include <cstring>
#include <span>

namespace sigma::detail {

/// Calls f(row, bytes before it) for each row of each parameter.
template <class M, class F>
void for_each_parameter_row(M& model, F f) {
    std::size_t at = 0;
    for (int p = 0; p < model.network().parameters.size(); ++p) {
        const auto rows = parameter_rows(model, p);
        for (std::size_t r = 0; r < rows.count; ++r) {
            f(rows[r], at);
            at += rows[r].size_bytes();
        }
    }
}
template <class T>
std::size_t parameter_bytes(const ModelStore<T>& model) {
    std::size_t elements = 0;
    for (const ParameterRecord& r : model.network().parameters) elements += static_cast<std::size_t>(r.shape.count());
    return elements * sizeof(T);
}

SIGMA_IMPL void ParameterCopy::archive(Archive& a) { a.tensor(bytes_); }

SIGMA_IMPL void ParameterCopy::take(const AnyStore& model) {
    with_model(model, [this]<class T>(const ModelStore<T>& m) {
        bytes_.resize(parameter_bytes(m));
        for_each_parameter_row(m, [this](std::span<const T> row, std::size_t at) {
            std::memcpy(&bytes_[at], row.data(), row.size_bytes());
        });
    });
}

SIGMA_IMPL void ParameterCopy::put(const AnyStore& model) const {
    with_model(model, [this]<class T>(ModelStore<T>& m) {
        if (bytes_.size() != parameter_bytes(m))
            throw MismatchError("copy of parameters", sentence(parameter_bytes(m), " bytes"), sentence(bytes_.size()));
        m.write([&] {
            for_each_parameter_row(m, [this](std::span<T> row, std::size_t at) {
                std::memcpy(row.data(), &bytes_[at], row.size_bytes());
            });
        });
    });
}

}  // namespace sigma::detail
