// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owners.hpp>
#include <sigma/device/dual_buffer.hpp>
#include <sigma/execution/device_step.hpp>
#include <sigma/execution/part_sums.hpp>
#include <sigma/trainer/machines/machines.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sigma::detail {

/// The steps of a training by several processes. Each process computes the gradients of its parts of each batch, all
/// get the sums, and all make the same update. Rank 0 leads; the others take the same steps with its hyperparameters.
/// Changes of parameters and states by hooks in rank 0 are sent to all before the next step.
template <class T>
class MachineSteps final : public TrainingSteps<T>, public SharedRun {
public:
    /// Constructs the steps. `identity` must be equal in all processes, see require_alike. Throws MachineError.
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
    double loss(int cost = -1) const override {
        return losses_[losses_.size() == 1 ? 0 : static_cast<std::size_t>(1 + cost)];
    }

    SharedRun* shared_run() override { return this; }
    void end(std::vector<std::byte> result) override;
    std::vector<std::byte> follow() override;
    /// Returns the cost of the sums of all steps so far.
    typename PartSums<T>::Counters sums() const;

private:
    struct Part;
    struct Work;
    Owned<Work> work_;
    LossAccumulator sum_{};
    std::vector<double> losses_;  ///< the total, and for several costs the loss of each
    bool pending_ = false;
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/trainer/machines/impl/machine_steps.ipp>
#endif
