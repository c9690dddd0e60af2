// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owners.hpp>
#include <sigma/execution/evaluated_records.hpp>
#include <sigma/network/model.hpp>

#include <span>
#include <utility>

namespace sigma::detail {

/// Does one of the network's losses know right and wrong?
template <AnyNetwork N>
inline constexpr bool classifies = network_table<N>.classifies();

/// Takes a network over a data set, 256 records at a time, as often as wanted: buffers are made and data checked once.
/// On an accelerator data in memory stay there, where they take no more than half of what is free. Throws DataError
/// where the data do not fit the network.
template <AnyNetwork N, class T = float>
class Evaluator {
public:
    using Score = typename Model<N, T>::Score;

    explicit Evaluator(Dataset data) : records_(network_table<N>, std::move(data)) {}
    Evaluator(const Evaluator&) = delete;
    Evaluator& operator=(const Evaluator&) = delete;

    /// Mean loss and accuracy, in total and for each cost. Throws ArgumentError, as `predict` does, where the data
    /// number their classes otherwise than those that the model was trained on.
    Score operator()(const Model<N, T>& model) { return (*this)(Cpu{model.threads()}, model); }
    /// On another device than that of the last run.
    Score operator()(const Device& device, const Model<N, T>& model) {
        Score total;
        records_.evaluate(model, model.evaluation(), model.evaluation_program(), device, total.view());
        return total;
    }
    /// Calls f(cost, predictions, targets) for each batch and each cost: spans of its records, one after the other.
    /// Targets are what the loss compares predictions with, without weights of records.
    template <class F>
    void predict(const Model<N, T>& model, F f) {
        records_.predict(
            model.network(), model.classes(),
            [&](detail::RowPointers<T> inputs, std::span<T* const> results, std::size_t count) {
                typename Model<N, T>::ResultPointers to{};
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
    Evaluator<N, T>& of(const Model<N, T>&) {
        if (!made_) made_ = detail::SharedOwner<Evaluator<N, T>>::make(data_);
        return *static_cast<Evaluator<N, T>*>(made_.get());
    }

    // Without its type, as the action that keeps this is made before its trainer is known.
    detail::SharedOwner<void> made_;
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/execution/impl/evaluator.ipp>
#endif
