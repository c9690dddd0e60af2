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

SIGMA_INCLUDED(sigma, include_sigma_execution_batch_trainer_hpp);

namespace sigma {

/// Batches go on from where the batch before has ended in recurrent layers with `.stateful = true`.
template <class Network>
struct error_train_on_next_batch_needs_a_stateful_layer;
/// train_on_batch(x, labels) of a std::vector, which has no shape
template <class Remedy>
struct error_train_on_batch_takes_arrays;
/// A batch for another network trains the same parameters: the same layers over other extents.
template <class GivenModel, class Trained>
struct error_networks_differ_in_their_parameters;

namespace detail {

/// changed_statistics as data.
template <class N>
struct StatisticNumbers {
    static constexpr int count = changed_statistics(N::expression).size();
    static constexpr StaticArray<int, count> find() {
        const List<int> all = changed_statistics(N::expression);
        StaticArray<int, count> f;
        for (int i = 0; i < count; ++i) f.data[i] = all[i];
        return f;
    }
    static constexpr StaticArray<int, count> numbers = find();
};
template <class N>
inline constexpr ListView<int> statistic_numbers{StatisticNumbers<N>::numbers.data, StatisticNumbers<N>::count};

/// Whether a batch for one network is a batch for the parameters of the other: these have the same names and shapes,
/// and so have hyperparameters and the states that batches hand on. Of networks made while the program runs one is like
/// itself alone.
template <class A, class B>
inline constexpr bool same_parameters = [] {
    if constexpr (std::is_same_v<A, B>) return true;
    else if constexpr (MadeNetwork<A> || MadeNetwork<B>) return false;
    else {
        const auto &a = network_table<A>.parameters, &b = network_table<B>.parameters;
        const auto &a_states = network_table<A>.states, &b_states = network_table<B>.states;
        const auto &a_numbers = network_table<A>.hyperparameters, &b_numbers = network_table<B>.hyperparameters;
        if (a.size() != b.size() || a_states.size() != b_states.size() || a_numbers.size() != b_numbers.size())
            return false;
        for (int i = 0; i < a_numbers.size(); ++i)
            if (a_numbers[i].name != b_numbers[i].name) return false;
        for (int i = 0; i < a.size(); ++i)
            if (a[i].name.view() != b[i].name.view() || a[i].shape != b[i].shape || a[i].trained != b[i].trained)
                return false;
        for (int i = 0; i < a_states.size(); ++i)
            if (a_states[i].units != b_states[i].units) return false;
        return A::cost_count == B::cost_count;
    }
}();

/// Of a network that is a constant.
template <class N, BatchPurpose purpose>
struct BatchProgram {
    constexpr Program operator()() const {
        static_assert(may_judge<N>, "error_network_to_be_trained_has_no_loss");
        Program p;
        trace_batch_program(p, N::expression, purpose, N::input_count, N::cost_count);
        return p;
    }
};
/// Where a BatchTrainer's programs are: with the compiler.
template <AnyNetwork N, class O, class T>
struct SIGMA_BY_INSTRUCTIONS BatchPrograms {
    template <class P>
    static const CompiledProgram<T>& program_of() {
        return on_cpu::compiled_program<Planned<P, on_cpu::lanes<T>>, T>;
    }
    explicit BatchPrograms(const N&) {}
    static const CompiledProgram<T>& update() { return program_of<UpdateProgram<N, O>>(); }
    static ListView<StateRecord> state_table() { return detail::state_table<N, O>; }
    static ListView<int> statistics() { return statistic_numbers<N>; }
    template <BatchPurpose purpose, class Of>
    static const CompiledProgram<T>& program() {
        return program_of<BatchProgram<Of, purpose>>();
    }
};
/// Or made for it.
template <MadeNetwork N, class O, class T>
struct BatchPrograms<N, O, T> : MadeTraining<T> {
    explicit BatchPrograms(const DynamicNetwork& network)
        : MadeTraining<T>(network.made(), update_rule<O>, on_cpu::lanes<T>) {}
    template <BatchPurpose purpose, class>
    const CompiledProgram<T>& program() {
        return MadeTraining<T>::program(purpose);
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
/// are a ShapeError. NaN and infinite numbers, and targets and ids that the network makes no sense of, are a DataError.
/// Numbers of the optimizer that its rule cannot take are an ArgumentError, as with a Trainer. A loss that is no finite
/// number, and an update that would make a parameter or a state of the optimizer none, are a NumericError. After each
/// of these the model and the optimizer are what they were.
///
/// Batches may be for other networks with the same parameters, which differ in extents that no parameter has: sequences
/// of 8 and of 32 positions. `train_on_batch<Short>(x, y)` is one for Short.
template <AnyNetwork N, AnyOptimizer O, class T>
class SIGMA_BY_INSTRUCTIONS BatchTrainer {
    using M = Model<N, T>;
    /// A Batch of minibatches, or arrays.
    template <class... E>
    static constexpr bool is_batch = std::is_same_v<std::tuple<E...>, std::tuple<Batch>>;
    template <class Of, class... E>
    static constexpr bool fits =
        (is_batch<E...> || (detail::may_take_records<Of, sizeof...(E)> && (AnyArray<E> && ...))) &&
        detail::same_parameters<Of, N>;
    static constexpr bool is_trained(std::string_view name) {
        const int i = detail::network_table<N>.find_parameter(name);
        return i >= 0 && detail::network_table<N>.parameters[i].trained;
    }

public:
    O optimizer;  ///< whose numbers, such as the learning rate, may be changed between updates

    /// Throws ArgumentError where a pattern of the optimizer matches no parameter that is trained.
    explicit BatchTrainer(M& model, O o = {})
        : optimizer(o), model_(model), programs_(model.definition()),
          core_(model, programs_.update(), programs_.state_table(), detail::scalar_count<O>, programs_.statistics()) {
        detail::check_patterns<O>(model.network());
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
        requires(fits<Of, E...> && detail::may_remember<Of>)
    double train_on_next_batch(const E&... inputs_and_targets) {
        if constexpr (MadeNetwork<Of>)
            if (table<Of>().states.empty())
                throw ArgumentError("train_on_next_batch", "a network with a stateful layer",
                                    "a network without one");
        detail::check_numbers(optimizer);
        const double mean_loss = add<Of, Begin::at_states>(1, inputs_and_targets...);
        apply();
        return mean_loss;
    }
    template <AnyNetwork Of = N, class... E>
        requires(fits<Of, E...> && !detail::may_remember<Of>)
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
    template <AnyNetwork Of = N, class... E>
        requires(sizeof...(E) > 0 && !is_batch<E...> && !(AnyArray<E> && ...))
    error_train_on_batch_takes_arrays<write_an_array_or_ArrayView_of_numbers_and_their_shape> train_on_batch(
        const E&...);
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
        requires detail::may_take_records<N, sizeof...(E)>
    void backward(const E&... inputs_and_upstream) {
        with_batch<N, true>(
            [&](const auto& inputs, const auto& upstream, std::ptrdiff_t count) {
                core_.add_backward(program<detail::BatchPurpose::backward, N>(), inputs, upstream, count);
            },
            inputs_and_upstream...);
    }
    /// The gradient of the mean loss of a batch in each input: an Array like the input, of several a std::array of
    /// them, of a network made while the program runs a std::vector.
    template <AnyArray... E>
        requires detail::may_take_records<N, sizeof...(E)>
    auto input_gradients(const E&... inputs_and_targets) {
        const int inputs_wanted = model_.records.inputs.size();
        auto found = detail::EachOf<Array<T>, N::input_count>::make(inputs_wanted);
        with_batch<N, false>(
            [&](const auto& inputs, const auto& targets, std::ptrdiff_t count) {
                auto to = detail::EachOf<T*, N::input_count>::make(inputs_wanted);
                for (std::size_t i = 0; i < to.size(); ++i) {
                    found[i] =
                        Array<T>::from_shape(detail::array_extents(model_.records.inputs[static_cast<int>(i)], count));
                    to[i] = found[i].data();
                }
                core_.input_gradients(program<detail::BatchPurpose::input_gradients, N>(), inputs, targets, to, count);
            },
            inputs_and_targets...);
        if constexpr (N::input_count == 1) return std::move(found[0]);
        else return found;
    }

    /// What has been added up since the last update, or what that one took, to be read and changed:
    /// `gradient<"1-dense.weights">()`. Valid until the next batch.
    template <Text name>
        requires(MadeNetwork<N> || is_trained(name.view()))
    ArrayView<T> gradient() {
        return gradient(model_.template position_of<name>());
    }
    template <Text name>
        requires(!detail::may_have_parameter<N>(name.view()))
    auto gradient() -> decltype(detail::plainly(std::type_identity<typename detail::NoParameter<name, M>::type>{}));
    template <Text name>
        requires(ConstantNetwork<N> && detail::may_have_parameter<N>(name.view()) && !is_trained(name.view()))
    error_parameter_is_a_statistic_which_is_not_trained<detail::NameGiven<name>> gradient();
    /// By a name that is known when the program runs, or a position. Throws ArgumentError where there is none.
    ArrayView<T> gradient(std::string_view name) { return gradient(detail::parameter_at(model_.network(), name)); }
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
    M& model_;
    detail::BatchPrograms<N, O, T> programs_;
    detail::BatchTrainerCore<T> core_;

    template <detail::BatchPurpose purpose, class Of>
    const detail::CompiledProgram<T>& program() {
        return programs_.template program<purpose, Of>();
    }
    template <class Of>
    const detail::NetworkTable& table() const {
        if constexpr (MadeNetwork<Of>) return model_.network();
        else return detail::network_table<Of>;
    }

    using Begin = detail::BatchBegin;
    template <class Of, Begin begin, class... E>
    double add(double share, const E&... inputs_and_targets) {
        double mean_loss = 0;
        const auto take = [&](const auto& inputs, const auto& targets, std::ptrdiff_t count) {
            mean_loss = core_.add_gradients(table<Of>(), program<detail::BatchPurpose::training, Of>(), inputs, targets,
                                            count, share, begin);
        };
        if constexpr (is_batch<E...>) {
            const Batch& given = std::get<0>(std::tie(inputs_and_targets...));
            const detail::Rows<T> rows = core_.rows_of(table<Of>(), given);
            const auto inputs = static_cast<std::size_t>(table<Of>().inputs.size());
            take(rows.first(inputs), rows.subspan(inputs), static_cast<std::ptrdiff_t>(given.size()));
        } else with_batch<Of, false>(take, inputs_and_targets...);
        return mean_loss;
    }
    /// f(inputs, others, records), with dense rows of a batch for a network; the others are predictions or targets.
    template <class Of, bool predictions, class F, class... E>
    void with_batch(F f, const E&... arrays) const {
        if constexpr (MadeNetwork<Of>) detail::check_number_of_arrays(table<Of>(), sizeof...(E));
        const auto inputs_of = static_cast<std::size_t>(table<Of>().inputs.size());
        std::ptrdiff_t count = 0;
        std::size_t number = 0;
        (examine<Of, predictions>(number++, arrays.shape(), count), ...);
        [&](const auto&... dense) {
            const std::array<const T*, sizeof...(E)> all{dense.data()...};
            const std::span<const T* const> rows(all);
            f(rows.first(inputs_of), rows.subspan(inputs_of), count);
        }(detail::DenseElements<T>(arrays)...);
    }
    template <class Of, bool predictions, class Extents>
    void examine(std::size_t number, const Extents& given, std::ptrdiff_t& count) const {
        const detail::NetworkTable& network = table<Of>();
        const bool is_input = number < static_cast<std::size_t>(network.inputs.size());
        const int i = static_cast<int>(number) - (is_input ? 0 : network.inputs.size());
        const auto what = [&] { return is_input ? detail::input_text(network, i) : detail::target_text(network, i); };
        const auto& wanted = is_input      ? network.inputs[i]
                             : predictions ? network.costs[i].prediction
                                           : network.costs[i].target;
        detail::check_batch(what, wanted, given);
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
