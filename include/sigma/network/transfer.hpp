// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Copying parameters from one model to another: transfer, merge_lora. Included by `<sigma/sigma.hpp>`.
#include <sigma/network/model.hpp>
#include <sigma/network/parameter_choice.hpp>

namespace sigma {

/// Selects which parameters are copied or read.
/// @see transfer, load_parameters
enum class Transfer {
    whole,   ///< All matching parameters. Both sides must have the same ones.
    common,  ///< The matching parameters that both sides have, with the same name and the same shape.
};

namespace detail {

template <class X>
concept HasModel = requires(X& x) { x.model(); };
template <class X>
auto& model_of(X& x) {
    if constexpr (HasModel<X>) return x.model();
    else return x;
}
/// Copies parameters between models of float and double.
template <class F, class T>
int transfer_parameters(const ModelStore<F>& from, ModelStore<T>& to, const ParameterChoice& choice, Transfer how);
/// Copies the parameters that the target has, with the adaptations by `lora`.
template <class F, class T>
int merge_adapters(const ModelStore<F>& from, ModelStore<T>& to);

}  // namespace detail

/// Copies parameters from one model to another. The networks and the element types may differ.
///
/// If all parameters are copied (pattern `*` and `Transfer::whole`), the names of the classes are copied, too. After an
/// error the target is unchanged.
///
/// @param from     the source
/// @param to       the target
/// @param choice   a pattern of names, in which `*` stands for any characters, or a function. Default: all.
/// @param how      `Transfer::whole`: both models must have the same matching parameters (default).
///                 `Transfer::common`: copies those that both have.
/// @return the number of parameters that were copied
/// @throws MismatchError  with `Transfer::whole`, if a parameter is missing in one model or has another shape, or no
///                        parameter matches. Also if the target has other names of classes.
///
/// @par Example
/// @code
/// struct Letters : Network<Input(28, 28) + Dense(128, relu) + Dense(26) + SoftmaxCE()> {};
/// Model<Letters> letters(1);
/// transfer(model, letters, "1-dense.*");
/// @endcode
template <AnyNetwork From, class F, AnyNetwork To, class T>
int transfer(const Model<From, F>& from, Model<To, T>& to, const ParameterChoice& choice = "*",
             Transfer how = Transfer::whole) {
    return detail::transfer_parameters<F, T>(from, to, choice, how);
}

/// Copies parameters from or to an object with a model, such as a trainer: `transfer(model, trainer, "1-*")`.
/// @param from     a model, or an object with a member function `model()`
/// @param to       a model, or an object with a member function `model()`
/// @param choice   a pattern of names, in which `*` stands for any characters, or a function. Default: all.
/// @param how      see the overload for models
/// @return the number of parameters that were copied
template <class From, class To>
    requires(detail::HasModel<From> || detail::HasModel<To>)
int transfer(const From& from, To& to, const ParameterChoice& choice = "*", Transfer how = Transfer::whole) {
    return transfer(detail::model_of(from), detail::model_of(to), choice, how);
}

/// Copies the parameters of a network with `lora` into the same network without `lora`, and adds scale·A·B to each
/// adapted W. Both networks predict the same up to rounding. The merged network predicts without the additional
/// products.
///
/// The names of the classes are copied, too. After an error the target is unchanged.
///
/// @param adapted  a model of a network with `lora`
/// @param plain    a model of the same network without `lora`
/// @return the number of parameters that were copied
/// @throws MismatchError  if `adapted` lacks a parameter of `plain`, or has it with another shape, or `plain` has other
///                        names of classes
///
/// @par Example
/// @code
/// constexpr auto body = 2 * Dense(128, relu) + Dense(10);
/// struct Plain : Network<Input(28, 28) + body + SoftmaxCE()> {};
/// struct Adapted : Network<Input(28, 28) + lora(4, body) + SoftmaxCE()> {};
/// Model<Adapted> adapted(1);
/// Model<Plain> plain(2);
/// merge_lora(adapted, plain);
/// @endcode
///
/// @see lora
template <AnyNetwork From, class F, AnyNetwork To, class T>
int merge_lora(const Model<From, F>& adapted, Model<To, T>& plain) {
    return detail::merge_adapters<F, T>(adapted, plain);
}
/// Merges from or to an object with a model, such as a trainer: `merge_lora(trainer, plain)`.
/// @param adapted  a model, or an object with a member function `model()`
/// @param plain    a model, or an object with a member function `model()`
/// @return the number of parameters that were copied
template <class From, class To>
    requires(detail::HasModel<From> || detail::HasModel<To>)
int merge_lora(const From& adapted, To& plain) {
    return merge_lora(detail::model_of(adapted), detail::model_of(plain));
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/network/impl/transfer.ipp>
#endif
