// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Values of parameters, gradients, updates and outputs of layers: norms, means, shares. Included by
/// `<sigma/sigma.hpp>`.
#include <sigma/core/owners.hpp>
#include <sigma/core/text.hpp>
#include <sigma/hook/criterion.hpp>
#include <sigma/hook/value.hpp>
#include <sigma/network/table.hpp>
#include <sigma/network/use_mistakes.hpp>
#include <sigma/tape/mistake.hpp>

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace sigma {

/// The kinds of tensors that values can read.
///
/// @see norm
enum class TensorKind {
    parameters,  ///< the parameters
    gradients,   ///< gradients of the loss in the parameters, of the last step
    updates,     ///< changes of the parameters by the last step
    outputs      ///< outputs of layers for the records of the last step
};

namespace detail {

constexpr Wants wants_of(TensorKind kind) {
    return {kind == TensorKind::gradients, kind == TensorKind::updates, kind == TensorKind::outputs};
}

/// Tensors of a network: those of parameters or layers that match a pattern, or one that is known by its name at
/// compile time.
struct SelectedTensors {
    TensorKind kind{};
    std::string pattern{};
    bool by_name = false;

    std::string text() const;
    /// Returns the positions of the parameters, or of the layers. Throws ArgumentError if there are none.
    std::vector<int> find(const NetworkTable& network) const;
    friend bool operator==(const SelectedTensors&, const SelectedTensors&) = default;
};

template <TensorKind kind_, Text name = Text{}>
struct Selection {
    static constexpr TensorKind kind = kind_;
    static constexpr Wants wants = wants_of(kind);
    std::string pattern{};

    SelectedTensors tensors() const {
        if constexpr (name.size > 0) return {kind, std::string(name.view()), true};
        else return {kind, pattern};
    }
    /// Returns the mistake of a name that the trainer's network does not have.
    template <class Trainer>
    static constexpr auto examine() {
        using M = std::remove_cvref_t<decltype(std::declval<Trainer&>().model())>;
        if constexpr (name.size > 0) return Mistake<typename NoParameter<name, M>::type>{};
        else return Mistake<>{};
    }
};

}  // namespace detail

/// Selects parameters by a pattern of names, for values such as `norm(parameters("*.weights"))`.
///
/// `add` throws ArgumentError if no parameter matches. A pattern matches statistics, such as those of BatchNorm, only
/// by their full name.
/// @param pattern  name, in which `*` stands for any characters
/// @return a selection, for `norm` and other values
///
/// @par Example
/// @code
/// trainer.add(every(1, epoch).then(report(norm(parameters("*.weights")), deviation(parameters("1-*")))));
/// @endcode
inline auto parameters(std::string pattern) { return detail::Selection<TensorKind::parameters>{std::move(pattern)}; }
/// Selects the gradients of the last step by a pattern of parameter names, for values such as `norm(gradients("*"))`.
///
/// These are the gradients that the optimizer gets, before it clips them. Each step after which a hook can read them
/// costs an additional forward and backward pass.
/// @param pattern  name, in which `*` stands for any characters
/// @return a selection, for `norm` and other values
///
/// @par Example
/// @code
/// trainer.add(every(100, iteration).then(report(norm(gradients("*")))));
/// @endcode
inline auto gradients(std::string pattern) { return detail::Selection<TensorKind::gradients>{std::move(pattern)}; }
/// Selects the changes of parameters by the last step, modifiers included, by a pattern of names.
/// @param pattern  name, in which `*` stands for any characters
/// @return a selection, for `norm` and other values
///
/// @par Example
/// @code
/// trainer.add(every(100, iteration).then(report(norm(updates("*")))));
/// @endcode
inline auto updates(std::string pattern) { return detail::Selection<TensorKind::updates>{std::move(pattern)}; }
/// Selects the outputs of layers by a pattern of layer names, for values such as `share_of_zeros(outputs("1-*"))`.
///
/// These are the outputs for the records of the last step and the parameters before it, as in prediction: without
/// dropout. Each step after which a hook can read them costs an additional forward pass.
/// @param pattern  name of a layer, in which `*` stands for any characters; `0-input` is the input
/// @return a selection, for `norm` and other values
///
/// @par Example
/// @code
/// trainer.add(every(100, iteration).then(report(share_of_zeros(outputs("1-dense")))));
/// @endcode
inline auto outputs(std::string pattern) { return detail::Selection<TensorKind::outputs>{std::move(pattern)}; }
/// Selects one parameter by its name: `norm(parameter<"1-dense.weights">())`.
/// @tparam name  name of a parameter; a name that the network does not have does not compile
/// @return the selection
///
/// @see parameters
template <Text name>
auto parameter() {
    return detail::Selection<TensorKind::parameters, name>{};
}
/// Selects the gradient of one parameter by its name: `norm(gradient<"1-dense.weights">())`.
/// @tparam name  name of a parameter; a name that the network does not have does not compile
/// @return the selection
///
/// @see gradients
template <Text name>
auto gradient() {
    return detail::Selection<TensorKind::gradients, name>{};
}
/// Selects the change of one parameter by its name: `norm(update<"1-dense.weights">())`.
/// @tparam name  name of a parameter; a name that the network does not have does not compile
/// @return the selection
///
/// @see updates
template <Text name>
auto update() {
    return detail::Selection<TensorKind::updates, name>{};
}

namespace detail {

/// The quantities that are computed from all elements of all tensors of a selection together.
enum class Quantity : unsigned char {
    norm,
    largest_magnitude,
    mean,
    deviation,
    share_of_zeros,
    share_from,
    share_saturated,
    update_rate
};

SharedOwner<Derived> make_tensor_value(SelectedTensors tensors, Quantity quantity, double high, double low);

}  // namespace detail

/// The type of values of tensors, such as `norm(gradients("*"))`.
///
/// The value is updated each iteration, and computed when a hook reads it, once for all hooks of a moment. Values of
/// gradients, updates and outputs are NaN if the step was not kept, as in `at(start)`.
///
/// @tparam S  type of the selection
///
/// @see norm, update_rate
template <class S>
struct TensorValue : DerivedValue<TensorValue<S>> {
    /// @cond internal
    using Sources = Types<>;
    static constexpr Moment moment = Moment::iteration;
    static constexpr detail::Wants wants = S::wants;

    TensorValue(const S& selection, detail::Quantity quantity, double high = 0, double low = 0)
        : DerivedValue<TensorValue>(detail::make_tensor_value(selection.tensors(), quantity, high, low)) {}
    template <class Trainer>
    static constexpr auto examine() {
        return S::template examine<Trainer>();
    }
    /// @endcond
};

/// Returns the Euclidean norm √Σx² of all elements of the selected tensors together.
/// @param selection  tensors, such as `gradients("*")`
/// @return a value, updated each iteration. Sums are in double precision.
///
/// @par Example
/// @code
/// trainer.add(when(norm(gradients("*")).exceeds(100)).then(report("large gradient", loss)));
/// @endcode
template <TensorKind kind, Text name>
auto norm(const detail::Selection<kind, name>& selection) {
    return TensorValue<detail::Selection<kind, name>>(selection, detail::Quantity::norm);
}
/// Returns the mean of all elements of the selected tensors together.
/// @param selection  tensors, such as `parameters("*.weights")`
/// @return a value, updated each iteration. Sums are in double precision.
///
/// @see norm
template <TensorKind kind, Text name>
auto mean_of(const detail::Selection<kind, name>& selection) {
    return TensorValue<detail::Selection<kind, name>>(selection, detail::Quantity::mean);
}
/// Returns the standard deviation √(Σ(x − mean)² / (n − 1)) of all elements of the selected tensors together.
/// @param selection  tensors, such as `parameters("*.weights")`
/// @return a value, updated each iteration; NaN for a single element. Sums are in double precision.
///
/// @see norm
template <TensorKind kind, Text name>
auto deviation(const detail::Selection<kind, name>& selection) {
    return TensorValue<detail::Selection<kind, name>>(selection, detail::Quantity::deviation);
}
/// Returns the largest magnitude max |x| of all elements of the selected tensors.
/// @param selection  tensors, such as `parameters("*.weights")`
/// @return a value, updated each iteration
///
/// @see norm
template <TensorKind kind, Text name>
auto largest_magnitude(const detail::Selection<kind, name>& selection) {
    return TensorValue<detail::Selection<kind, name>>(selection, detail::Quantity::largest_magnitude);
}
/// Returns the share of elements of the selected tensors that are 0, or have a magnitude of at most `bound`.
/// @param selection  tensors, such as `gradients("*")`
/// @param bound      largest magnitude that counts as 0 (default: 0)
/// @return a value from 0 to 1, updated each iteration
///
/// @see norm
template <TensorKind kind, Text name>
auto share_of_zeros(const detail::Selection<kind, name>& selection, double bound = 0) {
    return TensorValue<detail::Selection<kind, name>>(selection, detail::Quantity::share_of_zeros, bound);
}
/// Returns the share of elements of the selected tensors with a magnitude of `bound` or more, for example of clipped
/// ones.
/// @param selection  tensors, such as `parameters("*.weights")`
/// @param bound      smallest magnitude that counts
/// @return a value from 0 to 1, updated each iteration
///
/// @see norm
template <TensorKind kind, Text name>
auto share_from(const detail::Selection<kind, name>& selection, double bound) {
    return TensorValue<detail::Selection<kind, name>>(selection, detail::Quantity::share_from, bound, -bound);
}
/// Returns the share of elements of the selected tensors that are at most `low` or at least `high`: of saturated units.
///
/// There, a `sigmoid` (the default bounds) or a `tanh` (-0.99, 0.99) has nearly no slope, so its layer hardly learns.
/// @param selection  tensors, such as `outputs("3-dense")`
/// @param low        largest number that counts as the lower end of the range (default: 0.01)
/// @param high       smallest number that counts as the upper end of the range (default: 0.99)
/// @return a value from 0 to 1, updated each iteration
///
/// @par Example
/// @code
/// trainer.add(every(1, epoch).then(report(share_saturated(outputs("3-dense")))));
/// @endcode
///
/// @see share_of_zeros, outputs
template <TensorKind kind, Text name>
auto share_saturated(const detail::Selection<kind, name>& selection, double low = 0.01, double high = 0.99) {
    return TensorValue<detail::Selection<kind, name>>(selection, detail::Quantity::share_saturated, high, low);
}

/// Returns the relative change ‖w − w₀‖ / ‖w₀‖ of the matching parameters by the last step from w₀ to w.
/// @param pattern  name of parameters, in which `*` stands for any characters
/// @return a value, updated each iteration; 0 if both norms are 0, NaN if the step was not kept, as in `at(start)`
///
/// @par Example
/// @code
/// trainer.add(every(100, iteration).then(report(update_rate("*.weights"))));
/// @endcode
inline auto update_rate(std::string pattern) {
    return TensorValue<detail::Selection<TensorKind::updates>>({std::move(pattern)}, detail::Quantity::update_rate);
}
/// Returns the relative change ‖w − w₀‖ / ‖w₀‖ of one parameter by the last step: `update_rate<"1-dense.weights">()`.
/// @tparam name  name of a parameter; a name that the network does not have does not compile
/// @return a value, updated each iteration; 0 if both norms are 0, NaN if the step was not kept, as in `at(start)`
///
/// @see update_rate(std::string)
template <Text name>
auto update_rate() {
    return TensorValue<detail::Selection<TensorKind::updates, name>>({}, detail::Quantity::update_rate);
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/tensor_values.ipp>
#endif
