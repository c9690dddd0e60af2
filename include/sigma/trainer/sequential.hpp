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
#include <sigma/layer/dropout.hpp>
#include <sigma/layer/embedding.hpp>
#include <sigma/layer/normalization.hpp>
#include <sigma/layer/pooling.hpp>
#include <sigma/layer/recurrent.hpp>
#include <sigma/layer/reshape.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/graph.hpp>
#include <sigma/tape/mistake.hpp>
#include <sigma/trainer/trainer.hpp>

#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace sigma {

/// @cond internal
// Errors for calls in the wrong order, as names of types that are never defined; see `tape/mistake.hpp`.

inline constexpr Fault error_optimizer_needs_a_loss_before_it{"an optimizer needs a loss before it"},
    error_training_needs_a_loss_and_an_optimizer{"training needs a loss and an optimizer"},
    error_training_needs_an_optimizer{"training needs an optimizer"},
    error_prediction_needs_a_loss_and_an_optimizer{"prediction needs a loss and an optimizer"};
template <int>
struct dense_units;
template <class>
struct error_activation_belongs_between_the_angle_brackets;
struct use_add_of_Dense_8_in_angle_brackets;
template <class>
struct error_layer_belongs_between_the_angle_brackets;
struct use_dense_20_sigmoid;
template <class>
struct error_units_belong_between_the_angle_brackets;
/// @endcond

namespace detail {

/// The network of an expression, as a named type.
template <auto expression>
struct SequentialNetwork : Network<expression> {};

/// A network with its optimizer, and a trainer for the latest training data: the result of `Sequential::optimizer`. Can
/// be moved, not copied.
template <AnyNetwork N, AnyOptimizer O, class T = float>
class SIGMA_BY_INSTRUCTIONS TrainableSequential : public detail::Inference<TrainableSequential<N, O, T>, N, T> {
    using Base = detail::Inference<TrainableSequential, N, T>;
    friend Base;

public:
    /// Constructs a network with initial parameters. Call `Sequential::optimizer` instead.
    TrainableSequential(O optimizer, std::uint64_t seed) : state_(detail::make_owned<State>(optimizer, seed)) {}

    /// Trains for a number of further epochs.
    ///
    /// A second call with the same data and batch size continues where the first one ended. With other data the
    /// parameters stay, and the optimizer starts again with new states.
    ///
    /// @param data     records to train on
    /// @param options  number of epochs (default: 1), batch size (default: 32) and others
    /// @return the results of each epoch
    /// @throws ArgumentError          if an option is out of range, if the validation data have other preprocessing, or
    ///                                if the data have other classes than those of an earlier call
    /// @throws ShapeError  if the shapes of the records do not match the network
    /// @throws DataError   if the records do not match the network
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
    std::string summary() const { return sigma::summary<N, T>(); }
    /// Returns the optimizer. You may change its hyperparameters between calls of `train` and in callbacks of the
    /// trainer. The reference is valid until `train` is called with other data.
    O& optimizer() { return state_->trainer ? state_->trainer->optimizer : state_->optimizer; }
    /// Returns the model. The reference is valid until `train` is called with other data.
    Model<N, T>& model() { return state_->trainer ? state_->trainer->model() : *state_->untrained; }
    /// Returns the model. The reference is valid until `train` is called with other data.
    const Model<N, T>& model() const { return state_->trainer ? state_->trainer->model() : *state_->untrained; }
    /// Returns the trainer of the latest training data, for everything else.
    /// @throws Error  before the first call of `train`
    Trainer<N, O, T>& trainer() {
        if (!state_->trainer)
            throw Error("trainer of a sequential network: there is none before the first call of train");
        return *state_->trainer;
    }

private:
    /// Implements `predict`. A single record, as an array or a sequence of numbers, has no axis of records, neither
    /// have its predictions. Before training the initial parameters predict. Several threads may call it at a time, but
    /// not during a call of `train` with other data.
    template <AnyArray E>
        requires(N::input_count == 1 && N::cost_count == 1)
    auto predicted(const E& x) const {
        std::vector<std::size_t> shape = detail::shape_of(x);
        if (shape.size() + 1 != static_cast<std::size_t>(N::input.rank)) return model().predict(x);
        const detail::DenseElements<T> record(x);
        shape.insert(shape.begin(), 1);
        Array<T> result = model().predict(ArrayView<const T>(record.data(), std::move(shape)));
        result.reshape({result.shape().begin() + 1, result.shape().end()});
        return result;
    }
    template <detail::NumbersInRow R>
        requires(N::input_count == 1 && N::cost_count == 1)
    auto predicted(const R& record) const {
        return predicted(ArrayView(record, detail::array_extents(N::inputs[0], 1, 1)));
    }

    struct State {
        O optimizer;
        std::uint64_t seed;
        detail::Owned<Model<N, T>> untrained;  ///< null once there is a trainer
        detail::Owned<Trainer<N, O, T>> trainer{};
        std::optional<Dataset> data{};
        std::size_t batch_size = 0;

        State(O optimizer_, std::uint64_t seed_)
            : optimizer(optimizer_), seed(seed_), untrained(detail::make_owned<Model<N, T>>(seed_)) {}
    };
    detail::Owned<State> state_;

    History train(const Dataset& data, RunOptions options, bool compare) {
        const auto size = std::exchange(options.batch_size, 0);
        if (size < 0)
            throw ArgumentError("training of a sequential network", "a batch size of 1 or more, or 0 for 32",
                                sentence(size));
        prepare_trainer(data, static_cast<std::size_t>(size == 0 ? 32 : size));
        state_->trainer->compare_data(compare);
        return state_->trainer->run(options);
    }

    /// Makes a trainer for these data, unless the current one has them.
    void prepare_trainer(const Dataset& data, std::size_t batch_size) {
        State& s = *state_;
        if (batch_size > data.size()) batch_size = data.size();
        if (s.trainer && s.batch_size == batch_size && data::detail::same_records(*s.data, data)) return;
        if (!detail::classes_agree(model().classes(), data.classes()))
            detail::throw_other_classes<ArgumentError>(
                sentence("dataset '", data.name(), "'"), model().classes(),
                "as in the earlier data (use labels(column, training.classes()))", data.classes());
        auto next = detail::make_owned<Trainer<N, O, T>>("sequential", N{}, optimizer(),
                                                         minibatches(data, batch_size, s.seed), element<T>, s.seed);
        next->model() = model();
        s.trainer = std::move(next);
        s.untrained = nullptr;
        s.data = data;
        s.batch_size = batch_size;
    }
};

/// A layer of a type. In template arguments `Flatten()` is the type of a function; it means the layer, too.
template <class L>
struct DefaultLayer {
    static constexpr L layer{};
};
template <class L>
struct DefaultLayer<L()> : DefaultLayer<L> {};

/// The type of `losses::softmax_ce` and others.
template <LossLayer L>
struct LossWord {};

}  // namespace detail

/// Losses as arguments of `Sequential::loss`, such as `.loss(losses::softmax_ce)`.
namespace losses {
/// The loss AbsoluteError.
///
/// @see AbsoluteError
inline constexpr sigma::detail::LossWord<AbsoluteError> absolute_error;
/// The loss BinaryCE.
///
/// @see BinaryCE
inline constexpr sigma::detail::LossWord<BinaryCE> binary_ce;
/// The loss Huber.
///
/// @see Huber
inline constexpr sigma::detail::LossWord<Huber> huber;
/// The loss MeanSquaredError.
///
/// @see MeanSquaredError
inline constexpr sigma::detail::LossWord<MeanSquaredError> mean_squared_error;
/// The loss SoftmaxCE.
///
/// @see SoftmaxCE
inline constexpr sigma::detail::LossWord<SoftmaxCE> softmax_ce;
/// The loss SquaredDiff.
///
/// @see SquaredDiff
inline constexpr sigma::detail::LossWord<SquaredDiff> squared_diff;

/// @cond internal
struct use_squared_diff_and_score_data_regression;
extern const error_word_is_written_otherwise<use_squared_diff_and_score_data_regression> rmse;
/// @endcond
}  // namespace losses

namespace detail {

/// A number as a template argument: `.dropout<0.5>()`. (clang 14 does not accept a plain double.)
struct Rate {
    double value;
    constexpr Rate(double value_) : value(value_) {}
};

}  // namespace detail

template <auto expression>
class Sequential;

namespace detail {

/// Properties of an unfinished expression: its first mistake, whether it has a loss, and its last layer.
template <auto expression>
struct Walked {
    struct Found {
        Refusal refusal{};
        bool has_loss = false;
        int layer = -1;  ///< the last one
        const Text* kind = nullptr;
    };
    static constexpr Found make() {
        Tape tape;
        Context context(tape, false);
        Flow flow;
        trace(expression, context, flow);
        return {context.refusal, !context.losses.empty(), context.layer, context.kind};
    }
    static constexpr Found found = make();
    static constexpr const Refusal& refusal = found.refusal;
};

/// The Sequential of `expression + layer`, or its mistake. Each layer is checked when it is added.
template <auto expression, auto layer, bool fine = Walked<expression + layer>::refusal.fault == nullptr>
struct NextOf {
    using type = Sequential<expression + layer>;
};
template <auto expression, auto layer>
struct NextOf<expression, layer, false> {
    using type = const typename SpelledRefusal<Walked<expression + layer>>::type;
};

/// The mistake of a call that comes too early: `fault` names what is missing after the last layer.
template <auto expression, const Fault& fault>
struct TooEarly {
    static constexpr Refusal refusal{&fault, {}, Walked<expression>::found.layer, Walked<expression>::found.kind};
};
template <auto expression, const Fault& fault>
using Missing = const typename SpelledRefusal<TooEarly<expression, fault>>::type;
template <auto expression>
using MissingForTraining =
    Missing<expression, Walked<expression>::found.has_loss ? error_training_needs_an_optimizer
                                                           : error_training_needs_a_loss_and_an_optimizer>;

/// Returns the result type of `.optimizer(…)`, or its mistake.
template <auto expression, class O, class T>
consteval auto trainable_of() {
    if constexpr (!Walked<expression>::found.has_loss)
        return Mistake<Missing<expression, error_optimizer_needs_a_loss_before_it>>{};
    else if constexpr (NetworkRecordsOf<expression>::refusal.fault == nullptr)
        return std::type_identity<TrainableSequential<SequentialNetwork<expression>, O, T>>{};
    else return Mistake<typename SpelledRefusal<NetworkRecordsOf<expression>>::type>{};
}
template <auto expression, class O, class T>
struct TrainableOf : TypeOrMistake<decltype(trainable_of<expression, O, T>())> {};

}  // namespace detail

/// A network that is built layer by layer by member functions.
///
/// Each function returns another type, which contains the layers so far. Arguments that determine shapes are template
/// arguments. Layers that do not match, and calls in the wrong order, do not compile, and the error names the mistake.
///
/// @tparam expression  the layers so far; begin with `Input(…)`
///
/// @par Example
/// @code
/// auto classifier = Sequential<Input(28, 28)>()
///                       .dense<20, sigmoid>()
///                       .dense<10>()
///                       .loss(losses::softmax_ce)
///                       .optimizer(Adam{});
/// classifier.train(training, {.epochs = 20});
/// const Array<float> probabilities = classifier.predict(images);
/// @endcode
/// @see Trainer, Network, docs/sequential.md
template <auto expression>
class Sequential {
    // The functions are not constexpr, since clang would instantiate their bodies first and report mistakes there.
    template <auto layer>
    using Next = detail::NextOf<expression, layer>;

public:
    /// Adds any layer or expression, such as `add<Residual(2 * Dense(8))>()`.
    /// @tparam layer  a layer or an expression of layers
    template <auto layer>
    auto add() const -> decltype(detail::plainly(std::type_identity<typename Next<layer>::type>{})) {
        return {};
    }
    /// Adds a layer by its type, such as `add<Flatten>()` or `add<Flatten()>()`.
    /// @tparam L  a layer that needs no arguments
    template <class L>
    auto add() const
        -> decltype(detail::plainly(std::type_identity<typename Next<detail::DefaultLayer<L>::layer>::type>{})) {
        return {};
    }
    /// Adds a function of tensors, such as `add([](auto x) { return x * x; })`. The function must have no captures.
    template <class F>
        requires(std::is_class_v<F> && !AnyLayer<F>)
    auto add(F) const -> decltype(detail::plainly(std::type_identity<typename Next<detail::Lambda<F>(F{})>::type>{})) {
        return {};
    }

    /// @cond internal
    template <AnyLayer L>
    error_layer_belongs_between_the_angle_brackets<use_add_of_Dense_8_in_angle_brackets> add(L) const;
    /// @endcond

    /// Adds a Dense layer, such as `dense<20, sigmoid>()`.
    /// @tparam units       number of outputs, at least 1
    /// @tparam activation  default: none
    /// @tparam options     bias and initializers, see DenseOptions
    template <int units, detail::TensorFunction activation = identity, DenseOptions options = DenseOptions{}>
    auto dense() const
        -> decltype(detail::plainly(std::type_identity<typename Next<Dense(units, activation, options)>::type>{})) {
        return {};
    }
    /// Adds a Dense layer with a function object as its activation, such as a lambda without captures.
    /// @tparam units  number of outputs, at least 1
    template <int units, class F>
        requires(std::is_class_v<F>)
    auto dense(F) const -> decltype(detail::plainly(std::type_identity<typename Next<Dense(units, F{})>::type>{})) {
        return {};
    }
    /// @cond internal
    // Rejects `dense<20>(sigmoid)`: the function is not known at compile time.
    template <int units>
    error_activation_belongs_between_the_angle_brackets<dense_units<units>> dense(detail::TensorFunction) const;
    error_units_belong_between_the_angle_brackets<use_dense_20_sigmoid> dense(int,
                                                                              detail::TensorFunction = identity) const;
    /// @endcond

    /// Adds a Conv2D layer, such as `conv2d<8, 5, relu>()`.
    /// @tparam filters     number of filters, at least 1
    /// @tparam kernel      size of the kernel: 5, or {5, 3} for rows and columns
    /// @tparam activation  default: none
    /// @tparam options     strides, padding and others, see ConvolutionOptions
    template <int filters, Sizes kernel, detail::TensorFunction activation = identity,
              ConvolutionOptions options = ConvolutionOptions{}>
    auto conv2d() const -> decltype(detail::plainly(
        std::type_identity<typename Next<Conv2D(filters, kernel, activation, options)>::type>{})) {
        return {};
    }
    /// Adds a MaxPool layer, such as `max_pool<2>()`.
    /// @tparam window   size of the window: 2, or {2, 3} for rows and columns
    /// @tparam options  strides and padding, see PoolingOptions
    template <Sizes window, PoolingOptions options = PoolingOptions{}>
    auto max_pool() const
        -> decltype(detail::plainly(std::type_identity<typename Next<MaxPool(window, options)>::type>{})) {
        return {};
    }
    /// Adds an AveragePool layer, such as `average_pool<2>()`.
    /// @tparam window   size of the window: 2, or {2, 3} for rows and columns
    /// @tparam options  strides and padding, see PoolingOptions
    template <Sizes window, PoolingOptions options = PoolingOptions{}>
    auto average_pool() const
        -> decltype(detail::plainly(std::type_identity<typename Next<AveragePool(window, options)>::type>{})) {
        return {};
    }
    /// Adds a GlobalAveragePool layer.
    template <class L = GlobalAveragePool>
    auto global_average_pool() const -> decltype(detail::plainly(std::type_identity<typename Next<L{}>::type>{})) {
        return {};
    }
    /// Adds a Flatten layer.
    template <class L = Flatten>
    auto flatten() const -> decltype(detail::plainly(std::type_identity<typename Next<L{}>::type>{})) {
        return {};
    }
    /// Adds a Dropout layer, such as `dropout<0.5>()`.
    /// @tparam rate  share of the elements that are set to 0, 0 to below 1
    template <detail::Rate rate>
    auto dropout() const -> decltype(detail::plainly(std::type_identity<typename Next<Dropout(rate.value)>::type>{})) {
        return {};
    }
    /// Adds a BatchNorm layer.
    template <class L = BatchNorm>
    auto batch_norm() const -> decltype(detail::plainly(std::type_identity<typename Next<L{}>::type>{})) {
        return {};
    }
    /// Adds a LayerNorm layer.
    template <class L = LayerNorm>
    auto layer_norm() const -> decltype(detail::plainly(std::type_identity<typename Next<L{}>::type>{})) {
        return {};
    }
    /// Adds an Embedding layer, such as `embedding<1000, 16>()`.
    /// @tparam words  number of tokens in the vocabulary
    /// @tparam width  size of the vector of a token
    template <int words, int width>
    auto embedding() const
        -> decltype(detail::plainly(std::type_identity<typename Next<Embedding(words, width)>::type>{})) {
        return {};
    }
    /// Adds an LSTM layer, such as `lstm<32>()`.
    /// @tparam units    number of units, at least 1
    /// @tparam options  see RecurrentOptions
    template <int units, RecurrentOptions options = RecurrentOptions{}>
    auto lstm() const -> decltype(detail::plainly(std::type_identity<typename Next<LSTM(units, options)>::type>{})) {
        return {};
    }
    /// Adds a GRU layer, such as `gru<32>()`.
    /// @tparam units    number of units, at least 1
    /// @tparam options  see RecurrentOptions
    template <int units, RecurrentOptions options = RecurrentOptions{}>
    auto gru() const -> decltype(detail::plainly(std::type_identity<typename Next<GRU(units, options)>::type>{})) {
        return {};
    }

    /// Adds a loss, such as `loss<SoftmaxCE({.smoothing = 0.1})>()`.
    /// @tparam layer  a loss layer
    template <LossLayer auto layer>
    auto loss() const -> decltype(detail::plainly(std::type_identity<typename Next<layer>::type>{})) {
        return {};
    }
    /// Adds a loss by its type, such as `loss<SoftmaxCE>()`.
    /// @tparam L  a loss layer that needs no arguments
    template <class L>
        requires(LossLayer<std::remove_cvref_t<decltype(detail::DefaultLayer<L>::layer)>>)
    auto loss() const
        -> decltype(detail::plainly(std::type_identity<typename Next<detail::DefaultLayer<L>::layer>::type>{})) {
        return {};
    }
    /// Adds a loss by its name, such as `loss(losses::softmax_ce)`.
    template <class L>
    auto loss(detail::LossWord<L>) const
        -> decltype(detail::plainly(std::type_identity<typename Next<detail::DefaultLayer<L>::layer>::type>{})) {
        return {};
    }
    /// Returns the network with an optimizer, which can train and predict.
    /// @param optimizer_  the optimizer with its hyperparameters
    /// @param seed        seed of initial parameters, dropout and the order of records
    /// @return an object with `train`, `predict`, `evaluate`, `classify`, `model`, `trainer` and `summary`
    template <AnyOptimizer O, class T = float>
    auto optimizer(O optimizer_, detail::Element<T> = {}, std::uint64_t seed = 0) const
        -> decltype(detail::plainly(std::type_identity<typename detail::TrainableOf<expression, O, T>::type>{})) {
        return {optimizer_, seed};
    }

    /// @cond internal
    // Calls that come too early. Their types name what is missing.
    auto train(const Dataset&, const RunOptions& = {}) const
        -> decltype(detail::plainly(std::type_identity<detail::MissingForTraining<expression>>{}));
    template <class X, class Y>
    auto train(const X&, const Y&, const RunOptions& = {}) const
        -> decltype(detail::plainly(std::type_identity<detail::MissingForTraining<expression>>{}));
    template <class X>
    auto predict(const X&) const -> decltype(detail::plainly(
        std::type_identity<detail::Missing<expression, error_prediction_needs_a_loss_and_an_optimizer>>{}));
    /// @endcond
};

}  // namespace sigma
