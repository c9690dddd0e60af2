// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Losses, layer outputs and gradients of one batch: Inspection, Gradients. Included by `<sigma/sigma.hpp>`.
#include <sigma/execution/observation.hpp>
#include <sigma/network/model.hpp>

#include <utility>
#include <vector>

namespace sigma {

/// The gradients of the loss in the parameters, for one batch, as a training step computes them.
///
/// Several threads may each have an object of their own for the same model. `Trainer::gradients()` returns one.
///
/// @tparam N  type of the network
/// @tparam T  element type of the model
///
/// @see Inspection
template <AnyNetwork N, class T>
class SIGMA_BY_INSTRUCTIONS Gradients : detail::Observation<T> {
    using M = Model<N, T>;
    using Look = detail::Observation<T>;
    static constexpr bool is_trained(std::string_view name) {
        const int i = detail::network_table<N>.find_parameter(name);
        return i >= 0 && detail::network_table<N>.parameters[i].trained;
    }

public:
    /// @cond internal
    using Look::run, Look::values;
    /// @endcond

    /// Constructs gradients of a model, for batches of it.
    /// @param model  model; it must outlive this object
    explicit Gradients(const M& model)
        : Look(model, model.template program<detail::to_find_gradients>(), detail::to_find_gradients) {}

    /// Returns the gradient in a parameter, as an array of its shape. Valid until the next run.
    /// @tparam name  name of a trained parameter, as in `of<"1-dense.weights">()`; another name does not compile
    /// @return the gradient
    template <Text name>
        requires(MadeNetwork<N> || is_trained(name.view()))
    ArrayView<T> of() {
        return of(name.view());
    }
    /// Returns the gradient in a parameter, by a name that is known at run time. Valid until the next run.
    /// @param name  name of a trained parameter
    /// @return the gradient
    /// @throws ArgumentError  if there is no trained parameter of this name
    ArrayView<T> of(std::string_view name) { return Look::gradient(name); }
    /// @cond internal
    template <Text name>
        requires(!detail::may_have_parameter<N>(name.view()))
    auto of() -> decltype(detail::plainly(std::type_identity<typename detail::NoParameter<name, M>::type>{}));
    template <Text name>
        requires(ConstantNetwork<N> && detail::may_have_parameter<N>(name.view()) && !is_trained(name.view()))
    error_parameter_is_a_statistic_which_is_not_trained<detail::NameGiven<name>> of();
    /// @endcond
};

/// Returns the outputs of all layers for a batch, as dense arrays, as in prediction.
/// @param model   model to evaluate
/// @param inputs  dense rows of each input
/// @param count   number of records
/// @return for each layer the elements of its output, (records, …) in row-major order
///
/// @see Inspection
template <AnyNetwork N, class T>
std::vector<std::vector<T>> layer_outputs(const Model<N, T>& model, const typename Model<N, T>::InputPointers& inputs,
                                          std::ptrdiff_t count) {
    detail::Observation<T> look(model, model.template program<detail::to_see_layers>(), detail::to_see_layers);
    look.run(inputs, {}, count);
    return std::move(look.outputs());
}

/// Shows a network at work on one batch: the loss, the output of every layer and the gradient of every parameter.
///
/// Outputs and gradients are writable arrays, valid until the next run. Nothing is trained, and dropout is off. Several
/// threads may each have an object of their own for the same model.
///
/// @tparam N  type of the network
/// @tparam T  element type of the model
///
/// @par Example
/// @code
/// Inspection inspection(model);
/// const Array<std::int32_t> labels({100});
/// const double mean_loss = inspection.run(images, labels);
/// const auto activations = inspection.output<"1-dense">();             // (100, 128)
/// const auto slopes = inspection.gradient<"1-dense.weights">();        // (784, 128)
/// @endcode
///
/// @see Gradients, BatchTrainer
template <AnyNetwork N, class T = float>
class Inspection : detail::Observation<T> {
    using M = Model<N, T>;
    using Look = detail::Observation<T>;

public:
    using Inputs = typename M::InputPointers;    ///< dense rows of each input
    using Targets = typename M::TargetPointers;  ///< dense rows of the targets of each cost

    /// Constructs an inspection of a model.
    /// @param model  model; it must outlive this object
    explicit Inspection(const Model<N, T>& model)
        : Look(model, model.template program<detail::to_inspect>(), detail::to_inspect), model_(model) {}

    /// Computes losses, outputs and gradients for dense inputs and targets.
    /// @param inputs   dense rows of each input
    /// @param targets  dense rows of the targets of each cost
    /// @param count    number of records
    /// @return the total loss
    double run(const Inputs& inputs, const Targets& targets, std::ptrdiff_t count) {
        Look::run(inputs, targets, count);
        return loss();
    }
    /// Computes losses, outputs and gradients, for a network with one input and one cost.
    /// @param inputs   dense rows of the input
    /// @param targets  dense rows of the targets
    /// @param count    number of records
    /// @return the total loss
    double run(const T* inputs, const T* targets, std::ptrdiff_t count)
        requires M::of_one_each
    {
        return run(Inputs{inputs}, Targets{targets}, count);
    }
    /// Computes losses, outputs and gradients for arrays of shape (records, …).
    /// @param arrays  all inputs, then the targets of each cost
    /// @return the total loss
    /// @throws ShapeError  if a shape does not fit or the numbers of records differ
    template <class... E>
        requires(detail::may_take_records<N, sizeof...(E)> && (AnyArray<E> && ...))
    double run(const E&... arrays) {
        const detail::NetworkTable& network = model_.network();
        if constexpr (MadeNetwork<N>) detail::check_number_of_arrays(network, sizeof...(E));
        std::size_t count = 0;
        int number = 0;
        (examine(arrays, number++, count), ...);
        const auto run_elements = [&](const auto&... e) {
            const T* const data[] = {e.data()...};
            const std::span all(data);
            const auto inputs = static_cast<std::size_t>(network.inputs.size());
            Look::run(all.first(inputs), all.subspan(inputs), static_cast<std::ptrdiff_t>(count));
            return loss();
        };
        return run_elements(detail::DenseElements<T>(arrays)...);
    }

    /// Returns the total loss, `loss()`, or the loss of one cost without its weight, `loss(1)`.
    /// @param cost  number of the cost, from 0
    /// @return the loss
    using Look::loss;
    /// Returns the output of a layer by position or by name: `output("1-dense")`.
    /// @param layer  position or name of the layer
    /// @return the output, an array (records, …)
    /// @throws ArgumentError  if there is no such layer
    using Look::output;
    /// Returns the output of a layer, as an array (records, …). Valid until the next run.
    /// @tparam name  name of a layer, as in `output<"1-dense">()`; another name does not compile
    template <Text name>
    ArrayView<T> output() {
        if constexpr (ConstantNetwork<N>)
            static_assert(detail::network_table<N>.find_layer(name.view()) >= 0,
                          "the network has no layer of this name");
        return output(name.view());
    }
    /// Returns the gradient of the loss in a parameter by position or by name: `gradient("1-dense.weights")`.
    /// @param parameter  position or name of the parameter
    /// @return the gradient, an array of the parameter's shape
    /// @throws ArgumentError  if there is no such parameter, or it is not trained
    using Look::gradient;
    /// Returns the gradient of the loss in a parameter, as an array of its shape. Valid until the next run.
    /// @tparam name  name of a parameter, as in `gradient<"1-dense.weights">()`; another name does not compile
    template <Text name>
    ArrayView<T> gradient() {
        if constexpr (ConstantNetwork<N>)
            static_assert(detail::network_table<N>.find_parameter(name.view()) >= 0,
                          "the network has no parameter of this name");
        return gradient(name.view());
    }

private:
    const M& model_;

    // Checks an input, the first of which has the number of records, or targets.
    template <class E>
    void examine(const E& array, int number, std::size_t& count) {
        const int target = number - model_.records.inputs.size();
        if (target < 0) {
            model_.check_inputs(array.shape(), number);
            const auto found = static_cast<std::size_t>(array.shape()[0]);
            if (number == 0) count = found;
            if (found != count)
                throw ShapeError(model_.input_text(number), sentence(count, " records, as the first input"),
                                 sentence(found));
            return;
        }
        const auto wanted = model_.records.costs[target].target.count() * static_cast<long long>(count);
        if (static_cast<long long>(array.size()) != wanted)
            throw ShapeError(model_.target_text(target), sentence(wanted, " numbers"),
                             "shape " + detail::shape_text(array.shape()));
    }
};

}  // namespace sigma
