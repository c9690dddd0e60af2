// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_function.hpp>
#include <sigma/core/owners.hpp>
#include <sigma/device/device.hpp>
#include <sigma/execution/batch_buffers.hpp>
#include <sigma/network/model.hpp>
#include <sigma/network/model_session.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace sigma::detail {

template <class T>
class DeviceRecords;

/// A data set on which a network is evaluated, some records at a time: as dense arrays, or in the memory of an
/// accelerator.
template <class T>
class EvaluatedRecords {
public:
    static constexpr std::size_t most = 256;

    /// Constructs the records. Throws DataError if the data do not fit the network.
    EvaluatedRecords(const NetworkTable& network, Dataset data);
    ~EvaluatedRecords();

    std::size_t size() const { return data_.size(); }
    /// Returns a number that no other object has.
    std::uint64_t number() const { return number_; }
    /// Copies records of one of the arrays as dense rows.
    void copy(std::size_t array, std::size_t first, std::size_t count, T* rows) const {
        buffers_.copy_array(data_, array, std::span(positions_).subspan(first, count), rows);
    }
    /// Throws ArgumentError if the data number their classes otherwise.
    void require_classes(const std::vector<std::string>& known) const;
    /// Gathers the records from position `at` on, at most `most`. Returns their number.
    std::size_t gather(std::size_t at);
    RowPointers<T> inputs() const { return buffers_.inputs(); }
    RowPointers<T> targets() const { return buffers_.targets(); }

    /// Evaluates a model on all records, with its program for evaluation.
    void evaluate(const ModelStore<T>& model, ProgramRuns<T>& runs, const CompiledProgram<T>& program,
                  const Device& device, ScoreView to);
    /// Calls f(cost, predictions, targets) for each batch and each of its costs. `predict_batch(inputs, results,
    /// records)` predicts.
    void predict(const ModelStore<T>& model,
                 const AnyFunction<void(RowPointers<T>, std::span<T* const>, std::size_t)>& predict_batch,
                 const AnyFunction<void(int, std::span<const T>, std::span<const T>)>& f);

private:
    Dataset data_;
    BatchBuffers<T> buffers_;
    std::vector<std::size_t> positions_;
    SharedOwner<DeviceRecords<T>> there_;  ///< holds no records if there is not enough memory
    std::vector<const T*> there_rows_;
    SharedOwner<ComputeDevice> device_;
    bool are_there_ = false;               ///< true while an accelerator evaluates the records in its memory
    std::vector<std::vector<T>> results_;  ///< one for each cost
    std::vector<T*> result_rows_;
    std::vector<T> compared_;  ///< targets without weights
    std::uint64_t number_;
    bool used_ = false;

    std::ptrdiff_t begin(const ModelStore<T>& model);
    std::ptrdiff_t bind(ModelSession<T>& session, std::ptrdiff_t at);
    /// Returns the ranks that share this evaluation; null at the first evaluation, when sending records would not pay.
    RecordSharing<T>* sharing(const ModelStore<T>& model);
    /// Copies all records to an accelerator at the first call for it. Returns false if the data are not in memory, or
    /// would take more than half of the accelerator's free memory.
    bool keep_on(const SharedOwner<ComputeDevice>& device);
    std::span<const T> compared(const CostRecord& cost, const T* targets, std::size_t count);
};

/// True if a loss of the network defines right and wrong, or for a run-time network.
template <AnyNetwork N>
inline constexpr bool classifies = [] {
    if constexpr (MadeNetwork<N>) return true;
    else return network_table<N>.classifies();
}();

/// An evaluation of a network on a data set, 256 records at a time. It can be repeated: buffers are made and data
/// checked once. Records stay on an accelerator if they are in memory and take no more than half of its free memory.
/// Throws DataError if the data do not fit the network.
template <AnyNetwork N, class T = float>
class Evaluator {
public:
    using Score = typename Model<N, T>::Score;

    explicit Evaluator(Dataset data)
        requires(!MadeNetwork<N>)
        : Evaluator(network_table<N>, std::move(data)) {}
    Evaluator(const NetworkTable& network, Dataset data) : records_(network, std::move(data)) {}
    Evaluator(const Evaluator&) = delete;
    Evaluator& operator=(const Evaluator&) = delete;
    template <AnyArray X, AnyTargets Y>
    static Dataset made_of(const X& inputs, const Y& targets) {
        return make_dataset(inputs, targets);
    }

    /// Returns mean loss and accuracy, in total and for each cost. Throws ArgumentError, as `predict` does, if the data
    /// number their classes otherwise than the training data.
    Score operator()(const Model<N, T>& model) { return (*this)(model.processor(), model); }
    /// Returns mean loss and accuracy, computed on another device than that of the last run.
    Score operator()(const Device& device, const Model<N, T>& model) {
        Score total = model.empty_score();
        records_.evaluate(model, model.evaluation(), model.template program<to_evaluate>(), device, total.view());
        return total;
    }
    /// Calls f(cost, predictions, targets) for each batch and each cost, with spans of all its records. Targets are
    /// those that the loss compares with predictions, without weights of records.
    template <class F>
    void predict(const Model<N, T>& model, F f) {
        records_.predict(
            model,
            [&](detail::RowPointers<T> inputs, std::span<T* const> results, std::size_t count) {
                typename Model<N, T>::ResultPointers to = Model<N, T>::Results::make(static_cast<int>(results.size()));
                for (std::size_t i = 0; i < to.size(); ++i) to[i] = results[i];
                const typename Model<N, T>::InputPointers from = inputs;
                model.predict_anew(from, to, static_cast<std::ptrdiff_t>(count));
            },
            [&](int cost, std::span<const T> predictions, std::span<const T> targets) {
                f(cost, predictions, targets);
            });
    }

private:
    detail::EvaluatedRecords<T> records_;
};

/// A data set, and an evaluator for the first network that is evaluated on it. Copies make their own.
class EvaluatedData {
public:
    explicit EvaluatedData(Dataset data) : data_(std::move(data)) {}
    EvaluatedData(const EvaluatedData& other) : data_(other.data_) {}
    EvaluatedData& operator=(const EvaluatedData& other);
    EvaluatedData(EvaluatedData&&) = default;
    EvaluatedData& operator=(EvaluatedData&&) = default;
    ~EvaluatedData() = default;

    const Dataset& data() const& { return data_; }
    Dataset data() && { return data_; }
    /// Returns the evaluator for the model of a hook's context. Throws ArgumentError if the data were preprocessed
    /// otherwise than the training data or number their classes otherwise. Throws DataError if they do not fit the
    /// network.
    auto& in(const auto& context) {
        if (!made_) context.require_like_training(data_);
        return of(context.model());
    }

private:
    Dataset data_;
    template <class N, class T>
    Evaluator<N, T>& of(const Model<N, T>& model) {
        if (!made_) made_ = detail::SharedOwner<Evaluator<N, T>>::make(model.network(), data_);
        return *static_cast<Evaluator<N, T>*>(made_.get());
    }

    // No type, because the action that keeps this object is made before its trainer is known.
    detail::SharedOwner<void> made_;
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/execution/impl/evaluator.ipp>
#endif
