// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/context.hpp>
#include <sigma/network/model_store.hpp>

namespace sigma::detail {

/// f(model) of whatever element type; for bodies.
template <class F>
decltype(auto) with_model(const AnyStore& store, F f) {
    return store.single != nullptr ? f(*store.single) : f(*store.wide);
}
inline const NetworkTable& network_of(const AnyStore& store) {
    return with_model(store, [](const auto& model) -> const NetworkTable& { return model.network(); });
}

}  // namespace sigma::detail
