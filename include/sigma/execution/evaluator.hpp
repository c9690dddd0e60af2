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

/// A data set that a network is taken over, some records at a time: as dense arrays, or in the memory of an
/// accelerator.
template <class T>
class EvaluatedRecords {
public:
    static constexpr std::size_t most = 256;

    /// Throws DataError where the data do not fit the network.
    EvaluatedRecords(const NetworkTable& network, Dataset data);
    ~EvaluatedRecords();

    std::size_t size() const { return data_.size(); }
    /// No other has this number.
    std::uint64_t number() const { return number_; }
    /// Records of one of its arrays, as dense rows.
    void copy(std::size_t array, std::size_t first, std::size_t count, T* rows) const {
        buffers_.copy_array(data_, array, std::span(positions_).subspan(first, count), rows);
    }
    /// Throws ArgumentError where the data number their classes otherwise than these do.
    void require_classes(const std::vector<std::string>& known) const;
    /// The records from position `at` on, at most `most`; returns how many.
    std::size_t gather(std::size_t at);
    RowPointers<T> inputs() const { return buffers_.inputs(); }
    RowPointers<T> targets() const { return buffers_.targets(); }

    /// Brings all records to an accelerator at the first call for it; false where they are not in memory here, or take
    /// more than half of what is free there.
    bool keep_on(const SharedOwner<ComputeDevice>& device);
    /// Where they are then.
    RowPointers<T> inputs_there() const { return {there_rows_.data(), buffers_.inputs().size()}; }
    RowPointers<T> targets_there() const {
        return {there_rows_.data() + buffers_.inputs().size(), buffers_.targets().size()};
    }

    /// What a model makes of them, by its program to evaluate.
    void evaluate(const ModelStore<T>& model, ProgramRuns<T>& runs, const CompiledProgram<T>& program,
                  const Device& device, ScoreView to);
    /// f(cost, predictions, targets) for each batch and each cost of it; `predict_batch(inputs, results, records)`.
    void predict(const ModelStore<T>& model,
                 const AnyFunction<void(RowPointers<T>, std::span<T* const>, std::size_t)>& predict_batch,
                 const AnyFunction<void(int, std::span<const T>, std::span<const T>)>& f);

private:
    Dataset data_;
    BatchBuffers<T> buffers_;
    std::vector<std::size_t> positions_;
    SharedOwner<DeviceRecords<T>> there_;  ///< without records where there is no room for them
    std::vector<const T*> there_rows_;
    SharedOwner<ComputeDevice> device_;
    std::vector<std::vector<T>> results_;  ///< of each cost
    std::vector<T*> result_rows_;
    std::vector<T> compared_;  ///< targets without weights
    std::vector<CostScore> scores_;
    std::uint64_t number_;
    bool used_ = false;

    /// Who evaluates with others: not what is evaluated once, whose records are not worth sending.
    RecordSharing<T>* sharing(const ModelStore<T>& model);
    void evaluate_there(const ModelStore<T>& model, ProgramRuns<T>& runs, const CompiledProgram<T>& program,
                        const Device& device, ScoreView to);
    std::span<const T> compared(const CostRecord& cost, const T* targets, std::size_t count);
};

/// Does one of the network's losses know right and wrong? True where only its tables know.
template <AnyNetwork N>
inline constexpr bool classifies = [] {
    if constexpr (MadeNetwork<N>) return true;
    else return network_table<N>.classifies();
}();

/// Takes a network over a data set, 256 records at a time, as often as wanted: buffers are made and data checked once.
/// On an accelerator data in memory stay there, where they take no more than half of what is free. Throws DataError
/// where the data do not fit the network.
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

    /// Mean loss and accuracy, in total and for each cost. Throws ArgumentError, as `predict` does, where the data
    /// number their classes otherwise than those that the model was trained on.
    Score operator()(const Model<N, T>& model) { return (*this)(model.processor(), model); }
    /// On another device than that of the last run.
    Score operator()(const Device& device, const Model<N, T>& model) {
        Score total = model.empty_score();
        records_.evaluate(model, model.evaluation(), model.template program<to_evaluate>(), device, total.view());
        return total;
    }
    /// Calls f(cost, predictions, targets) for each batch and each cost: spans of its records, one after the other.
    /// Targets are what the loss compares predictions with, without weights of records.
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

/// A data set, and the evaluator of whatever network first asks for it. Copies make their own.
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
    /// For the model that a hook sees. Throws ArgumentError where the data did not go through what the training data
    /// went through or number their classes otherwise, DataError where they do not fit the network.
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

    // Without its type, as the action that keeps this is made before its trainer is known.
    detail::SharedOwner<void> made_;
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/execution/impl/evaluator.ipp>
#endif
