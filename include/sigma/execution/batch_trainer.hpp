// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_array.hpp>
#include <sigma/core/words.hpp>
#include <sigma/execution/batch_trainer_core.hpp>
#include <sigma/execution/step.hpp>
#include <sigma/execution/words_of_other_headers.hpp>
#include <sigma/network/model.hpp>
#include <sigma/optimizer/check.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <utility>

template <class W>
struct sigma::detail::Included<sigma::include_sigma_execution_batch_trainer_hpp, W> {};

namespace sigma {

/// Batches go on from where the batch before has ended in recurrent layers with `.stateful = true`.
template <class Network>
struct error_train_on_next_batch_needs_a_stateful_layer;
/// A batch for another network trains the same parameters: the same layers over other extents.
template <class GivenModel, class Trained>
struct error_networks_differ_in_their_parameters;

namespace detail {

/// changed_statistics as data.
template <class N>
struct StatisticNumbers {
    static constexpr int count = changed_statistics<N>().size();
    static constexpr StaticArray<int, count> find() {
        const List<int> all = changed_statistics<N>();
        StaticArray<int, count> f;
        for (int i = 0; i < count; ++i) f.data[i] = all[i];
        return f;
    }
    static constexpr StaticArray<int, count> numbers = find();
};
template <class N>
inline constexpr ListView<int> statistic_numbers{StatisticNumbers<N>::numbers.data, StatisticNumbers<N>::count};

/// The number of the input that the first state begins with which batches hand on.
template <class N>
inline constexpr int first_carried = N::input_count + N::cost_count + 2;

/// Whether a batch for one network is a batch for the parameters of the other: these have the same names and shapes,
/// and so have the states that batches hand on.
template <class A, class B>
inline constexpr bool same_parameters = [] {
    const auto &a = A::records.parameters, &b = B::records.parameters;
    const auto &a_states = network_table<A>.states, &b_states = network_table<B>.states;
    if (a.size() != b.size() || a_states.size() != b_states.size()) return false;
    for (int i = 0; i < a.size(); ++i)
        if (a[i].name.view() != b[i].name.view() || a[i].shape != b[i].shape || a[i].trained != b[i].trained)
            return false;
    for (int i = 0; i < a_states.size(); ++i)
        if (a_states[i].units != b_states[i].units) return false;
    return A::cost_count == B::cost_count;
}();

/// Gradients of all trained parameters, then what the statistics become.
constexpr void add_training_outputs(Program& p, const Context& context, Variable total) {
    const List<Variable> of = choose_parameters(p, context, GradientsIn::trained).variables;
    for (const Variable& g : differentiate(total, constant(&p.tape, 1), of)) add_output(p, g);
    for (const StatisticUpdate& u : context.updates) add_output(p, expand({&p.tape, u.value}, p.tape[u.target].shape));
}
/// inputs, targets, two weights as in weigh_losses, states → the losses, not weighted; weighted gradients; statistics;
/// states
template <class N>
struct BatchProgram {
    constexpr Program operator()() const {
        Program p;
        Context context(p.tape, true);
        context.first_carried = first_carried<N>;
        trace_network(N::expression, context);
        Losses losses = trace_losses(p, N::expression, context);
        add_losses(p, losses);
        weigh_losses(p, N::expression, context, losses);
        add_training_outputs(p, context, losses.total);
        for (const CarriedState& s : context.carried) add_output(p, {&p.tape, s.last});
        return p;
    }
};
/// Σ u·prediction, the sum over all costs, whose gradients are those under the upstream gradients u.
template <class N>
struct BackwardProgram {
    constexpr Program operator()() const {
        Program p;
        Context context(p.tape, true);
        trace_network(N::expression, context);
        Variable total = constant(&p.tape, 0);
        int i = 0;
        each_loss(N::expression, [&](const auto& loss) {
            const Tensor u{input(p, N::records.costs[i].prediction, N::input_count + i)};
            const Tensor y = loss.predict(Tensor{context.results[i]});
            const Tensor product = u * y;
            total = total + sum(product).variable;
            ++i;
        });
        add_training_outputs(p, context, total);
        return p;
    }
};
/// inputs, targets → the gradient of the loss in each input
template <class N>
struct InputGradientProgram {
    constexpr Program operator()() const {
        Program p;
        Context context(p.tape, true);
        trace_network(N::expression, context);
        const Losses losses = trace_losses(p, N::expression, context);
        for (const Variable& g : differentiate(losses.total, constant(&p.tape, 1), context.inputs)) add_output(p, g);
        return p;
    }
};

}  // namespace detail

/// Trains a model by hand, batch after batch, for loops of one's own; any number of them may stand side by side:
///
///   Model<Net> model(seed);
///   BatchTrainer trainer(model, Adam{.learning_rate = 0.01});
///   const double mean_loss = trainer.train_on_batch(x, y);
///
/// Arguments are the inputs of the network and then the targets of each cost, any arrays (records, …) of one batch, or
/// a Batch of minibatches: `for (const Batch& each : epoch_of(batches, 0)) trainer.train_on_batch(each);`. Layers are
/// as in training: dropout drops, with other numbers for each batch, and statistics such as those of BatchNorm move
/// with each update. It works on the processor, and the model outlives it. Wrong shapes and unequal numbers of records
/// are a ShapeError, targets and ids that the network makes no sense of a DataError, and numbers of the optimizer that
/// its rule cannot take an ArgumentError, as with a Trainer.
///
/// Batches may be for other networks with the same parameters, which differ in extents that no parameter has: sequences
/// of 8 and of 32 positions. `train_on_batch<Short>(x, y)` is one for Short.
template <AnyNetwork N, AnyOptimizer O, class T>
class BatchTrainer {
    using M = Model<N, T>;
    template <class P>
    using PlanOf = detail::Planned<P, on_cpu::lanes<T>>;
    template <class P>
    static const detail::CompiledProgram<T>& program_of() {
        return on_cpu::compiled_program<PlanOf<P>, T>;
    }
    static constexpr std::size_t input_count = N::input_count, cost_count = N::cost_count;
    /// A Batch of minibatches, or arrays.
    template <class... E>
    static constexpr bool is_batch = std::is_same_v<std::tuple<E...>, std::tuple<Batch>>;
    template <class Of, class... E>
    static constexpr bool fits =
        (is_batch<E...> || (sizeof...(E) == Of::input_count + Of::cost_count && (AnyArray<E> && ...))) &&
        detail::same_parameters<Of, N>;
    static constexpr bool is_trained(int i) { return i >= 0 && M::records.parameters[i].trained; }

public:
    O optimizer;  ///< whose numbers, such as the learning rate, may be changed between updates

    /// Throws ArgumentError where a pattern of the optimizer matches no parameter that is trained.
    explicit BatchTrainer(M& model, O o = {})
        : optimizer(o), core_(model, program_of<detail::UpdateProgram<N, O>>(), detail::state_table<N, O>,
                              detail::scalar_count<O>, detail::statistic_numbers<N>) {
        detail::check_patterns<O>(detail::network_table<N>);
    }

    /// One step of training; returns the mean loss of the batch before it. Gradients of batches before it that no
    /// update took are forgotten.
    template <AnyNetwork Of = N, class... E>
        requires(fits<Of, E...>)
    double train_on_batch(const E&... inputs_and_targets) {
        detail::check_numbers(optimizer);
        const double mean_loss = add<Of, Begin::anew>(1, inputs_and_targets...);
        apply();
        return mean_loss;
    }
    /// The same, but stateful layers go on, record by record, from where the batch before has left them; no gradient
    /// goes back beyond this batch (truncated backpropagation through time, Williams and Peng 1990). So long sequences
    /// are trained piece by piece: the first by `train_on_batch`, the others by this. Throws ArgumentError where there
    /// is no batch before or it had another number of records.
    template <AnyNetwork Of = N, class... E>
        requires(fits<Of, E...> && detail::remembers<Of>)
    double train_on_next_batch(const E&... inputs_and_targets) {
        detail::check_numbers(optimizer);
        const double mean_loss = add<Of, Begin::at_states>(1, inputs_and_targets...);
        apply();
        return mean_loss;
    }
    template <AnyNetwork Of = N, class... E>
        requires(fits<Of, E...> && !detail::remembers<Of>)
    error_train_on_next_batch_needs_a_stateful_layer<Of> train_on_next_batch(const E&...);

    /// Adds the gradients of a batch to those since the last update, and returns its mean loss. Nothing is trained.
    template <AnyNetwork Of = N, class... E>
        requires(fits<Of, E...>)
    double gradients_on_batch(const E&... inputs_and_targets) {
        return add<Of, Begin::beside>(1, inputs_and_targets...);
    }
    /// The same times `share`, that of this batch among the records of one update: with share = 1/4 four batches of
    /// equal size make the update of one that is four times as large, up to rounding, if no layer looks across records
    /// and no target is ignored. A loss that is a sum over the batch is added up as it is. Throws ArgumentError where
    /// the share is not above 0.
    template <AnyNetwork Of = N, class... E>
        requires(fits<Of, E...>)
    double weighted_gradients_on_batch(double share, const E&... inputs_and_targets) {
        return add<Of, Begin::beside>(share, inputs_and_targets...);
    }
    template <AnyNetwork Of, AnyArray... E>
        requires(!detail::same_parameters<Of, N>)
    error_networks_differ_in_their_parameters<Of, N> train_on_batch(const E&...);
    template <AnyNetwork Of, AnyArray... E>
        requires(!detail::same_parameters<Of, N>)
    error_networks_differ_in_their_parameters<Of, N> train_on_next_batch(const E&...);
    template <AnyNetwork Of, AnyArray... E>
        requires(!detail::same_parameters<Of, N>)
    error_networks_differ_in_their_parameters<Of, N> gradients_on_batch(const E&...);
    template <AnyNetwork Of, AnyArray... E>
        requires(!detail::same_parameters<Of, N>)
    error_networks_differ_in_their_parameters<Of, N> weighted_gradients_on_batch(double, const E&...);

    /// Adds gradients under a gradient in what the network predicts, in place of its loss: the inputs, then for each
    /// cost an array of the shape of its prediction. So a network is trained through another one, from
    /// `input_gradients`.
    template <AnyArray... E>
        requires(sizeof...(E) == input_count + cost_count)
    void backward(const E&... inputs_and_upstream) {
        with_batch<N, true>(
            [&](const auto& inputs, const auto& upstream, std::ptrdiff_t count) {
                core_.add_backward(program_of<detail::BackwardProgram<N>>(), inputs, upstream, count);
            },
            inputs_and_upstream...);
    }
    /// The gradient of the mean loss of a batch in each input: an Array like the input, of several a std::array of
    /// them.
    template <AnyArray... E>
        requires(sizeof...(E) == input_count + cost_count)
    auto input_gradients(const E&... inputs_and_targets) {
        std::array<Array<T>, input_count> found;
        with_batch<N, false>(
            [&](const auto& inputs, const auto& targets, std::ptrdiff_t count) {
                std::array<T*, input_count> to{};
                for (std::size_t i = 0; i < input_count; ++i) {
                    found[i] = Array<T>::from_shape(detail::array_extents(N::inputs[i], count));
                    to[i] = found[i].data();
                }
                core_.input_gradients(program_of<detail::InputGradientProgram<N>>(), inputs, targets, to, count);
            },
            inputs_and_targets...);
        if constexpr (input_count == 1) return std::move(found[0]);
        else return found;
    }

    /// What has been added up since the last update, or what that one took, to be read and changed:
    /// `gradient<"1-dense.weights">()`. Valid until the next batch.
    template <Text name>
        requires(is_trained(M::find_parameter(name.view())))
    ArrayView<T> gradient() {
        return core_.gradient(M::find_parameter(name.view()));
    }
    template <Text name>
        requires(M::find_parameter(name.view()) < 0)
    auto gradient() -> decltype(detail::plainly(std::type_identity<typename detail::NoParameter<name, M>::type>{}));
    template <Text name>
        requires(M::find_parameter(name.view()) >= 0 && !is_trained(M::find_parameter(name.view())))
    error_parameter_is_a_statistic_which_is_not_trained<detail::NameGiven<name>> gradient();
    ArrayView<T> gradient(int parameter) { return core_.gradient(parameter); }
    /// Forgets gradients that no update took.
    void forget() { core_.forget(); }
    /// Moves the parameters one step of the optimizer. Throws ArgumentError where there are no gradients.
    void apply() {
        detail::check_numbers(optimizer);
        core_.apply(detail::scalars_at(optimizer, core_.steps() + 1).data);
    }

    /// Of the last batch, the loss of one cost without its weight.
    double loss(int cost) const { return core_.loss(cost); }
    /// Updates so far.
    std::uint64_t steps() const { return core_.steps(); }

private:
    detail::BatchTrainerCore<T> core_;

    /// A batch beside others of one update, or one that begins anew: with zeros, or the states of the one before.
    enum class Begin { beside, anew, at_states };
    template <class Of, Begin begin, class... E>
    double add(double share, const E&... inputs_and_targets) {
        constexpr bool goes_on = begin == Begin::at_states;
        double mean_loss = 0;
        const auto take = [&](const auto& inputs, const auto& targets, std::ptrdiff_t count) {
            if (goes_on) core_.check_next(count);
            if (begin != Begin::beside) forget();
            mean_loss = core_.add_gradients(detail::network_table<Of>, program_of<detail::BatchProgram<Of>>(), inputs,
                                            targets, count, share, goes_on);
        };
        if constexpr (is_batch<E...>) {
            const Batch& given = std::get<0>(std::tie(inputs_and_targets...));
            const detail::Rows<T> rows = core_.rows_of(detail::network_table<Of>, given);
            take(rows.first(Of::input_count), rows.subspan(Of::input_count), static_cast<std::ptrdiff_t>(given.size()));
        } else with_batch<Of, false>(take, inputs_and_targets...);
        return mean_loss;
    }
    /// f(inputs, others, records), with dense rows of a batch for a network; the others are predictions or targets.
    template <class Of, bool predictions, class F, class... E>
    static void with_batch(F f, const E&... arrays) {
        constexpr std::size_t all_count = sizeof...(E), inputs_of = Of::input_count;
        std::ptrdiff_t count = 0;
        std::size_t number = 0;
        (check<Of, predictions>(number++, arrays.shape(), count), ...);
        [&](const auto&... dense) {
            const std::array<const T*, all_count> all{dense.data()...};
            const std::span<const T* const> rows(all);
            f(rows.first(inputs_of), rows.subspan(inputs_of), count);
        }(detail::DenseElements<T>(arrays)...);
    }
    template <class Of, bool predictions, class Extents>
    static void check(std::size_t number, const Extents& given, std::ptrdiff_t& count) {
        using GivenModel = Model<Of, T>;
        constexpr std::size_t inputs_of = Of::input_count;
        const bool is_input = number < inputs_of;
        const int i = static_cast<int>(is_input ? number : number - inputs_of);
        const auto what = [&] { return is_input ? GivenModel::input_text(i) : GivenModel::target_text(i); };
        if (is_input) GivenModel::check_inputs(given, i);
        else
            detail::check_batch(
                what(),
                predictions ? detail::network_table<Of>.costs[i].prediction : detail::network_table<Of>.costs[i].target,
                given);
        const auto records = static_cast<std::ptrdiff_t>(given[0]);
        if (number == 0) count = records;
        else if (records != count)
            throw ShapeError(what(), sentence(count, " records, as the first input"), sentence(records));
    }
};

// Said, since clang makes none of a class that was declared before.
template <AnyNetwork N, AnyOptimizer O, class T>
BatchTrainer(Model<N, T>&, O) -> BatchTrainer<N, O, T>;

}  // namespace sigma
