// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owners.hpp>
#include <sigma/device/dual_buffer.hpp>
#include <sigma/execution/device_step.hpp>
#include <sigma/execution/part_sums.hpp>
#include <sigma/trainer/machines.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sigma::detail {

/// The steps of a training by several processes: each finds the gradients on its parts of each batch, all get their
/// sums and make the same update. Rank 0 is asked for steps; the others do what it does, with its numbers. What hooks
/// change of parameters and states there goes to all before the next step.
template <class T>
class MachineSteps final : public TrainingSteps<T>, public SharedRun {
public:
    /// `identity` says what all have to have alike, see require_alike. Throws MachineError.
    MachineSteps(const MachineSet& machines, const StepInParts& programs, const std::string& identity,
                 const BatchLoader<T>& batches, ModelStore<T>& model, StepCore<T>& step);
    ~MachineSteps() override;

    bool waits() const override { return false; }
    bool keeps_records() const override { return true; }
    void halt() override;
    std::ptrdiff_t step(const double* scalars, std::uint64_t number, std::uint64_t epoch, std::uint64_t batch) override;
    void set_losses(const LossAccumulator& losses) override;
    bool pending() const override { return pending_; }
    LossAccumulator fetch() override;
    double loss() const override { return losses_[0]; }
    double loss(int cost) const override {
        return losses_[losses_.size() == 1 ? 0 : static_cast<std::size_t>(1 + cost)];
    }

    void end(std::vector<std::byte> result) override;
    std::vector<std::byte> follow() override;
    /// Of all steps so far: what their sums took.
    typename PartSums<T>::Counters sums() const;

private:
    struct Part;
    struct Work;
    Owned<Work> work_;
    LossAccumulator sum_{};
    std::vector<double> losses_;  ///< the total and, of several costs, each
    bool pending_ = false;
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/trainer/impl/machine_steps.ipp>
#endif
