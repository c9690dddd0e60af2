// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/accelerator.hpp>

namespace sigma::detail {

/// Steps of a training that are taken elsewhere and are only asked for here. Without the type of what takes them: a program
/// that runs on the processor alone does not compile it.
template <class O>
class RemoteTraining {
public:
    virtual ~RemoteTraining() = default;
    /// The accelerator, or the group of them, that takes the steps.
    virtual const void* place() const = 0;
    /// Are records there, so that the host gathers none?
    virtual bool keeps_records() const = 0;
    /// What the order of records follows from may have changed.
    virtual void halt() = 0;
    /// Asks for the step of this number on a batch; returns how many records it has. Throws DeviceError.
    virtual std::ptrdiff_t step(const O& optimizer, std::uint64_t number, std::uint64_t number_of_epoch,
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

}  // namespace sigma::detail
