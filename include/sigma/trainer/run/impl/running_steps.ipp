// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/trainer/machines/machines.hpp>
#include <sigma/trainer/run/running_steps.hpp>

#include <utility>

namespace sigma::detail {

template <class T>
void RunningSteps<T>::enter(const SharedOwner<ComputeDevice>& device, const Cpu& threads,
                            const ProgramSource& program) {
    const bool here = device->shares_host_memory();
    if (here) detach_buffers();
    else
        model_.dual_buffer().attach(device, "parameters"),
            step_.dual_buffer().attach(device, "states of the optimizer");
    SharedOwner<DeviceStep<T>> once;  // the debug device, and the operations that it runs, are those of one run
    SharedOwner<DeviceStep<T>>& kept = program.program ? once : here ? here_ : there_;
    if (!kept || kept->place() != device.get())
        kept = SharedOwner<DeviceStep<T>>::make(std::span(&device, 1), program, program.plan.outputs.size(), batches_,
                                                model_, step_);
    kept->set_threads(threads);
    activate(kept);
}
template <class T>
void RunningSteps<T>::enter(const SharedOwner<ComputeGroup>& group, const DataParallelPlans& plans) {
    model_.dual_buffer().attach(group, "parameters");
    step_.dual_buffer().attach(group, "states of the optimizer");
    if (!there_ || there_->place() != group.get())
        there_ =
            SharedOwner<DeviceStep<T>>::make(group->members(), plans.gradients, static_cast<std::size_t>(plans.losses),
                                             batches_, model_, step_, group, &plans.update);
    activate(there_);
}
template <class T>
void RunningSteps<T>::enter(const AnyFunction<SharedOwner<TrainingSteps<T>>(BatchLoader<T>&)>& make) {
    detach_buffers();
    activate(make(batches_));
}
template <class T>
void RunningSteps<T>::activate(SharedOwner<TrainingSteps<T>> steps) {
    steps_ = std::move(steps);
    steps_->halt();
    thread_ = this_thread();
    active_ = steps_.get();
}

template <class T>
void RunningSteps<T>::leave() {
    active_ = nullptr;
    detach_buffers();
    steps_ = nullptr;
}
template <class T>
void RunningSteps<T>::detach_buffers() {
    model_.dual_buffer().detach();
    step_.dual_buffer().detach();
}

template <class T>
void RunningSteps<T>::abandon() {
    active_ = nullptr;
    there_ = nullptr;
    model_.dual_buffer().drop_device_copies();
    step_.dual_buffer().drop_device_copies();
    steps_ = nullptr;
}

template <class T>
void RunningSteps<T>::forget() {
    here_ = there_ = nullptr;
    late_ = false;
}

template <class T>
std::ptrdiff_t RunningSteps<T>::step(const double* scalars, std::uint64_t number, std::uint64_t epoch,
                                     std::uint64_t batch) {
    const std::ptrdiff_t records = now()->step(scalars, number, epoch, batch);
    last_ = {epoch, batch};
    late_ = now()->keeps_records();
    return records;
}

template <class T>
std::optional<std::ptrdiff_t> RunningSteps<T>::gather_late() {
    if (!late_) return std::nullopt;
    const std::ptrdiff_t records = batches_.gather(last_.epoch, last_.number);
    late_ = false;
    return records;
}

template <class T>
void RunningSteps<T>::set_losses(double total, std::uint64_t records) {
    if (now()) now()->set_losses({total, records, 0});
}

template <class T>
std::optional<LossAccumulator> RunningSteps<T>::fetch() {
    if (!now()) return std::nullopt;
    if (this_thread() != thread_) {
        wanted_ = true;
        return std::nullopt;
    }
    if (!now()->pending()) return std::nullopt;
    return now()->fetch();
}
template <class T>
bool RunningSteps<T>::wanted() {
    if (!wanted_) return false;
    wanted_ = false;
    return true;
}
}  // namespace sigma::detail

SIGMA_INSTANTIATE(class sigma::detail::RunningSteps);
