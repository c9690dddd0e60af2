// SPDX-License-Identifier: BSL-1.0
#pragma once
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

// What is told who calls the words of a Sequential in the wrong order, as names of types that are never defined; see
// `tape/mistake.hpp`.

namespace sigma {

inline constexpr Fault error_optimizer_needs_a_loss_before_it{"an optimizer needs a loss before it"},
    error_training_needs_a_loss_and_an_optimizer{"training needs a loss and an optimizer"},
    error_training_needs_an_optimizer{"training needs an optimizer"},
    error_prediction_needs_a_loss_and_an_optimizer{"prediction needs a loss and an optimizer"};
template <int>
struct dense_units;
template <class>
struct error_activation_belongs_between_the_angle_brackets;
struct write_add_of_Dense_8_in_angle_brackets;
template <class>
struct error_layer_belongs_between_the_angle_brackets;
struct write_dense_20_sigmoid;
template <class>
struct error_units_belong_between_the_angle_brackets;

namespace detail {

/// The network under a name of its own.
template <auto expression>
struct SequentialNetwork : Network<expression> {};

/// A network with its optimizer, and the trainer of the data it has met last: what `Sequential` ends in. Moves, and is
/// not copied.
template <AnyNetwork N, AnyOptimizer O, class T = float>
class SIGMA_BY_INSTRUCTIONS TrainableSequential : public detail::Inference<TrainableSequential<N, O, T>, N, T> {
    using Base = detail::Inference<TrainableSequential, N, T>;
    friend Base;

public:
    TrainableSequential(O optimizer, std::uint64_t seed) : state_(detail::make_owned<State>(optimizer, seed)) {}

    /// Trains for so many more epochs. With the data and batch size of the time before it goes on where that ended;
    /// with others the parameters stay, and the optimizer begins anew. Throws what Trainer throws, and ArgumentError
    /// where validation data did not go through what these went through, or where data number classes otherwise than
    /// those before.
    History train(const Dataset& data, const RunOptions& options = {}) { return train(data, options, true); }
    /// The same on arrays: inputs (records, …), and targets (records, …) or, for losses that classify, class
    /// numbers (records).
    template <AnyArray X, AnyTargets Y>
    History train(const X& inputs, const Y& targets, const RunOptions& options = {}) {
        return train(make_dataset(inputs, targets), options, false);
    }

    /// Throws ArgumentError where data did not go through what the training data went through; of arrays only the user
    /// knows.
    void require_like_training(const Dataset& data) const {
        if (state_->trainer) state_->trainer->require_like_training(data);
    }

    /// Layers, shapes and parameters as a table.
    std::string summary() const { return sigma::summary<N, T>(); }
    /// Hyper-parameters; they may change between calls of train, and within them by callbacks of the trainer.
    /// References to this and to the model hold until other data are trained on.
    O& optimizer() { return state_->trainer ? state_->trainer->optimizer : state_->optimizer; }
    Model<N, T>& model() { return state_->trainer ? state_->trainer->model() : *state_->untrained; }
    const Model<N, T>& model() const { return state_->trainer ? state_->trainer->model() : *state_->untrained; }
    /// The trainer of the data that were trained on last, for whatever this class has no word for.
    Trainer<N, O, T>& trainer() {
        if (!state_->trainer)
            throw Error("trainer of a sequential network: expected a call of train before, found none");
        return *state_->trainer;
    }

private:
    /// `predict`: a single record, an array or numbers in a row, is without the axis of records in and out. Before
    /// training predictions are those of the initial parameters. From many threads at a time, but not while other data
    /// are met.
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
        detail::Owned<Model<N, T>> untrained;  ///< until there is a trainer
        detail::Owned<Trainer<N, O, T>> trainer{};
        std::optional<Dataset> data{};
        std::size_t batch_size = 0;

        State(O o, std::uint64_t s) : optimizer(o), seed(s), untrained(detail::make_owned<Model<N, T>>(s)) {}
    };
    detail::Owned<State> state_;

    History train(const Dataset& data, RunOptions options, bool compare) {
        const auto size = std::exchange(options.batch_size, 0);
        if (size < 0)
            throw ArgumentError("training of a sequential network", "a batch size of 1 or more, or 0 for 32",
                                sentence(size));
        meet(data, static_cast<std::size_t>(size == 0 ? 32 : size));
        state_->trainer->compare_data(compare);
        return state_->trainer->run(options);
    }

    /// Has a trainer for these data.
    void meet(const Dataset& data, std::size_t batch_size) {
        State& s = *state_;
        if (batch_size > data.size()) batch_size = data.size();
        if (s.trainer && s.batch_size == batch_size && data::detail::same_records(*s.data, data)) return;
        if (!detail::classes_agree(model().classes(), data.classes()))
            detail::throw_other_classes<ArgumentError>(
                sentence("dataset '", data.name(), "'"), model().classes(),
                "as of the data before (labels(column, training.classes()) numbers them so)", data.classes());
        auto next = detail::make_owned<Trainer<N, O, T>>("sequential", N{}, optimizer(),
                                                         minibatches(data, batch_size, s.seed), element<T>, s.seed);
        next->model() = model();
        s.trainer = std::move(next);
        s.untrained = nullptr;
        s.data = data;
        s.batch_size = batch_size;
    }
};

/// Between angle brackets `Flatten()` is the type of a function, not a value: it stands for the layer just the same.
template <class L>
struct DefaultLayer {
    static constexpr L layer{};
};
template <class L>
struct DefaultLayer<L()> : DefaultLayer<L> {};

/// The word of a loss: `.loss(losses::softmax_ce)`.
template <LossLayer L>
struct LossWord {};

}  // namespace detail

namespace losses {
inline constexpr sigma::detail::LossWord<AbsoluteError> absolute_error;
inline constexpr sigma::detail::LossWord<BinaryCE> binary_ce;
inline constexpr sigma::detail::LossWord<Huber> huber;
inline constexpr sigma::detail::LossWord<MeanSquaredError> mean_squared_error;
inline constexpr sigma::detail::LossWord<SoftmaxCE> softmax_ce;
inline constexpr sigma::detail::LossWord<SquaredDiff> squared_diff;

struct write_squared_diff_and_score_data_regression;
extern const error_word_is_written_otherwise<write_squared_diff_and_score_data_regression> rmse;
}  // namespace losses

namespace detail {

/// A number between angle brackets: `.dropout<0.5>()`. (clang 14 takes no plain double there.)
struct Rate {
    double value;
    constexpr Rate(double v) : value(v) {}
};

}  // namespace detail

template <auto expression>
class Sequential;

namespace detail {

/// What a walk over an expression that goes on finds.
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

/// What `expression + layer` is among the words of a Sequential, or its mistake. Each layer is checked where it is
/// added.
template <auto expression, auto layer, bool fine = Walked<expression + layer>::refusal.fault == nullptr>
struct NextOf {
    using type = Sequential<expression + layer>;
};
template <auto expression, auto layer>
struct NextOf<expression, layer, false> {
    using type = const typename SpelledRefusal<Walked<expression + layer>>::type;
};

/// What is told who calls a word too early: what is missing behind the last layer.
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

/// What `.optimizer(…)` makes of an expression, or its mistake.
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

/// A network word by word:
///
///     auto network = Sequential<Input(4)>().dense<20,
///     sigmoid>().dense<3>().loss(losses::softmax_ce).optimizer(Adam{}); network.train(x, y, {.epochs = 20}); const
///     auto p = network.predict(x);
///
/// The layers are in the type, so what decides shapes and code stands between angle brackets; each word returns the
/// next type. Words in the wrong order, and layers that do not fit, do not compile and name the mistake.
template <auto expression>
class Sequential {
    // They are not constexpr: clang would
    // look at their bodies first, and find mistakes there.
    template <auto layer>
    using Next = detail::NextOf<expression, layer>;

public:
    /// Any layer, or any expression: `add<Residual(2 * Dense(8))>()`; a function over tensors: `add([](auto x) { … })`.
    template <auto layer>
    auto add() const -> decltype(detail::plainly(std::type_identity<typename Next<layer>::type>{})) {
        return {};
    }
    template <class L>
    auto add() const
        -> decltype(detail::plainly(std::type_identity<typename Next<detail::DefaultLayer<L>::layer>::type>{})) {
        return {};
    }
    template <class F>
        requires(std::is_class_v<F> && !AnyLayer<F>)
    auto add(F) const -> decltype(detail::plainly(std::type_identity<typename Next<detail::Lambda<F>(F{})>::type>{})) {
        return {};
    }

    template <AnyLayer L>
    error_layer_belongs_between_the_angle_brackets<write_add_of_Dense_8_in_angle_brackets> add(L) const;

    template <int units, detail::TensorFunction activation = identity, DenseOptions options = DenseOptions{}>
    auto dense() const
        -> decltype(detail::plainly(std::type_identity<typename Next<Dense(units, activation, options)>::type>{})) {
        return {};
    }
    /// With a function object as its activation.
    template <int units, class F>
        requires(std::is_class_v<F>)
    auto dense(F) const -> decltype(detail::plainly(std::type_identity<typename Next<Dense(units, F{})>::type>{})) {
        return {};
    }
    /// A value of a function's type is known too late: `dense<20, sigmoid>()`.
    template <int units>
    error_activation_belongs_between_the_angle_brackets<dense_units<units>> dense(detail::TensorFunction) const;
    error_units_belong_between_the_angle_brackets<write_dense_20_sigmoid> dense(
        int, detail::TensorFunction = identity) const;

    template <int filters, Sizes kernel, detail::TensorFunction activation = identity,
              ConvolutionOptions options = ConvolutionOptions{}>
    auto conv2d() const -> decltype(detail::plainly(
        std::type_identity<typename Next<Conv2D(filters, kernel, activation, options)>::type>{})) {
        return {};
    }
    template <Sizes window, PoolingOptions options = PoolingOptions{}>
    auto max_pool() const
        -> decltype(detail::plainly(std::type_identity<typename Next<MaxPool(window, options)>::type>{})) {
        return {};
    }
    template <Sizes window, PoolingOptions options = PoolingOptions{}>
    auto average_pool() const
        -> decltype(detail::plainly(std::type_identity<typename Next<AveragePool(window, options)>::type>{})) {
        return {};
    }
    template <class L = GlobalAveragePool>
    auto global_average_pool() const -> decltype(detail::plainly(std::type_identity<typename Next<L{}>::type>{})) {
        return {};
    }
    template <class L = Flatten>
    auto flatten() const -> decltype(detail::plainly(std::type_identity<typename Next<L{}>::type>{})) {
        return {};
    }
    template <detail::Rate rate>
    auto dropout() const -> decltype(detail::plainly(std::type_identity<typename Next<Dropout(rate.value)>::type>{})) {
        return {};
    }
    template <class L = BatchNorm>
    auto batch_norm() const -> decltype(detail::plainly(std::type_identity<typename Next<L{}>::type>{})) {
        return {};
    }
    template <class L = LayerNorm>
    auto layer_norm() const -> decltype(detail::plainly(std::type_identity<typename Next<L{}>::type>{})) {
        return {};
    }
    template <int words, int width>
    auto embedding() const
        -> decltype(detail::plainly(std::type_identity<typename Next<Embedding(words, width)>::type>{})) {
        return {};
    }
    template <int units, RecurrentOptions options = RecurrentOptions{}>
    auto lstm() const -> decltype(detail::plainly(std::type_identity<typename Next<LSTM(units, options)>::type>{})) {
        return {};
    }
    template <int units, RecurrentOptions options = RecurrentOptions{}>
    auto gru() const -> decltype(detail::plainly(std::type_identity<typename Next<GRU(units, options)>::type>{})) {
        return {};
    }

    /// By an expression, `loss<SoftmaxCE({.smoothing = 0.1})>()`, or by a word, `loss(losses::softmax_ce)`.
    template <LossLayer auto layer>
    auto loss() const -> decltype(detail::plainly(std::type_identity<typename Next<layer>::type>{})) {
        return {};
    }
    template <class L>
        requires(LossLayer<std::remove_cvref_t<decltype(detail::DefaultLayer<L>::layer)>>)
    auto loss() const
        -> decltype(detail::plainly(std::type_identity<typename Next<detail::DefaultLayer<L>::layer>::type>{})) {
        return {};
    }
    template <class L>
    auto loss(detail::LossWord<L>) const
        -> decltype(detail::plainly(std::type_identity<typename Next<detail::DefaultLayer<L>::layer>::type>{})) {
        return {};
    }
    /// Ends the sentence. One seed decides initial parameters, dropout and the order of records.
    template <AnyOptimizer O, class T = float>
    auto optimizer(O o, detail::Element<T> = {}, std::uint64_t seed = 0) const
        -> decltype(detail::plainly(std::type_identity<typename detail::TrainableOf<expression, O, T>::type>{})) {
        return {o, seed};
    }

    // Too early: these say what is missing.
    auto train(const Dataset&, const RunOptions& = {}) const
        -> decltype(detail::plainly(std::type_identity<detail::MissingForTraining<expression>>{}));
    template <class X, class Y>
    auto train(const X&, const Y&, const RunOptions& = {}) const
        -> decltype(detail::plainly(std::type_identity<detail::MissingForTraining<expression>>{}));
    template <class X>
    auto predict(const X&) const -> decltype(detail::plainly(
        std::type_identity<detail::Missing<expression, error_prediction_needs_a_loss_and_an_optimizer>>{}));
};

}  // namespace sigma
