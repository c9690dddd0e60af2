// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/config.hpp>
#include <sigma/data/classes.hpp>
#include <sigma/execution/device_records.hpp>
#include <sigma/execution/evaluator.hpp>
#include <sigma/network/model_store.hpp>

#include <algorithm>
#include <atomic>
#include <numeric>

namespace sigma::detail {

template <class T>
EvaluatedRecords<T>::~EvaluatedRecords() = default;

template <class T>
EvaluatedRecords<T>::EvaluatedRecords(const NetworkTable& network, Dataset data)
    : data_(std::move(data)), number_([] {
          static std::atomic<std::uint64_t> last{0};
          return ++last;
      }()) {
    buffers_.bind(network, data_, std::min(most, data_.size()));
    positions_.resize(data_.size());
    std::iota(positions_.begin(), positions_.end(), std::size_t{0});
}

template <class T>
void EvaluatedRecords<T>::require_classes(const std::vector<std::string>& known) const {
    if (!classes_agree(known, data_.classes()))
        throw_other_classes<ArgumentError>(sentence("dataset '", data_.name(), "'"), known,
                                           "as of the model (labels(column, model.classes()) numbers them so)",
                                           data_.classes());
}

template <class T>
std::size_t EvaluatedRecords<T>::gather(std::size_t at) {
    const std::size_t count = std::min(most, data_.size() - at);
    buffers_.gather(data_, std::span(positions_).subspan(at, count));
    return count;
}

template <class T>
bool EvaluatedRecords<T>::keep_on(const SharedOwner<ComputeDevice>& device) {
    if (device_ == device) return there_->keeps();
    there_ = SharedOwner<DeviceRecords<T>>::make(device, buffers_.widths(), std::size_t{0});
    device_ = device;
    if (!data_.in_memory() || there_->bytes_of(data_.size()) > device->free_memory() / 2) return false;
    DeviceRecords<T>* const here = there_.get();
    const bool kept =
        there_->keep({&here, 1}, data_.size(), [&](std::size_t section, std::size_t first, std::size_t count, T* rows) {
            buffers_.copy_array(data_, section, std::span(positions_).subspan(first, count), rows);
        });
    there_rows_.clear();
    for (int i = 0; kept && i < there_->sections(); ++i) there_rows_.push_back(there_->kept(i, 0));
    return kept;
}

template <class T>
void EvaluatedRecords<T>::evaluate(const ModelStore<T>& model, ProgramRuns<T>& runs, const CompiledProgram<T>& program,
                                   const Device& device, ScoreView to) {
    RecordSharing<T>* const others = sharing(model);
    if (!others)
        return runs.evaluate(
            model, program, device, [&] { return begin(model); },
            [&](ModelSession<T>& session, std::ptrdiff_t at) { return bind(session, at); }, to);
    require_classes(model.classes());
    others->evaluate(*this, to);
}
template <class T>
std::ptrdiff_t EvaluatedRecords<T>::begin(const ModelStore<T>& model) {
    require_classes(model.classes());
    const auto& device = model.dual_buffer().compute_device();
    are_there_ = device && keep_on(device);
    return static_cast<std::ptrdiff_t>(size());
}
template <class T>
std::ptrdiff_t EvaluatedRecords<T>::bind(ModelSession<T>& session, std::ptrdiff_t at) {
    if (!are_there_) {
        const std::size_t count = gather(static_cast<std::size_t>(at));
        session.bind_records(inputs(), targets());
        return static_cast<std::ptrdiff_t>(count);
    }
    const Rows<T> rows(there_rows_);
    const std::size_t first = inputs().size();
    session.bind_records(rows.first(first), rows.subspan(first), at, true);
    return static_cast<std::ptrdiff_t>(size()) - at;
}

template <class T>
RecordSharing<T>* EvaluatedRecords<T>::sharing(const ModelStore<T>& model) {
    return std::exchange(used_, true) && size() > most ? model.sharing() : nullptr;
}

/// Returns the targets that a loss compares with predictions: those of `count` records, without weights.
template <class T>
std::span<const T> EvaluatedRecords<T>::compared(const CostRecord& cost, const T* targets, std::size_t count) {
    const auto width = static_cast<std::size_t>(cost.target.count());
    if (!cost.weighs) return {targets, count * width};
    compared_.clear();
    for (std::size_t i = 0; i < count; ++i)
        compared_.insert(compared_.end(), targets + i * width, targets + (i + 1) * width - 1);
    return compared_;
}

template <class T>
void EvaluatedRecords<T>::predict(
    const ModelStore<T>& model,
    const AnyFunction<void(RowPointers<T>, std::span<T* const>, std::size_t)>& predict_batch,
    const AnyFunction<void(int, std::span<const T>, std::span<const T>)>& f) {
    const NetworkTable& network = model.network();
    require_classes(model.classes());
    RecordSharing<T>* const others = sharing(model);
    const std::span<T* const> shared = others ? others->predict(*this) : std::span<T* const>();
    results_.resize(static_cast<std::size_t>(network.costs.size()));
    result_rows_.clear();
    for (int cost = 0; std::vector<T> & results : results_) {
        results.resize(std::min(size(), most) * static_cast<std::size_t>(network.costs[cost++].prediction.count()));
        result_rows_.push_back(results.data());
    }
    for (std::size_t at = 0; at < size(); at += most) {
        const std::size_t count = gather(at);
        if (!others) predict_batch(inputs(), result_rows_, count);
        for (int cost = 0; const T* results : result_rows_) {
            const CostRecord& of = network.costs[cost];
            const auto width = static_cast<std::size_t>(of.prediction.count());
            if (others) results = shared[static_cast<std::size_t>(cost)] + at * width;
            f(cost, {results, count * width}, compared(of, targets()[static_cast<std::size_t>(cost)], count));
            ++cost;
        }
    }
}

SIGMA_IMPL EvaluatedData& EvaluatedData::operator=(const EvaluatedData& other) {
    data_ = other.data_;
    made_ = nullptr;
    return *this;
}

}  // namespace sigma::detail

SIGMA_INSTANTIATE(class sigma::detail::EvaluatedRecords);
