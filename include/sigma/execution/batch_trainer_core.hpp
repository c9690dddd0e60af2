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

/// A batch beside others of one update, or one that begins anew: with zeros, or the states of the one before.
enum class BatchBegin { beside, anew, at_states };

/// Gradients of batches, added up, and the update that they make, where network and optimizer only matter as data.
/// Holds the optimizer's states.
template <class T>
class BatchTrainerCore {
public:
    /// `update` is an UpdateProgram; `statistics` are the numbers of the parameters that it and programs of gradients
    /// name after the gradients.
    BatchTrainerCore(ModelStore<T>& model, const CompiledProgram<T>& update, ListView<StateRecord> states, int scalars,
                     ListView<int> statistics);
    BatchTrainerCore(const BatchTrainerCore&) = delete;
    BatchTrainerCore& operator=(const BatchTrainerCore&) = delete;
    ~BatchTrainerCore();

    /// Adds `share` times the gradients of a batch for a network, by its BatchProgram, and returns its mean loss.
    /// States begin with zeros, or go on. Throws, and changes nothing: DataError where the network makes no sense of
    /// targets or numbers of inputs, NumericError where the loss is no finite number.
    double add_gradients(const NetworkTable& network, const CompiledProgram<T>& program, Rows<T> inputs,
                         Rows<T> targets, std::ptrdiff_t count, double share, BatchBegin begin);
    /// The arrays of a batch in the order of a network's inputs, then of its targets. Throws what check_data throws for
    /// the dataset that it is of.
    Rows<T> rows_of(const NetworkTable& network, const Batch& batch);
    /// Throws ArgumentError where the batch before has left no states for so many records.
    void check_next(std::ptrdiff_t count) const;
    /// Adds the gradients under gradients of the predictions, by a BackwardProgram. Throws DataError.
    void add_backward(const CompiledProgram<T>& program, Rows<T> inputs, Rows<T> upstream, std::ptrdiff_t count);
    /// To dense rows, by an InputGradientProgram. Throws DataError.
    void input_gradients(const CompiledProgram<T>& program, Rows<T> inputs, Rows<T> targets, std::span<T* const> to,
                         std::ptrdiff_t count);
    /// The loss of one cost in the last batch, without its weight.
    double loss(int cost) const;
    /// What has been added up since the last update, or what that one took.
    ArrayView<T> gradient(int parameter);
    void forget();
    /// Parameters, statistics and states move one step by what has been added up. Throws NumericError where one of them
    /// would leave the finite numbers; they are what they were, and the gradients are forgotten.
    void apply(const double* scalars);

    /// Updates so far.
    std::uint64_t steps() const { return steps_; }

private:
    struct Pass;

    ModelStore<T>& model_;
    ListView<StateRecord> state_table_;
    std::vector<int> numbers_;          ///< of the parameters whose gradients are added up, then of the statistics
    std::size_t trained_ = 0;           ///< how many of these are gradients
    std::vector<std::vector<T>> sums_;  ///< dense, one for each of `numbers_`
    std::vector<T> losses_, scalars_;
    DualBuffer<T> states_;
    std::vector<Owned<Pass>> gradients_;  ///< one for each network
    Owned<Pass> backward_;
    Streams<T> streams_;  ///< what the last batch has left
    typename Streams<T>::Batch carried_;
    Owned<ModelSession<T>> inputs_;
    /// The last dataset that batches were of, for which network it was found sound, and the arrays of a batch.
    struct Source;
    Owned<Source> source_;
    ModelSession<T> update_;
    double shares_ = 0;                     ///< of all batches that have been added up
    bool spent_ = true;                     ///< the next batch begins a sum
    bool large_ = false, changed_ = false;  ///< has a sum a number whose square may be none, may others have set one?
    std::uint64_t steps_ = 0;
    std::uint32_t batches_ = 0;  ///< which draw other random numbers each

    Pass& gradients_by(const CompiledProgram<T>& program);
    void run(Pass& pass, std::ptrdiff_t count);
    void add(const Pass& pass, double share);
    /// The parameter or state that is not finite; else empty.
    std::string name_of_not_finite() const;
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/execution/impl/batch_trainer_core.ipp>
#endif
