// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/device.hpp>
#include <sigma/execution/debug.hpp>
#include <sigma/execution/evaluator.hpp>

#include <initializer_list>
#include <span>
#include <type_traits>
#include <utility>

namespace sigma::detail {

/// Does a model predict from these, or is what it returns the name of a mistake?
template <class N, class T, class... E>
concept Answers = requires(const Model<N, T>& model, const E&... inputs) { sizeof(model.predict(inputs...)); };
template <class N, class T, auto cost, class... E>
concept AnswersOf =
    requires(const Model<N, T>& model, const E&... inputs) { sizeof(model.template predict<cost>(inputs...)); };

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
        return model().evaluate(data);
    }
    /// The same on another device than that of the last run: `evaluate(cpu(2), data)`.
    typename Model<N, T>::Score evaluate(const Device& device, const Dataset& data) const {
        static_cast<const Self&>(*this).require_like_training(data);
        return model().evaluate(device, data);
    }
    /// The same on arrays, as `make_dataset` takes them; what they went through only the user knows.
    template <AnyArray X, AnyTargets Y>
    typename Model<N, T>::Score evaluate(const X& inputs, const Y& targets) const {
        return model().evaluate(inputs, targets);
    }
    static typename Model<N, T>::Score evaluate(const Model<N, T>& model, const Dataset& data) {
        return model.evaluate(data);
    }
    /// Predictions for inputs of shape (records, …); see Model::predict. With several outputs, `predict<1>(…)` and
    /// `predict<"price">(…)` give one. After a device, `predict(cpu(2), x)`, they are made there, else with the threads
    /// of the last run.
    template <class... E>
        requires Answers<N, T, E...>
    auto predict(const E&... inputs) const {
        if constexpr (requires(const Self& self) { self.predicted(inputs...); })
            return static_cast<const Self&>(*this).predicted(inputs...);
        else return model().predict(inputs...);
    }
    template <class = void>
    auto predict(std::initializer_list<T> record) const {
        return predict(std::span(record));
    }
    auto predict(std::initializer_list<std::initializer_list<T>> rows) const { return model().predict(rows); }
    /// Of a network that is made while the program runs, one array for each cost.
    template <class... E>
        requires MadeNetwork<N>
    auto predict_all(const E&... inputs) const {
        return model().predict_all(inputs...);
    }
    template <int cost, class... E>
        requires AnswersOf<N, T, cost, E...>
    auto predict(const E&... inputs) const {
        return model().template predict<cost>(inputs...);
    }
    template <Text cost, class... E>
        requires AnswersOf<N, T, cost, E...>
    auto predict(const E&... inputs) const {
        return model().template predict<cost>(inputs...);
    }
    // What a model says otherwise.
    template <class... E>
        requires(!Answers<N, T, E...>)
    auto predict(const E&... inputs) const
        -> decltype(plainly(std::type_identity<decltype(std::declval<const Model<N, T>&>().predict(inputs...))>{}));
    template <int cost, class... E>
        requires(!AnswersOf<N, T, cost, E...>)
    auto predict(const E&... inputs) const -> decltype(plainly(
        std::type_identity<decltype(std::declval<const Model<N, T>&>().template predict<cost>(inputs...))>{}));
    template <Text cost, class... E>
        requires(!AnswersOf<N, T, cost, E...>)
    auto predict(const E&... inputs) const -> decltype(plainly(
        std::type_identity<decltype(std::declval<const Model<N, T>&>().template predict<cost>(inputs...))>{}));
    /// For which class it takes each record; see Model::classify.
    template <class X, class... More>
    auto classify(const X& inputs, const More&... more) const {
        return model().classify(inputs, more...);
    }
    /// `predict` with every operation checked.
    template <AnyArray E>
    auto predict(Debug, const E& inputs) const {
        static_assert(Model<N, T>::of_one_each, "predict(debug(), x) is for networks of one input and one output");
        model().check_inputs_of(inputs);
        if constexpr (MadeNetwork<N>) check_one_output(model().records);
        const detail::DenseElements<T> elements(inputs);
        const T* const data[] = {elements.data()};
        const auto records = static_cast<std::ptrdiff_t>(inputs.shape()[0]);
        auto values = model().at_rest([&](const Model<N, T>& now) {
            const auto layers = layers_of_programs(now.definition(), false);
            return debug_prediction<T>(now, now.template operations<to_predict>(), {layers.begin(), layers.size()},
                                       data, records);
        });
        return Array<T>(array_extents(model().records.costs[0].prediction, records), std::move(values));
    }

private:
    const Model<N, T>& model() const { return static_cast<const Self&>(*this).model(); }
};

}  // namespace sigma::detail
