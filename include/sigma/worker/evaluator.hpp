// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/class_names.hpp>
#include <sigma/worker/accelerated_records.hpp>
#include <sigma/worker/batch_buffers.hpp>

#include <algorithm>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

namespace sigma {

namespace detail {

/// Does one of the network's losses know right from wrong?
template <AnyNetwork N>
inline constexpr bool classifies = [] {
    bool any = false;
    for_each_number<N::cost_count>([&](auto i) { any = any || N::template Cost<i>::Loss::classifies; });
    return any;
}();

}  // namespace detail

/// Takes a network over a data set, 256 records at a time, as often as wanted: buffers are made and data checked once. On an
/// accelerator data in memory stay there, where they take no more than half of what is free. Throws DataError where the data
/// do not fit the network.
template <AnyNetwork N, class T = float>
class Evaluator {
public:
    using Score = typename Model<N, T>::Score;

    explicit Evaluator(Dataset data) : data_(std::move(data)) {
        buffers_.bind(data_, std::min(most, data_.size()));
        positions_.resize(data_.size());
        std::iota(positions_.begin(), positions_.end(), std::size_t{0});
    }
    Evaluator(const Evaluator&) = delete;
    Evaluator& operator=(const Evaluator&) = delete;

    /// Mean loss and accuracy, in total and for each cost. Throws ArgumentError, as `predict` does, where the data
    /// number their classes otherwise than those that the model was trained on.
    Score operator()(const Model<N, T>& model) {
        require_classes(model);
        Score total;
        if (model.mirrored().accelerator() && keep_on(model.mirrored().accelerator())) return evaluate_there(model);
        for_each_batch([&](std::size_t count) {
            const Score score = model.evaluate(buffers_.inputs(), buffers_.targets(), static_cast<std::ptrdiff_t>(count));
            total.add(score, static_cast<double>(count) / static_cast<double>(data_.size()));
        });
        return total;
    }
    /// Calls f(predictions, targets) for each batch: spans of its records, one after the other.
    template <class F>
    void predict(const Model<N, T>& model, F f)
        requires(N::input_count == 1 && N::cost_count == 1)
    {
        require_classes(model);
        const auto prediction = static_cast<std::size_t>(N::predictions[0].count());
        const auto target = static_cast<std::size_t>(N::targets[0].count());
        results_.resize(std::min(most, data_.size()) * prediction);
        for_each_batch([&](std::size_t count) {
            model.predict(buffers_.inputs(), {results_.data()}, static_cast<std::ptrdiff_t>(count));
            f(std::span<const T>(results_.data(), count * prediction), std::span<const T>(buffers_.targets()[0], count * target));
        });
    }

private:
    static constexpr std::size_t most = 256;
    Dataset data_;
    detail::BatchBuffers<N, T> buffers_;
    std::vector<std::size_t> positions_;
    std::vector<T> results_;
    std::shared_ptr<detail::AcceleratedRecords<T>> there_;  ///< without records where there is no room for them
    std::shared_ptr<Accelerator> device_;

    void require_classes(const Model<N, T>& model) const {
        if (!detail::classes_agree(model.classes(), data_.classes())) refuse(model.classes(), data_);
    }
    [[noreturn, gnu::cold]] static void refuse(const std::vector<std::string>& known, const Dataset& data) {
        detail::throw_other_classes<ArgumentError>(sentence("dataset '", data.name(), "'"), known,
                                                   "as of the model (labels(column, model.classes()) numbers them so)",
                                                   data.classes());
    }
    [[gnu::cold]] bool keep_on(const std::shared_ptr<Accelerator>& device) {
        if (device_ == device) return there_->keeps();
        there_ = std::make_shared<detail::AcceleratedRecords<T>>(device, buffers_.widths(data_), 0);
        device_ = device;
        if (!data_.in_memory() || there_->bytes_of(data_.size()) > device->free_memory() / 2) return false;
        detail::AcceleratedRecords<T>* const here = there_.get();
        return there_->keep({&here, 1}, data_.size(), [&](std::size_t section, std::size_t first, std::size_t count, T* rows) {
            buffers_.copy_array(data_, section, std::span(positions_).subspan(first, count), rows);
        });
    }
    [[gnu::cold]] Score evaluate_there(const Model<N, T>& model) {
        typename Model<N, T>::InputPointers x;
        typename Model<N, T>::TargetPointers y;
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = there_->kept(static_cast<int>(i), 0);
        for (std::size_t i = 0; i < y.size(); ++i) y[i] = there_->kept(static_cast<int>(x.size() + i), 0);
        return model.evaluate(x, y, static_cast<std::ptrdiff_t>(data_.size()), true);
    }

    template <class F>
    void for_each_batch(F f) {
        for (std::size_t at = 0; at < data_.size(); at += most) {
            const std::size_t count = std::min(most, data_.size() - at);
            buffers_.gather(data_, std::span(positions_).subspan(at, count));
            f(count);
        }
    }
};

namespace detail {

/// A data set, and the evaluator of whatever network first asks for it. Copies make their own.
class EvaluatedData {
public:
    explicit EvaluatedData(Dataset data) : data_(std::move(data)) {}
    EvaluatedData(const EvaluatedData& other) : data_(other.data_) {}
    EvaluatedData& operator=(const EvaluatedData& other);
    EvaluatedData(EvaluatedData&&) = default;
    EvaluatedData& operator=(EvaluatedData&&) = default;
    ~EvaluatedData() = default;

    const Dataset& data() const { return data_; }
    /// For the model that a hook sees. Throws ArgumentError where the data did not go through what the training data went
    /// through or number their classes otherwise, DataError where they do not fit the network.
    auto& in(const auto& context) {
        if (!made_) context.require_like_training(data_);
        return of(context.model());
    }

private:
    Dataset data_;
    template <class N, class T>
    Evaluator<N, T>& of(const Model<N, T>&) {
        if (!made_) made_ = std::make_shared<Evaluator<N, T>>(data_);
        return *static_cast<Evaluator<N, T>*>(made_.get());
    }

    std::shared_ptr<void> made_;  // without its type, as the action that keeps this is made before its trainer is known
};

}  // namespace detail
}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/worker/impl/evaluator.ipp>
#endif
