// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/device/cpu/device.hpp>
#include <sigma/device/debug/device.hpp>
#include <sigma/trainer/machine_steps.hpp>
#include <sigma/trainer/running_steps.hpp>
#include <sigma/trainer/worker_steps.hpp>

namespace sigma::detail {

template <class T>
void RunningSteps<T>::enter(Cpu processor) {
    if (!processor_) processor_ = SharedOwner<CpuDevice>::make();
    processor_->set_threads(processor);
    detach_buffers();
    if (!on_processor_)
        on_processor_ =
            SharedOwner<DeviceStep<T>>::make(processor_, ProgramSource(step_.program()), batches_, model_, step_);
    activate(*on_processor_);
}
template <class T>
void RunningSteps<T>::enter(const SharedOwner<DebugDevice>& device, const Program& operations) {
    detach_buffers();
    checked_ =
        SharedOwner<DeviceStep<T>>::make(device, ProgramSource(step_.plan(), &operations), batches_, model_, step_);
    activate(*checked_);
}
template <class T>
void RunningSteps<T>::enter(const SharedOwner<ComputeDevice>& device) {
    enter_elsewhere(device, ProgramSource(step_.plan()));
}
template <class T>
void RunningSteps<T>::enter(const SharedOwner<ComputeGroup>& group, const DataParallelPlans& plans) {
    enter_elsewhere(group, plans);
}
template <class T>
void RunningSteps<T>::enter(const WorkerSet& workers, Modifiers<T>& modifiers, const TrainerInterface<T>& trainer,
                            const BatchPosition& next, const AlikeMachines& machines) {
    detach_buffers();
    by_workers_ =
        SharedOwner<WorkerSteps<T>>::make(workers, batches_, model_, step_, modifiers, trainer, next, machines);
    activate(*by_workers_);
}
template <class T>
SharedRun& RunningSteps<T>::of_machines() {
    if (by_workers_) return *by_workers_;
    return *by_machines_;
}
template <class T>
void RunningSteps<T>::enter(const MachineSet& machines, const StepInParts& programs, const std::string& identity) {
    detach_buffers();
    by_machines_ = SharedOwner<MachineSteps<T>>::make(machines, programs, identity, batches_, model_, step_);
    activate(*by_machines_);
}
template <class T>
template <class Where, class... Program>
void RunningSteps<T>::enter_elsewhere(const SharedOwner<Where>& where, const Program&... program) {
    model_.dual_buffer().attach(where, "parameters");
    step_.dual_buffer().attach(where, "states of the optimizer");
    if (!elsewhere_ || elsewhere_->place() != where.get())
        elsewhere_ = SharedOwner<DeviceStep<T>>::make(where, program..., batches_, model_, step_);
    activate(*elsewhere_);
}
template <class T>
void RunningSteps<T>::activate(TrainingSteps<T>& steps) {
    steps.halt();
    thread_ = this_thread();
    active_ = &steps;
}

template <class T>
on_cpu::ThreadPool* RunningSteps<T>::pool() const {
    return processor_ ? processor_->pool() : nullptr;
}

template <class T>
void RunningSteps<T>::leave() {
    active_ = nullptr;
    checked_ = nullptr;
    if (processor_) processor_->set_threads({});  // until the next run
    detach_buffers();
    by_workers_ = nullptr;
    by_machines_ = nullptr;
}
template <class T>
void RunningSteps<T>::detach_buffers() {
    model_.dual_buffer().detach();
    step_.dual_buffer().detach();
}

template <class T>
void RunningSteps<T>::abandon() {
    active_ = nullptr;
    checked_ = elsewhere_ = nullptr;
    if (processor_) processor_->set_threads({});
    model_.dual_buffer().drop_device_copies();
    step_.dual_buffer().drop_device_copies();
    by_workers_ = nullptr;
    by_machines_ = nullptr;
}

template <class T>
void RunningSteps<T>::forget() {
    on_processor_ = elsewhere_ = nullptr;
    late_ = false;
}

template <class T>
std::ptrdiff_t RunningSteps<T>::step(const double* scalars, std::uint64_t number, std::uint64_t epoch,
                                     std::uint64_t batch) {
    const std::ptrdiff_t records = active_steps()->step(scalars, number, epoch, batch);
    last_ = {epoch, batch};
    late_ = active_steps()->keeps_records();
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
    if (active()) active_steps()->set_losses({total, records, 0});
}
template <class T>
void RunningSteps<T>::halt() {
    if (active()) active_steps()->halt();
}

template <class T>
std::optional<LossAccumulator> RunningSteps<T>::fetch() {
    if (!active()) return std::nullopt;
    if (this_thread() != thread_) {
        wanted_ = true;
        return std::nullopt;
    }
    if (!active_steps()->pending()) return std::nullopt;
    return active_steps()->fetch();
}
template <class T>
bool RunningSteps<T>::wanted() {
    if (!wanted_) return false;
    wanted_ = false;
    return true;
}
template <class T>
double RunningSteps<T>::loss() const {
    return active_steps()->loss();
}
template <class T>
double RunningSteps<T>::loss(int cost) const {
    return active_steps()->loss(cost);
}

}  // namespace sigma::detail

SIGMA_INSTANTIATE(class sigma::detail::RunningSteps);
