// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Networks that are built layer by layer by member functions: Sequential. Included by `<sigma/sigma.hpp>`.
#include <sigma/core/owners.hpp>
#include <sigma/core/words.hpp>
#include <sigma/data/minibatches.hpp>
#include <sigma/data/same_data.hpp>
#include <sigma/data/transform/preprocessing.hpp>
#include <sigma/layer/binary_ce.hpp>
#include <sigma/layer/convolution.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/input.hpp>
#include <sigma/layer/pooling.hpp>
#include <sigma/layer/recurrent.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/dynamic_network.hpp>
#include <sigma/network/graph.hpp>
#include <sigma/trainer/trainer.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace sigma {

/// @cond internal
// Errors for calls in the wrong order, as names of types that are never defined.

struct use_loss_first;
struct use_loss_and_optimizer_first;
struct use_optimizer_first;
template <class Write>
struct error_optimizer_needs_a_loss_before_it;
template <class Write>
struct error_training_needs_a_loss_and_an_optimizer;
template <class Write>
struct error_prediction_needs_a_loss_and_an_optimizer;
template <class Write>
struct error_training_needs_an_optimizer;
/// @endcond

namespace detail {

/// The layers of a sequential network. Without an Input, the shape of a record is that of the training data.
struct SequentialLayers {
    Layers layers{};
    bool has_input = false;

    /// Makes the network. Throws MistakeError if a layer rejects its input.
    DynamicNetwork made_for(std::span<const std::size_t> record) const;
};
[[noreturn, gnu::cold]] void throw_no_network();
/// Returns the number of records in a step. Throws ArgumentError if `size` is negative.
std::size_t sequential_batch_size(std::int64_t size, const Dataset& data);

/// A network with its optimizer, and a trainer for the latest training data: the result of `Sequential::optimizer`. Can
/// be moved, not copied.
template <AnyOptimizer O, class T = float>
class SIGMA_BY_INSTRUCTIONS TrainableSequential : public Inference<TrainableSequential<O, T>, DynamicNetwork, T> {
    friend Inference<TrainableSequential, DynamicNetwork, T>;

public:
    /// Constructs a network, with initial parameters if it has an Input. Call `Sequential::optimizer` instead.
    TrainableSequential(SequentialLayers layers, O optimizer, std::uint64_t seed)
        : state_(make_owned<State>(std::move(layers), optimizer, seed)) {
        if (state_->layers.has_input) make_model({});
    }

    /// Trains for a number of further epochs.
    ///
    /// A second call with the same data and batch size continues where the first one ended. With other data the
    /// parameters stay, and the optimizer starts again with new states.
    ///
    /// @param data     records to train on
    /// @param options  number of epochs (default: 1), batch size (default: 32) and others
    /// @return the results of each epoch
    /// @throws ArgumentError  if an option is out of range, if the validation data have other preprocessing, or
    ///                        if the data have other classes than those of an earlier call
    /// @throws MistakeError   if a layer rejects its input
    /// @throws ShapeError     if the shapes of the records do not match the network
    /// @throws DataError      if the records do not match the network
    History train(const Dataset& data, const RunOptions& options = {}) { return train(data, options, true); }
    /// Trains on arrays for a number of further epochs.
    /// @param inputs   inputs of shape (records, …)
    /// @param targets  regression targets of shape (records, …), or class numbers: an array (records) or a vector
    /// @param options  number of epochs (default: 1), batch size (default: 32) and others
    /// @return the results of each epoch
    template <AnyArray X, AnyTargets Y>
    History train(const X& inputs, const Y& targets, const RunOptions& options = {}) {
        return train(make_dataset(inputs, targets), options, false);
    }

    /// Checks that data have the preprocessing and the classes of the training data. Checks nothing after training on
    /// arrays.
    /// @param data  data to compare with the training data
    /// @throws ArgumentError  if the data have other preprocessing or other classes
    void require_like_training(const Dataset& data) const {
        if (state_->trainer) state_->trainer->require_like_training(data);
    }

    /// Returns a table of layers, shapes and parameters.
    /// @throws StateError  as `model` does
    std::string summary() const { return sigma::summary(model()); }
    /// Returns the optimizer. You may change its hyperparameters between calls of `train` and in callbacks of the
    /// trainer. The reference is valid until `train` is called with other data.
    O& optimizer() { return state_->trainer ? state_->trainer->optimizer : state_->optimizer; }
    /// Returns the model. The reference is valid until `train` is called with other data.
    /// @throws StateError  before the first call of `train`, if the network has no Input
    Model<DynamicNetwork, T>& model() { return const_cast<Model<DynamicNetwork, T>&>(std::as_const(*this).model()); }
    /// @copydoc model
    const Model<DynamicNetwork, T>& model() const {
        if (state_->trainer) return state_->trainer->model();
        if (!state_->untrained) throw_no_network();
        return *state_->untrained;
    }
    /// Returns the trainer of the latest training data, for everything else.
    /// @throws Error  before the first call of `train`
    Trainer<DynamicNetwork, O, T>& trainer() {
        if (!state_->trainer)
            throw Error("trainer of a sequential network: there is none before the first call of train");
        return *state_->trainer;
    }

private:
    /// Implements `predict`. A single record, as an array or a sequence of numbers, has no axis of records, neither
    /// have its predictions. Before training the initial parameters predict. Several threads may call it at a time, but
    /// not during a call of `train` with other data.
    template <AnyArray E>
    Array<T> predicted(const E& x) const {
        std::vector<std::size_t> shape = shape_of(x);
        if (shape.size() + 1 != static_cast<std::size_t>(model().records.inputs[0].rank)) return model().predict(x);
        const DenseElements<T> record(x);
        shape.insert(shape.begin(), 1);
        Array<T> result = model().predict(ArrayView<const T>(record.data(), std::move(shape)));
        result.reshape({result.shape().begin() + 1, result.shape().end()});
        return result;
    }
    template <NumbersInRow R>
    Array<T> predicted(const R& record) const {
        return predicted(ArrayView(record, array_extents(model().records.inputs[0], 1, 1)));
    }

    struct State {
        SequentialLayers layers;
        O optimizer;
        std::uint64_t seed;
        Owned<Model<DynamicNetwork, T>> untrained{};  ///< null without an Input, and once there is a trainer
        Owned<Trainer<DynamicNetwork, O, T>> trainer{};
        std::optional<Dataset> data{};
        std::size_t batch_size = 0;

        State(SequentialLayers layers_, O optimizer_, std::uint64_t seed_)
            : layers(std::move(layers_)), optimizer(optimizer_), seed(seed_) {}
    };
    Owned<State> state_;

    void make_model(std::span<const std::size_t> record) {
        state_->untrained = make_owned<Model<DynamicNetwork, T>>(state_->layers.made_for(record), state_->seed);
    }
    History train(const Dataset& data, RunOptions options, bool compare) {
        prepare_trainer(data, sequential_batch_size(std::exchange(options.batch_size, 0), data));
        state_->trainer->compare_data(compare);
        return state_->trainer->run(options);
    }

    /// Makes a trainer for these data, unless the current one has them.
    void prepare_trainer(const Dataset& data, std::size_t batch_size) {
        State& s = *state_;
        if (s.trainer && s.batch_size == batch_size && data::detail::same_records(*s.data, data)) return;
        if (!s.trainer && !s.untrained) make_model(data.input_shape());
        if (!classes_agree(model().classes(), data.classes()))
            throw_other_classes<ArgumentError>(sentence("dataset '", data.name(), "'"), model().classes(),
                                               "as in the earlier data (use labels(column, training.classes()))",
                                               data.classes());
        auto next = make_owned<Trainer<DynamicNetwork, O, T>>(
            "sequential", model().definition(), optimizer(), minibatches(data, batch_size, s.seed), element<T>, s.seed);
        next->model() = model();
        s.trainer = std::move(next);
        s.untrained = nullptr;
        s.data = data;
        s.batch_size = batch_size;
    }
};

/// The layers of a Sequential and its loss: the result of `Sequential::loss`.
class SequentialWithLoss {
public:
    /// @cond internal
    explicit SequentialWithLoss(SequentialLayers layers) : layers_(std::move(layers)) {}
    /// @endcond
    /// Returns the network with an optimizer, which can train and predict.
    /// @param optimizer_  the optimizer with its hyperparameters
    /// @param seed        seed of initial parameters, dropout and the order of records
    /// @return an object with `train`, `predict`, `evaluate`, `classify`, `model`, `trainer` and `summary`
    /// @throws MistakeError  if the network has an Input and a layer rejects its input
    template <AnyOptimizer O, class T = float>
    TrainableSequential<O, T> optimizer(O optimizer_, Element<T> = {}, std::uint64_t seed = 0) const {
        return {layers_, optimizer_, seed};
    }
    /// @cond internal
    error_training_needs_an_optimizer<use_optimizer_first> train(const Dataset&, const RunOptions& = {}) const;
    template <class X, class Y>
    error_training_needs_an_optimizer<use_optimizer_first> train(const X&, const Y&, const RunOptions& = {}) const;
    template <class... X>
    error_prediction_needs_a_loss_and_an_optimizer<use_optimizer_first> predict(const X&...) const;
    /// @endcond

private:
    SequentialLayers layers_;
};

}  // namespace detail

/// Losses as arguments of `Sequential::loss`, such as `.loss(losses::softmax_ce)`.
namespace losses {
/// The loss AbsoluteError.
///
/// @see AbsoluteError
inline constexpr AbsoluteError absolute_error{};
/// The loss BinaryCE.
///
/// @see BinaryCE
inline constexpr BinaryCE binary_ce{};
/// The loss Huber.
///
/// @see Huber
inline constexpr Huber huber{};
/// The loss MeanSquaredError.
///
/// @see MeanSquaredError
inline constexpr MeanSquaredError mean_squared_error{};
/// The loss MeanSquaredError, whose minimum is also that of the root mean squared error. Losses of results are means
/// of squares. For their roots, call `evaluate(testing, regression)["rmse"]`.
///
/// @see MeanSquaredError, regression
inline constexpr MeanSquaredError rmse{};
/// The loss SoftmaxCE.
///
/// @see SoftmaxCE
inline constexpr SoftmaxCE softmax_ce{};
/// The loss SquaredDiff.
///
/// @see SquaredDiff
inline constexpr SquaredDiff squared_diff{};
}  // namespace losses

/// A network that is built layer by layer by member functions, at run time.
///
/// Each function adds a layer. Without an `Input`, the first call of `train` sets the shape of a record. Layers that do
/// not match throw MistakeError: at `optimizer` if there is an Input, else at `train`.
///
/// @par Example
/// @code
/// auto classifier = Sequential().dense(20, sigmoid).dense(10).loss(losses::softmax_ce).optimizer(Adam{});
/// classifier.train(training, {.epochs = 20});
/// const Array<float> probabilities = classifier.predict(images);
/// @endcode
/// @see DynamicNetwork, Trainer, docs/sequential.md
class Sequential {
public:
    /// Constructs a network without layers. The training data set the shape of its input.
    Sequential() = default;
    /// Constructs a network without layers.
    /// @param input  shape of a record, such as `Input(28, 28)`. With it, the network can predict before training.
    explicit Sequential(const Input& input) : layers_{input, true} {}

    /// Adds any layer, expression or function of tensors, such as `add(Residual(2 * Dense(8)))`.
    /// @param layer  a layer, an expression of layers, or a function of tensors
    /// @return this object
    template <detail::Operand L>
    Sequential& add(const L& layer) {
        layers_.layers += layer;
        return *this;
    }
    /// Adds a Dense layer, such as `dense(20, sigmoid)`.
    /// @param units       number of outputs, at least 1
    /// @param activation  default: none
    /// @param options     bias and initializers, see DenseOptions
    /// @return this object
    Sequential& dense(int units, detail::Activation activation = {}, DenseOptions options = {});
    /// Adds a Conv2D layer, such as `conv2d(8, 5, relu)`.
    /// @param filters     number of filters, at least 1
    /// @param kernel      size of the kernel: 5, or {5, 3} for rows and columns
    /// @param activation  default: none
    /// @param options     strides, padding and others, see ConvolutionOptions
    /// @return this object
    Sequential& conv2d(int filters, Sizes kernel, detail::Activation activation = {}, ConvolutionOptions options = {});
    /// Adds a MaxPool layer, such as `max_pool(2)`.
    /// @param window   size of the window: 2, or {2, 3} for rows and columns
    /// @param options  strides and padding, see PoolingOptions
    /// @return this object
    Sequential& max_pool(Sizes window, PoolingOptions options = {});
    /// Adds an AveragePool layer, such as `average_pool(2)`.
    /// @param window   size of the window: 2, or {2, 3} for rows and columns
    /// @param options  strides and padding, see PoolingOptions
    /// @return this object
    Sequential& average_pool(Sizes window, PoolingOptions options = {});
    /// Adds a GlobalAveragePool layer.
    /// @return this object
    Sequential& global_average_pool();
    /// Adds a Flatten layer.
    /// @return this object
    Sequential& flatten();
    /// Adds a Dropout layer, such as `dropout(0.5)`.
    /// @param rate  share of the elements that are set to 0, 0 to below 1
    /// @return this object
    Sequential& dropout(double rate);
    /// Adds a BatchNorm layer.
    /// @return this object
    Sequential& batch_norm();
    /// Adds a LayerNorm layer.
    /// @return this object
    Sequential& layer_norm();
    /// Adds an Embedding layer, such as `embedding(1000, 16)`.
    /// @param words  number of tokens in the vocabulary
    /// @param width  size of the vector of a token
    /// @return this object
    Sequential& embedding(int words, int width);
    /// Adds an LSTM layer, such as `lstm(32)`.
    /// @param units    number of units, at least 1
    /// @param options  see RecurrentOptions
    /// @return this object
    Sequential& lstm(int units, RecurrentOptions options = {});
    /// Adds a GRU layer, such as `gru(32)`.
    /// @param units    number of units, at least 1
    /// @param options  see RecurrentOptions
    /// @return this object
    Sequential& gru(int units, RecurrentOptions options = {});

    /// Returns the layers with a loss, such as `loss(losses::softmax_ce)` or `loss(SoftmaxCE({.smoothing = 0.1}))`.
    /// @param loss  a loss
    /// @return an object with `optimizer`
    template <LossLayer L>
    detail::SequentialWithLoss loss(const L& loss) const {
        return detail::SequentialWithLoss(Sequential(*this).add(loss).layers_);
    }
    /// @cond internal
    // Calls that come too early. Their types name what is missing.
    template <class... X>
    error_optimizer_needs_a_loss_before_it<use_loss_first> optimizer(const X&...) const;
    error_training_needs_a_loss_and_an_optimizer<use_loss_and_optimizer_first> train(const Dataset&,
                                                                                     const RunOptions& = {}) const;
    template <class X, class Y>
    error_training_needs_a_loss_and_an_optimizer<use_loss_and_optimizer_first> train(const X&, const Y&,
                                                                                     const RunOptions& = {}) const;
    template <class... X>
    error_prediction_needs_a_loss_and_an_optimizer<use_loss_and_optimizer_first> predict(const X&...) const;
    /// @endcond

private:
    detail::SequentialLayers layers_;
};

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/trainer/impl/sequential.ipp>
#endif
