// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/network/model.hpp>

#include <string_view>

namespace sigma {

enum class Transfer {
    whole,   ///< both networks must have the same parameters that match
    common,  ///< those that both have, under the same name and of the same shape
};

namespace detail {

template <class X>
concept HasModel = requires(X& x) { x.model(); };
template <class X>
auto& model_of(X& x) {
    if constexpr (HasModel<X>) return x.model();
    else return x;
}
/// Of float and double, each from each.
template <class F, class T>
int transfer_parameters(const ModelStore<F>& from, ModelStore<T>& to, std::string_view pattern, Transfer how);

}  // namespace detail

/// Copies the parameters whose names match the pattern from one model to another, of the same or another network and
/// element type. Returns how many. Throws MismatchError, before anything is copied, where a parameter is missing on
/// either side or has another shape. A whole model, `*` and Transfer::whole, goes with the names of its classes, and is
/// refused by one that has others.
template <AnyNetwork From, class F, AnyNetwork To, class T>
int transfer(const Model<From, F>& from, Model<To, T>& to, std::string_view pattern = "*",
             Transfer how = Transfer::whole) {
    return detail::transfer_parameters<F, T>(from, to, pattern, how);
}

/// The same from or to what has a model, a trainer for instance: transfer(coder, trainer, "1-*").
template <class From, class To>
    requires(detail::HasModel<From> || detail::HasModel<To>)
int transfer(const From& from, To& to, std::string_view pattern = "*", Transfer how = Transfer::whole) {
    return transfer(detail::model_of(from), detail::model_of(to), pattern, how);
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/network/impl/transfer.ipp>
#endif
