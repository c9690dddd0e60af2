// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owners.hpp>
#include <sigma/hook/comparison.hpp>
#include <sigma/hook/selection.hpp>

namespace sigma {

namespace detail {

/// What is computed from all elements of all tensors of a selection together.
enum class Quantity : unsigned char { norm, largest_magnitude, mean, deviation, share_of_zeros, share_from };

detail::SharedOwner<Derived> make_tensor_value(SelectedTensors tensors, Quantity quantity, double bound);

}  // namespace detail

/// A number made of tensors of the network. New each iteration; computed when a hook reads it, once for all hooks of a
/// moment. Those of gradients and updates are NaN when no step has just been taken for which they were kept, as in
/// hooks that wait for a start.
template <class S>
struct TensorValue : DerivedValue<TensorValue<S>> {
    using Sources = Types<>;
    static constexpr Moment moment = Moment::iteration;
    static constexpr detail::Wants wants = S::wants;

    TensorValue(const S& selection, detail::Quantity quantity, double bound = 0)
        : DerivedValue<TensorValue>(detail::make_tensor_value(selection.tensors(), quantity, bound)) {}
    template <class Trainer>
    static constexpr auto check() {
        return S::template check<Trainer>();
    }
};

/// √Σx² over all elements of the tensors
template <TensorKind kind, Text name>
auto norm(const detail::Selection<kind, name>& s) {
    return TensorValue<detail::Selection<kind, name>>(s, detail::Quantity::norm);
}
template <TensorKind kind, Text name>
auto mean_of(const detail::Selection<kind, name>& s) {
    return TensorValue<detail::Selection<kind, name>>(s, detail::Quantity::mean);
}
/// √(Σ(x − mean)² / (n − 1)), that of a sample; NaN of a single element
template <TensorKind kind, Text name>
auto deviation(const detail::Selection<kind, name>& s) {
    return TensorValue<detail::Selection<kind, name>>(s, detail::Quantity::deviation);
}
/// max |x|
template <TensorKind kind, Text name>
auto largest_magnitude(const detail::Selection<kind, name>& s) {
    return TensorValue<detail::Selection<kind, name>>(s, detail::Quantity::largest_magnitude);
}
/// Share of the elements that are 0, or whose magnitude is at most `bound`.
template <TensorKind kind, Text name>
auto share_of_zeros(const detail::Selection<kind, name>& s, double bound = 0) {
    return TensorValue<detail::Selection<kind, name>>(s, detail::Quantity::share_of_zeros, bound);
}
/// Share of the elements whose magnitude is `bound` or more.
template <TensorKind kind, Text name>
auto share_from(const detail::Selection<kind, name>& s, double bound) {
    return TensorValue<detail::Selection<kind, name>>(s, detail::Quantity::share_from, bound);
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/tensor_values.ipp>
#endif
