// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/relaxed.hpp>
#include <sigma/core/shared_owner.hpp>
#include <sigma/core/signal.hpp>
#include <sigma/data/batches/position.hpp>
#include <sigma/trainer/remote_training.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace sigma::detail {

/// The steps of a training while an accelerator, or a group of them, takes them: they are only asked for here, and what
/// their losses were is fetched when somebody wants to know.
template <class T>
class DeviceSteps {
public:
    DeviceSteps(BatchRing<T>& batches, ModelStore<T>& model, StepCore<T>& step)
        : batches_(batches), model_(model), step_(step) {}

    /// From now on steps are taken there. Throws DeviceError.
    void enter(const SharedOwner<Accelerator>& device);
    void enter(const SharedOwner<AcceleratorGroup>& group, const SharedPlans& plans);
    /// The processor has everything again. Throws DeviceError.
    void leave();
    /// After an accelerator has failed: what it had is lost.
    void abandon();
    bool active() const { return active_ != nullptr; }

    /// Asks for the step of this number on a batch; returns how many records it has. Throws DeviceError.
    std::ptrdiff_t step(const double* scalars, std::uint64_t number, std::uint64_t epoch, std::uint64_t batch);
    /// The records of the last step are gathered here where that has not been done; how many they are.
    std::optional<std::ptrdiff_t> gather_late();
    void gathered_here() { late_ = false; }

    /// From now on losses are added to these: Σ loss · records, and records. The position may have changed.
    void set_tally(double total, std::uint64_t records);
    void halt();
    /// Waits for all steps and says what is new of their losses. Nothing on another thread than the run's: the next
    /// step is told that somebody `wanted` it.
    std::optional<LossTally> fetch();
    bool wanted();
    /// The loss of the last step fetched, and that of one cost, without its importance.
    double loss() const;
    double loss(int cost) const;

private:
    BatchRing<T>& batches_;
    ModelStore<T>& model_;
    StepCore<T>& step_;
    SharedOwner<RemoteTraining> made_;
    Signal<RemoteTraining*> active_;
    Relaxed<const void*> thread_;  ///< of the run
    Relaxed<bool> wanted_;
    BatchPosition last_{};  ///< of the last step
    bool late_ = false;     ///< its records are not in the buffers

    RemoteTraining* active_steps() const { return active_; }
    template <class Where, class Make>
    void enter(const SharedOwner<Where>& where, const Make& make);
};

}  // namespace sigma::detail

#ifdef SIGMA_COMPILED
extern template class sigma::detail::DeviceSteps<float>;
extern template class sigma::detail::DeviceSteps<double>;
#else
#include <sigma/trainer/impl/device_steps.ipp>
#endif
