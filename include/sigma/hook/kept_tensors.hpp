// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/hook/selection.hpp>
#include <sigma/hook/trainer_view.hpp>
#include <sigma/network/model_store.hpp>

#include <cstddef>
#include <vector>

namespace sigma::detail {

/// f(model) of whatever element type.
template <class F>
decltype(auto) with_model(const AnyStore& store, F f) {
    return store.single != nullptr ? f(*store.single) : f(*store.wide);
}
inline const NetworkTable& network_of(const AnyStore& store) {
    return with_model(store, [](const auto& model) -> const NetworkTable& { return model.network(); });
}

/// Calls f(count, element) for each row of a tensor, where element(k) is a double.
template <class T, class F>
void visit_rows(const Shape& shape, const T* x, std::ptrdiff_t stride, F f) {
    const auto columns = static_cast<std::size_t>(shape.last());
    const auto rows = static_cast<std::ptrdiff_t>(static_cast<std::size_t>(shape.count()) / columns);
    for (std::ptrdiff_t r = 0; r < rows; ++r)
        f(columns, [row = x + r * stride](std::size_t k) { return static_cast<double>(row[k]); });
}

/// The same for tensors of a selection. False where the step before was not kept, so that there is nothing to visit.
template <class F>
bool visit_tensors(TrainerView& trainer, TensorKind kind, const std::vector<int>& positions, F f) {
    return with_model(trainer.parameters(), [&]<class T>(const ModelStore<T>& model) {
        for (const int p : positions) {
            const Shape& shape = model.network().parameters[p].shape;
            if (kind == TensorKind::parameters) {
                visit_rows(shape, model.parameter_data(p), model.pitch(p), f);
                continue;
            }
            const KeptTensor kept = kind == TensorKind::gradients ? trainer.gradient(p) : trainer.before(p);
            if (kept.data == nullptr) return false;
            const auto* y = static_cast<const T*>(kept.data);
            if (kind == TensorKind::gradients) {
                f(static_cast<std::size_t>(shape.count()), [y](std::size_t k) { return static_cast<double>(y[k]); });
                continue;
            }
            const auto columns = static_cast<std::size_t>(shape.last());
            const std::size_t rows = static_cast<std::size_t>(shape.count()) / columns;
            for (std::size_t r = 0; r < rows; ++r)
                f(columns, [x = model.parameter_data(p) + r * static_cast<std::size_t>(model.pitch(p)),
                            z = y + r * static_cast<std::size_t>(kept.stride)](std::size_t k) {
                    return static_cast<double>(x[k]) - static_cast<double>(z[k]);
                });
        }
        return true;
    });
}

}  // namespace sigma::detail
