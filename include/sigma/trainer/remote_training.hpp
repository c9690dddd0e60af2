// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/shared_owner.hpp>
#include <sigma/device/accelerator.hpp>
#include <sigma/plan/plan_view.hpp>
#include <sigma/worker/batch_ring.hpp>
#include <sigma/worker/step_core.hpp>

#include <cstddef>
#include <cstdint>

namespace sigma::detail {

/// Steps of a training that are taken elsewhere and are only asked for here.
class RemoteTraining {
public:
    virtual ~RemoteTraining() = default;
    /// The accelerator, or the group of them, that takes the steps.
    virtual const void* place() const = 0;
    /// Are records there, so that the host gathers none?
    virtual bool keeps_records() const = 0;
    /// What the order of records follows from may have changed.
    virtual void halt() = 0;
    /// Asks for the step of this number on a batch, with the optimizer's scalars; returns how many records it has.
    /// Throws DeviceError.
    virtual std::ptrdiff_t step(const double* scalars, std::uint64_t number, std::uint64_t number_of_epoch,
                                std::uint64_t number_of_batch) = 0;
    /// From now on losses are added to these.
    virtual void set_tally(const LossTally& tally) = 0;
    /// Is there anything that `fetch` has not seen?
    virtual bool pending() const = 0;
    /// Waits for all steps; what their losses were. Throws DeviceError.
    virtual LossTally fetch() = 0;
    /// The loss of the last step fetched, and that of one cost, without its importance.
    virtual double loss() const = 0;
    virtual double loss(int cost) const = 0;
};

/// What a training on several accelerators takes: see to_share and UpdateProgram.
struct SharedPlans {
    PlanView share, update;
    int losses = 1;  ///< so many of the share's outputs
};

/// Makes a training's steps on an accelerator, or on a group of which each takes a part of each batch. Throws
/// DeviceError.
template <class T>
struct RemoteTrainings {
    static SharedOwner<RemoteTraining> on(const SharedOwner<Accelerator>& device, BatchRing<T>& batches,
                                          ModelStore<T>& model, StepCore<T>& step);
    static SharedOwner<RemoteTraining> on(const SharedOwner<AcceleratorGroup>& group, const SharedPlans& plans,
                                          BatchRing<T>& batches, ModelStore<T>& model, StepCore<T>& step);
};

}  // namespace sigma::detail

#ifdef SIGMA_COMPILED
extern template struct sigma::detail::RemoteTrainings<float>;
extern template struct sigma::detail::RemoteTrainings<double>;
#else
#include <sigma/trainer/impl/remote_training.ipp>
#endif
