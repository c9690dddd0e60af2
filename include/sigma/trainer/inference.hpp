// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// The members `predict`, `evaluate` and `classify` of trained networks. Included by `<sigma/sigma.hpp>`.
#include <sigma/device/device.hpp>
#include <sigma/execution/debug.hpp>
#include <sigma/execution/evaluator.hpp>

#include <initializer_list>
#include <span>
#include <type_traits>
#include <utility>

namespace sigma::detail {

/// Satisfied if a model predicts from these inputs. Otherwise `predict` returns the name of a mistake.
template <class N, class T, class... E>
concept Answers = requires(const Model<N, T>& model, const E&... inputs) { sizeof(model.predict(inputs...)); };
/// Satisfied if one output of a model predicts from these inputs.
template <class N, class T, auto cost, class... E>
concept AnswersOf =
    requires(const Model<N, T>& model, const E&... inputs) { sizeof(model.template predict<cost>(inputs...)); };

/// Metrics of a network; defined in hook/score.hpp, which every metric includes.
template <class N, class T, class... M>
struct MetricEvaluation;
/// Satisfied for metrics of `score`.
template <class... M>
concept SomeMetrics = sizeof...(M) > 0 && requires { (M::names.size(), ...), (M::word, ...); };

/// The members of a trained network for predictions and scores. You may call them from any thread, from several at a
/// time, and during a run.
///
/// @tparam Self  the derived class, with `model()` and `require_like_training(data)`
template <class Self, AnyNetwork N, class T>
class Inference {
public:
    /// Computes the mean loss and the accuracy on a data set, in total and for each cost.
    /// @param data  records to score
    /// @return a score with `error`, `accuracy` and the scores of each cost
    /// @throws ArgumentError  if the data have other preprocessing or other classes than the training data
    /// @throws DataError      if the records do not match the network
    ///
    /// @par Example
    /// @code
    /// const auto score = trainer.evaluate(testing);
    /// std::printf("%.4f, %.1f %%\n", score.error, 100 * score.accuracy);
    /// @endcode
    typename Model<N, T>::Score evaluate(const Dataset& data) const {
        static_cast<const Self&>(*this).require_like_training(data);
        return model().evaluate(data);
    }
    /// Computes the mean loss and the accuracy on a given device. Default: the device of the last run.
    /// @param device  such as `cpu(2)`
    /// @param data    records to score
    /// @return a score with `error`, `accuracy` and the scores of each cost
    /// @throws ArgumentError  if the data have other preprocessing or other classes than the training data
    /// @throws DataError      if the records do not match the network
    /// @throws DeviceError    if the device cannot be used
    typename Model<N, T>::Score evaluate(const Device& device, const Dataset& data) const {
        static_cast<const Self&>(*this).require_like_training(data);
        return model().evaluate(device, data);
    }
    /// Computes the mean loss and the accuracy on arrays, without a check of their preprocessing.
    /// @param inputs   inputs of shape (records, …)
    /// @param targets  regression targets of shape (records, …), or class numbers: an array (records) or a vector
    /// @return a score with `error`, `accuracy` and the scores of each cost
    /// @throws ShapeError  if the shapes do not match the network
    /// @throws DataError   if a target is invalid for its loss
    template <AnyArray X, AnyTargets Y>
    typename Model<N, T>::Score evaluate(const X& inputs, const Y& targets) const {
        return model().evaluate(inputs, targets);
    }
    /// Computes metrics on a data set: `regression`, `binary`, `top<1, 3>`, or `of_cost<"price">(regression)`.
    /// @param data    records to score
    /// @param metric  one or more metrics
    /// @return the values by their names
    /// @throws ArgumentError  if the data have other preprocessing or other classes than the training data
    /// @throws DataError      if the records do not match the network
    /// @throws MistakeError   if a metric does not fit a run-time network. For others, compilation fails.
    ///
    /// @par Example
    /// @code
    /// const double share = trainer.evaluate(testing, top<1, 3>)["top3"];
    /// @endcode
    /// @see score
    template <class... M>
        requires SomeMetrics<M...>
    auto evaluate(const Dataset& data, const M&... metric) const
        -> decltype(plainly(std::type_identity<typename MetricEvaluation<N, T, M...>::Result>{})) {
        static_cast<const Self&>(*this).require_like_training(data);
        return MetricEvaluation<N, T, M...>::run(model(), data, metric...);
    }
    /// Computes metrics on arrays, without a check of their preprocessing.
    /// @param inputs   inputs of shape (records, …)
    /// @param targets  regression targets of shape (records, …), or class numbers: an array (records) or a vector
    /// @param metric   one or more metrics
    /// @return the values by their names
    template <AnyArray X, AnyTargets Y, class... M>
        requires SomeMetrics<M...>
    auto evaluate(const X& inputs, const Y& targets, const M&... metric) const
        -> decltype(plainly(std::type_identity<typename MetricEvaluation<N, T, M...>::Result>{})) {
        return MetricEvaluation<N, T, M...>::run(model(), make_dataset(inputs, targets), metric...);
    }
    /// Computes the mean loss and the accuracy of a given model on a data set.
    /// @param model  a model of the same network
    /// @param data   records to score
    /// @return a score with `error`, `accuracy` and the scores of each cost
    /// @throws DataError  if the records do not match the network
    static typename Model<N, T>::Score evaluate(const Model<N, T>& model, const Dataset& data) {
        return model.evaluate(data);
    }
    /// Computes predictions. Uses the threads of the last run unless the first argument is a device.
    /// @param inputs  for each input of the network an array of shape (records, …); before them a device, if wanted
    /// @return an array of shape (records, …); for several outputs see `predict<"price">(…)`
    /// @throws ShapeError  if the shapes do not match the network
    ///
    /// @par Example
    /// @code
    /// const Array<float> probabilities = trainer.predict(images);
    /// const Array<float> again = trainer.predict(cpu(2), images);
    /// @endcode
    /// @see Model
    template <class... E>
        requires Answers<N, T, E...>
    auto predict(const E&... inputs) const {
        if constexpr (requires(const Self& self) { self.predicted(inputs...); })
            return static_cast<const Self&>(*this).predicted(inputs...);
        else return model().predict(inputs...);
    }
    /// Computes the prediction for one record.
    /// @param record  the numbers of the record, such as `predict({5.1f, 3.5f, 1.4f, 0.2f})`
    /// @throws ShapeError  if the number of elements differs from a record of the input
    template <class = void>
    auto predict(std::initializer_list<T> record) const {
        return predict(std::span(record));
    }
    /// Computes predictions for several records of one axis.
    /// @param records  the numbers of each record
    /// @throws ShapeError  if rows differ in length, or if the number of elements differs from a record of the input
    auto predict(std::initializer_list<std::initializer_list<T>> records) const { return model().predict(records); }
    /// Computes the predictions of all outputs of a run-time network.
    /// @param inputs  for each input of the network an array of shape (records, …)
    /// @return one array for each cost
    /// @throws ShapeError  if the shapes do not match the network
    template <class... E>
        requires MadeNetwork<N>
    auto predict_all(const E&... inputs) const {
        return model().predict_all(inputs...);
    }
    /// Computes the predictions of one output.
    /// @tparam cost   number of the output, from 0
    /// @param inputs  for each input of the network an array of shape (records, …)
    /// @throws ShapeError  if the shapes do not match the network
    template <int cost, class... E>
        requires AnswersOf<N, T, cost, E...>
    auto predict(const E&... inputs) const {
        return model().template predict<cost>(inputs...);
    }
    /// Computes the predictions of one output.
    /// @tparam cost   name of the output, such as `predict<"price">(…)`
    /// @param inputs  for each input of the network an array of shape (records, …)
    /// @throws ShapeError  if the shapes do not match the network
    template <Text cost, class... E>
        requires AnswersOf<N, T, cost, E...>
    auto predict(const E&... inputs) const {
        return model().template predict<cost>(inputs...);
    }
    /// @cond internal
    // Calls that a model rejects: the same mistake.
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
    /// @endcond
    /// Returns the predicted class of each record.
    /// @param inputs  an array of shape (records, …), or a device
    /// @param more    further arguments of `Model::classify`
    /// @throws ArgumentError  if a prediction or the threshold is NaN, or if a run-time network does not predict
    ///                        classes
    /// @throws ShapeError     if an input has a wrong shape
    /// @see Model
    template <class X, class... More>
    auto classify(const X& inputs, const More&... more) const {
        return model().classify(inputs, more...);
    }
    /// Computes predictions on the debug device, which checks each operation.
    /// @param inputs  an array of shape (records, …)
    /// @throws OperationError  if an operation gives a NaN or an infinity
    /// @throws ShapeError      if the shape does not match the network
    /// @see debug
    template <AnyArray E>
    auto predict(Debug, const E& inputs) const {
        static_assert(Model<N, T>::of_one_each, "predict(debug(), x) needs a network with one input and one output");
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
