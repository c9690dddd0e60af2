// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Training loops of your own: BatchTrainer. Include it yourself.
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

/// A mistake at compile time: `train_on_next_batch` is called for a network without a recurrent layer with `.stateful =
/// true`.
template <class Network>
struct error_train_on_next_batch_needs_a_stateful_layer;
/// A mistake at compile time: an argument of `train_on_batch` has no shape, as a std::vector of labels. Pass an Array
/// or an ArrayView.
template <class Remedy>
struct error_train_on_batch_takes_arrays;
/// A mistake at compile time: a batch is for a network that has other parameters than the trained one.
template <class GivenModel, class Trained>
struct error_networks_differ_in_their_parameters;

namespace detail {

/// The numbers of the changed statistics, as data.
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

/// True if a batch for one network is a batch for the parameters of the other: names and shapes of the parameters,
/// hyperparameters, and states between batches are equal. A run-time network is only like itself.
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

/// The program of a batch, for a compile-time network.
template <class N, BatchPurpose purpose>
struct BatchProgram {
    constexpr Program operator()() const {
        static_assert(may_judge<N>, "error_network_to_be_trained_has_no_loss");
        Program p;
        trace_batch_program(p, N::expression, purpose, N::input_count, N::cost_count);
        return p;
    }
};
/// The programs of a BatchTrainer, from the compiler.
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
/// The programs of a BatchTrainer, made at run time.
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

/// Trains a model batch by batch, for training loops of your own.
///
/// The arguments of a batch are the inputs of the network and then the targets of each cost, as arrays of shape
/// (records, …), or a Batch of minibatches. Layers behave as in training: dropout draws other numbers for each batch,
/// and statistics such as those of BatchNorm change with each update. Training runs on the processor. The model must
/// outlive the trainer. Several trainers may exist at the same time.
///
/// After an error, model and optimizer are unchanged.
///
/// @tparam N  type of the network
/// @tparam O  type of the optimizer
/// @tparam T  element type of the model
///
/// @par Errors
/// A batch throws ShapeError if a shape does not fit or the numbers of records differ. It throws DataError if an input
/// is NaN or infinite, or a target or id is invalid for the network. It throws ArgumentError if a number of the
/// optimizer is out of range. It throws NumericError if the loss is not finite, or the update would make a parameter or
/// a state of the optimizer infinite or NaN.
///
/// @par Other sizes
/// A batch may be for another network with the same parameters, such as one for shorter sequences:
/// `train_on_batch<Short>(x, y)`.
///
/// @par Example
/// @code
/// // #include <sigma/execution/batch_trainer.hpp>
/// BatchTrainer by_hand(model, Adam{.learning_rate = 0.01});
/// for (const Batch& batch : epoch_of(minibatches(training, 100), 0)) {
///     const double mean_loss = by_hand.train_on_batch(batch);
///     if (mean_loss < 0.1) break;
/// }
/// @endcode
///
/// @see Trainer, Batch, epoch_of
template <AnyNetwork N, AnyOptimizer O, class T>
class SIGMA_BY_INSTRUCTIONS BatchTrainer {
    using M = Model<N, T>;
    // True for a Batch of minibatches; false for arrays.
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
    O optimizer;  ///< the optimizer; its numbers, such as the learning rate, may be changed between updates

    /// Constructs a trainer.
    /// @param model      model to train; it must outlive the trainer
    /// @param optimizer_  optimizer with its options
    /// @throws ArgumentError  if a pattern of the optimizer matches no trained parameter
    explicit BatchTrainer(M& model, O optimizer_ = {})
        : optimizer(optimizer_), model_(model), programs_(model.definition()),
          core_(model, programs_.update(), programs_.state_table(), detail::scalar_count<O>, programs_.statistics()) {
        detail::check_patterns<O>(model.network());
    }

    /// Makes one training step: gradients of the batch, then an update. Forgets earlier gradients that no update has
    /// used.
    /// @tparam Of                 network of the batch (default: that of the model)
    /// @param inputs_and_targets  all inputs, then the targets of each cost, or a Batch
    /// @return the mean loss of the batch before the update
    /// @throws ArgumentError  if a hyperparameter of the optimizer is out of range
    /// @throws ShapeError     if an array does not match the network
    template <AnyNetwork Of = N, class... E>
        requires(fits<Of, E...>)
    double train_on_batch(const E&... inputs_and_targets) {
        detail::check_numbers(optimizer);
        const double mean_loss = add<Of, Begin::at_zero>(1, inputs_and_targets...);
        apply();
        return mean_loss;
    }
    /// Makes one training step. Stateful layers continue, record by record, from the states after the batch before.
    ///
    /// Gradients do not reach beyond this batch (truncated backpropagation through time, Williams and Peng 1990). Train
    /// a long sequence in pieces: the first with `train_on_batch`, all others with this function.
    /// @tparam Of                 network of the batch (default: that of the model)
    /// @param inputs_and_targets  all inputs, then the targets of each cost, or a Batch
    /// @return the mean loss of the batch before the update
    /// @throws ArgumentError  if there was no batch before, or it had another number of records
    template <AnyNetwork Of = N, class... E>
        requires(fits<Of, E...> && detail::may_remember<Of>)
    double train_on_next_batch(const E&... inputs_and_targets) {
        if constexpr (MadeNetwork<Of>)
            if (table<Of>().states.empty())
                throw ArgumentError("train_on_next_batch", "a network with a stateful layer", "a network without one");
        detail::check_numbers(optimizer);
        const double mean_loss = add<Of, Begin::at_states>(1, inputs_and_targets...);
        apply();
        return mean_loss;
    }
    /// @cond internal
    template <AnyNetwork Of = N, class... E>
        requires(fits<Of, E...> && !detail::may_remember<Of>)
    error_train_on_next_batch_needs_a_stateful_layer<Of> train_on_next_batch(const E&...);
    /// @endcond

    /// Adds the gradients of a batch to those since the last update. Nothing is trained.
    /// @tparam Of                 network of the batch (default: that of the model)
    /// @param inputs_and_targets  all inputs, then the targets of each cost, or a Batch
    /// @return the mean loss of the batch
    template <AnyNetwork Of = N, class... E>
        requires(fits<Of, E...>)
    double gradients_on_batch(const E&... inputs_and_targets) {
        return add<Of, Begin::beside>(1, inputs_and_targets...);
    }
    /// Adds `share` times the gradients of a batch to those since the last update. Nothing is trained.
    ///
    /// With a share of 1/4, four batches of equal size give the update of one batch that is four times as large, up to
    /// rounding. This holds if no layer mixes records and no target is ignored. A loss that is a sum over the batch is
    /// not scaled.
    /// @tparam Of                 network of the batch (default: that of the model)
    /// @param share               share of this batch among the records of one update, above 0
    /// @param inputs_and_targets  all inputs, then the targets of each cost, or a Batch
    /// @return the mean loss of the batch
    /// @throws ArgumentError  if `share` is not above 0 and finite
    template <AnyNetwork Of = N, class... E>
        requires(fits<Of, E...>)
    double weighted_gradients_on_batch(double share, const E&... inputs_and_targets) {
        return add<Of, Begin::beside>(share, inputs_and_targets...);
    }
    /// @cond internal
    template <AnyNetwork Of = N, class... E>
        requires(sizeof...(E) > 0 && !is_batch<E...> && !(AnyArray<E> && ...))
    error_train_on_batch_takes_arrays<use_an_array_or_ArrayView_of_numbers_and_their_shape> train_on_batch(const E&...);
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
    /// @endcond

    /// Adds the gradients that follow from gradients of the predictions, instead of from a loss.
    ///
    /// Use it to train a network through another one, which gives the gradients by `input_gradients`.
    /// @param inputs_and_upstream  all inputs, then for each cost the gradient of its prediction, in the prediction's
    ///     shape
    template <AnyArray... E>
        requires detail::may_take_records<N, sizeof...(E)>
    void backward(const E&... inputs_and_upstream) {
        with_batch<N, true>(
            [&](const auto& inputs, const auto& upstream, std::ptrdiff_t count) {
                core_.add_backward(program<detail::BatchPurpose::backward, N>(), inputs, upstream, count);
            },
            inputs_and_upstream...);
    }
    /// Returns the gradient of the mean loss of a batch in each input. Nothing is trained.
    /// @param inputs_and_targets  all inputs, then the targets of each cost
    /// @return an Array of the input's shape; a std::array of them for several inputs, a std::vector for a run-time
    ///     network
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

    /// Returns the sum of the gradients of a parameter since the last update, or those of that update.
    ///
    /// You may read and change the elements. The view is valid until the next batch.
    /// @tparam name  name of a trained parameter, as in `gradient<"1-dense.weights">()`; another name does not compile
    /// @return the sum
    template <Text name>
        requires(MadeNetwork<N> || is_trained(name.view()))
    ArrayView<T> gradient() {
        return gradient(model_.template position_of<name>());
    }
    /// @cond internal
    template <Text name>
        requires(!detail::may_have_parameter<N>(name.view()))
    auto gradient() -> decltype(detail::plainly(std::type_identity<typename detail::NoParameter<name, M>::type>{}));
    template <Text name>
        requires(ConstantNetwork<N> && detail::may_have_parameter<N>(name.view()) && !is_trained(name.view()))
    error_parameter_is_a_statistic_which_is_not_trained<detail::NameGiven<name>> gradient();
    /// @endcond
    /// Returns the sum of the gradients of a parameter, by a name that is known at run time.
    /// @param name  name of a trained parameter
    /// @return the sum
    /// @throws ArgumentError  if there is no trained parameter of this name
    ArrayView<T> gradient(std::string_view name) { return gradient(detail::parameter_at(model_.network(), name)); }
    /// Returns the sum of the gradients of a parameter, by its position.
    /// @param parameter  position of a trained parameter, from 0
    /// @return the sum
    /// @throws ArgumentError  if there is no trained parameter at this position
    ArrayView<T> gradient(int parameter) { return core_.gradient(parameter); }
    /// Sets the sum of the gradients to 0.
    void forget() { core_.forget(); }
    /// Updates the parameters with the sum of the gradients: one step of the optimizer.
    /// @throws ArgumentError  if there was no batch since the last update, or a number of the optimizer is out of range
    /// @throws NumericError   if a parameter or state would become infinite or NaN
    void apply() {
        detail::check_numbers(optimizer);
        core_.apply(detail::scalars_at(optimizer, core_.steps() + 1).data);
    }

    /// Returns the loss of one cost in the last batch, without its weight.
    /// @param cost  number of the cost, from 0
    /// @return the loss
    double loss(int cost) const { return core_.loss(cost); }
    /// Returns the number of updates so far.
    /// @return the number
    std::uint64_t steps() const { return core_.steps(); }
    /// @cond internal
    detail::BatchTrainerCore<T>& core() { return core_; }
    /// @endcond

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
    // Calls f(inputs, others, records) with dense rows of a batch. The others are predictions or targets.
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

// A guide of its own, because clang derives none for a class that was declared before.
template <AnyNetwork N, AnyOptimizer O, class T>
BatchTrainer(Model<N, T>&, O) -> BatchTrainer<N, O, T>;

}  // namespace sigma
