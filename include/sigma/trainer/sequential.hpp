// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/words.hpp>
#include <sigma/layer/absolute_error.hpp>
#include <sigma/layer/average_pool.hpp>
#include <sigma/layer/batch_norm.hpp>
#include <sigma/layer/binary_ce.hpp>
#include <sigma/layer/conv2d.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/dropout.hpp>
#include <sigma/layer/embedding.hpp>
#include <sigma/layer/flatten.hpp>
#include <sigma/layer/global_average_pool.hpp>
#include <sigma/layer/gru.hpp>
#include <sigma/layer/huber.hpp>
#include <sigma/layer/layer_norm.hpp>
#include <sigma/layer/lstm.hpp>
#include <sigma/layer/max_pool.hpp>
#include <sigma/layer/mean_squared_error.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/trainer/errors.hpp>
#include <sigma/trainer/sequential_network.hpp>

#include <type_traits>

namespace sigma {

namespace detail {

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

/// What `expression + layer` is among the words of a Sequential, or its mistake. Each layer is checked where it is
/// added.
template <auto expression, auto layer>
consteval auto next_of() {
    using E = std::remove_cvref_t<decltype(expression)>;
    using Added = decltype(sequence_mistake<E, std::remove_cvref_t<decltype(layer)>>());
    if constexpr (!is_source<First<E>>) {
        return Mistake<error_network_must_start_with_Input<first_layer_is<First<E>>>>{};
    } else if constexpr (!is_fine<Added>) {
        return Added{};
    } else {
        using Found = TraceOf<expression + layer>;
        if constexpr (is_fine<Found>) return std::type_identity<Sequential<expression + layer>>{};
        else return Found{};
    }
}
template <auto expression, auto layer>
struct NextOf : TypeOrMistake<decltype(next_of<expression, layer>())> {};

/// What `.optimizer(…)` makes of an expression, or its mistake.
template <auto expression, class O, class T>
consteval auto trainable_of() {
    using E = std::remove_cvref_t<decltype(expression)>;
    using Found = decltype(network_or_mistake<expression>());
    if constexpr (!LossLayer<Last<E>>) return Mistake<error_optimizer_needs_a_loss_before_it<last_layer_is<Last<E>>>>{};
    else if constexpr (is_fine<Found>)
        return std::type_identity<TrainableSequential<SequentialNetwork<expression>, O, T>>{};
    else return Found{};
}
template <auto expression, class O, class T>
struct TrainableOf : TypeOrMistake<decltype(trainable_of<expression, O, T>())> {};

/// What training is told before there is an optimizer.
template <class L>
struct TooEarly {
    using training = error_training_needs_a_loss_and_an_optimizer<last_layer_is<L>>;
};
template <LossLayer L>
struct TooEarly<L> {
    using training = error_training_needs_an_optimizer<last_layer_is<L>>;
};

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
    using E = std::remove_cvref_t<decltype(expression)>;
    using Last = detail::Last<E>;
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
    auto add(F) const -> decltype(detail::plainly(std::type_identity<typename Next<detail::Lambda<F>{}>::type>{})) {
        return {};
    }

    template <AnyLayer L>
    error_layer_belongs_between_the_angle_brackets<write_add_of_Dense_8_in_angle_brackets> add(L) const;

    template <int units, NamedActivation activation = identity, DenseOptions options = DenseOptions{}>
    auto dense() const
        -> decltype(detail::plainly(std::type_identity<typename Next<Dense<>(units, activation, options)>::type>{})) {
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
    error_activation_belongs_between_the_angle_brackets<dense_units<units>> dense(NamedActivation) const;
    error_units_belong_between_the_angle_brackets<write_dense_20_sigmoid> dense(int, NamedActivation = identity) const;

    template <int filters, Sizes kernel, NamedActivation activation = identity,
              ConvolutionOptions options = ConvolutionOptions{}>
    auto conv2d() const -> decltype(detail::plainly(
        std::type_identity<typename Next<Conv2D<>(filters, kernel, activation, options)>::type>{})) {
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
    typename detail::TooEarly<Last>::training train(const Dataset&, const RunOptions& = {}) const;
    template <class X, class Y>
    typename detail::TooEarly<Last>::training train(const X&, const Y&, const RunOptions& = {}) const;
    template <class X>
    error_prediction_needs_a_loss_and_an_optimizer<last_layer_is<Last>> predict(const X&) const;
};

}  // namespace sigma
