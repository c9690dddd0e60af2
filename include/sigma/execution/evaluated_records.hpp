// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_function.hpp>
#include <sigma/core/owners.hpp>
#include <sigma/device/device.hpp>
#include <sigma/execution/batch_buffers.hpp>
#include <sigma/network/program_runs.hpp>

#include <cstddef>
#include <span>
#include <string>
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
    void predict(const NetworkTable& network, const std::vector<std::string>& classes,
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

    void evaluate_there(const ModelStore<T>& model, ProgramRuns<T>& runs, const CompiledProgram<T>& program,
                        int threads, ScoreView to);
    std::span<const T> compared(const CostRecord& cost, const T* targets, std::size_t count);
};

}  // namespace sigma::detail

#ifdef SIGMA_COMPILED
extern template class sigma::detail::EvaluatedRecords<float>;
extern template class sigma::detail::EvaluatedRecords<double>;
#else
#include <sigma/execution/impl/evaluated_records.ipp>
#endif
