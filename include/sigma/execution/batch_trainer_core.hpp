// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/array.hpp>
#include <sigma/core/list.hpp>
#include <sigma/core/owners.hpp>
#include <sigma/data/iterate.hpp>
#include <sigma/device/dual_buffer.hpp>
#include <sigma/network/model_session.hpp>
#include <sigma/network/parameter_rows.hpp>
#include <sigma/network/streams.hpp>
#include <sigma/optimizer/update.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sigma::detail {

/// The place of a batch: beside others of one update, or first, with states of zero or with those of the batch before.
enum class BatchBegin { beside, at_zero, at_states };

/// Gradients of batches, added up, and the update by them, without the types of network and optimizer. Holds the
/// optimizer's states.
template <class T>
class BatchTrainerCore {
public:
    /// Constructs the core. `update` is an UpdateProgram. `statistics` are the numbers of the parameters that this
    /// program and programs of gradients have after the gradients.
    BatchTrainerCore(ModelStore<T>& model, const CompiledProgram<T>& update, ListView<StateRecord> states, int scalars,
                     ListView<int> statistics);
    BatchTrainerCore(const BatchTrainerCore&) = delete;
    BatchTrainerCore& operator=(const BatchTrainerCore&) = delete;
    ~BatchTrainerCore();

    /// Adds `share` times the gradients of a batch for a network, by its BatchProgram, and returns its mean loss.
    /// States begin with zeros or continue. If it throws, nothing has changed: DataError if targets or inputs are
    /// invalid, NumericError if the loss is not finite.
    double add_gradients(const NetworkTable& network, const CompiledProgram<T>& program, Rows<T> inputs,
                         Rows<T> targets, std::ptrdiff_t count, double share, BatchBegin begin);
    /// Returns the arrays of a batch in the order of a network's inputs, then of its targets. Throws what check_data
    /// throws for the batch's data set.
    Rows<T> rows_of(const NetworkTable& network, const Batch& batch);
    /// Throws ArgumentError if the batch before has left no states for so many records.
    void check_next(std::ptrdiff_t count) const;
    /// Adds the gradients that follow from gradients of the predictions, by a BackwardProgram. Throws DataError.
    void add_backward(const CompiledProgram<T>& program, Rows<T> inputs, Rows<T> upstream, std::ptrdiff_t count);
    /// Writes the gradients in the inputs as dense rows, by an InputGradientProgram. Throws DataError.
    void input_gradients(const CompiledProgram<T>& program, Rows<T> inputs, Rows<T> targets, std::span<T* const> to,
                         std::ptrdiff_t count);
    /// Returns the loss of one cost in the last batch, without its weight.
    double loss(int cost) const;
    /// Returns the sum since the last update, or the sum that this update used.
    ArrayView<T> gradient(int parameter);
    void forget();
    /// Moves parameters, statistics and states one step by the sum. Throws NumericError if one of them would become
    /// infinite or NaN. Then they are unchanged, and the gradients are forgotten.
    void apply(const double* scalars);

    /// Returns the number of updates.
    std::uint64_t steps() const { return steps_; }
    /// Returns the number of batches, which determines their random numbers.
    std::uint32_t batches() const { return batches_; }
    ModelStore<T>& model() { return model_; }
    ListView<StateRecord> state_table() const { return state_table_; }
    ParameterRows<T> state_rows(int i) {
        const Shape& shape = state_table_[i].shape;
        return detail::rows_of(states_.write(i), shape, row_pitch(shape, model_.lanes()));
    }
    /// Sets the numbers of updates and batches so far.
    void continue_from(std::uint64_t steps, std::uint32_t batches) {
        steps_ = steps;
        batches_ = batches;
    }

private:
    struct Pass;

    ModelStore<T>& model_;
    ListView<StateRecord> state_table_;
    std::vector<int> numbers_;          ///< numbers of the parameters with gradients, then of the statistics
    std::size_t trained_ = 0;           ///< number of gradients among these
    std::vector<std::vector<T>> sums_;  ///< dense, one for each of `numbers_`
    std::vector<T> losses_, scalars_;
    DualBuffer<T> states_;
    std::vector<Owned<Pass>> gradients_;  ///< one for each network
    Owned<Pass> backward_;
    Streams<T> streams_;  ///< states after the last batch
    typename Streams<T>::Batch carried_;
    Owned<ModelSession<T>> inputs_;
    /// The data set of the last batches, the network for which it was checked, and the arrays of a batch.
    struct Source;
    Owned<Source> source_;
    ModelSession<T> update_;
    double shares_ = 0;        ///< the sum over all added batches
    bool sum_is_used_ = true;  ///< true if the next batch begins a new sum
    bool large_ = false,
         changed_ = false;  ///< a sum may have numbers with an infinite square; a caller may have set one
    std::uint64_t steps_ = 0;
    std::uint32_t batches_ = 0;  ///< number of batches, which determines their random numbers

    Pass& gradients_by(const CompiledProgram<T>& program);
    void run(Pass& pass, std::ptrdiff_t count);
    void add(const Pass& pass, double share);
    /// Returns the name of the parameter or state that is not finite; empty if all are.
    std::string name_of_not_finite() const;
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/execution/impl/batch_trainer_core.ipp>
#endif
