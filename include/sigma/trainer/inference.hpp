// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/worker/debug.hpp>
#include <sigma/worker/device.hpp>
#include <sigma/worker/evaluator.hpp>

namespace sigma::detail {

/// What a trained network says of data: `Self` has its model and says which data are like those of its training. From
/// any thread, from many at a time, and while a run goes on: see Model.
template <class Self, AnyNetwork N, class T>
class Inference {
public:
    /// Mean loss and accuracy on a data set, in total and for each cost, without training. Throws ArgumentError where
    /// it did not go through the preprocessing of the training data or numbers its classes otherwise, DataError where
    /// it does not fit the network.
    typename Model<N, T>::Score evaluate(const Dataset& data) const {
        static_cast<const Self&>(*this).require_like_training(data);
        return evaluate(model(), data);
    }
    static typename Model<N, T>::Score evaluate(const Model<N, T>& model, const Dataset& data) {
        Evaluator<N, T> evaluator(data);
        return model.at_rest([&](const Model<N, T>& now) { return evaluator(now); });
    }
    /// Predictions for inputs of shape (records, …); see Model::predict. With several outputs, `predict<1>(…)` and
    /// `predict<"price">(…)` give one.
    template <class... E>
    auto predict(const E&... inputs) const {
        return model().predict(inputs...);
    }
    template <int cost, class... E>
    auto predict(const E&... inputs) const {
        return model().template predict<cost>(inputs...);
    }
    template <Text cost, class... E>
    auto predict(const E&... inputs) const {
        return model().template predict<cost>(inputs...);
    }
    /// The same with every operation checked.
    template <AnyArray E>
    auto predict(Debug, const E& inputs) const {
        static_assert(N::input_count == 1 && N::cost_count == 1,
                      "predict(debug(), x) is for networks of one input and one output");
        Model<N, T>::check_inputs(inputs.shape());
        const detail::DenseElements<T> elements(inputs);
        const T* const data[] = {elements.data()};
        const auto records = static_cast<std::ptrdiff_t>(inputs.shape()[0]);
        auto values = model().at_rest([&](const Model<N, T>& now) {
            const auto layers = layers_of_programs<N>(false);
            return debug_prediction<T>(now, NetworkProgram<N, to_predict>{}(), {layers.begin(), layers.size()}, data,
                                       records);
        });
        constexpr Shape shape = N::template Cost<0>::prediction;
        return Array<T>(array_extents(shape, records), std::move(values));
    }

private:
    const Model<N, T>& model() const { return static_cast<const Self&>(*this).model(); }
};

}  // namespace sigma::detail
