// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/this_thread.hpp>
#include <sigma/trainer/device_steps.hpp>

namespace sigma::detail {

template <class T>
void DeviceSteps<T>::enter(const SharedOwner<Accelerator>& device) {
    enter(device, [&] { return RemoteTrainings<T>::on(device, batches_, model_, step_); });
}
template <class T>
void DeviceSteps<T>::enter(const SharedOwner<AcceleratorGroup>& group, const SharedPlans& plans) {
    enter(group, [&] { return RemoteTrainings<T>::on(group, plans, batches_, model_, step_); });
}
template <class T>
template <class Where, class Make>
void DeviceSteps<T>::enter(const SharedOwner<Where>& where, const Make& make) {
    model_.mirrored().attach(where, "parameters");
    step_.mirrored().attach(where, "states of the optimizer");
    if (!made_ || made_->place() != where.get()) made_ = make();
    made_->halt();
    thread_ = this_thread();
    active_ = made_.get();
}

template <class T>
void DeviceSteps<T>::leave() {
    active_ = nullptr;
    model_.mirrored().detach();
    step_.mirrored().detach();
}

template <class T>
void DeviceSteps<T>::abandon() {
    active_ = nullptr;
    made_ = nullptr;
    model_.mirrored().abandon();
    step_.mirrored().abandon();
}

template <class T>
std::ptrdiff_t DeviceSteps<T>::step(const double* scalars, std::uint64_t number, std::uint64_t epoch,
                                    std::uint64_t batch) {
    const std::ptrdiff_t records = active_steps()->step(scalars, number, epoch, batch);
    last_ = {epoch, batch};
    late_ = active_steps()->keeps_records();
    return records;
}

template <class T>
std::optional<std::ptrdiff_t> DeviceSteps<T>::gather_late() {
    if (!late_) return std::nullopt;
    const std::ptrdiff_t records = batches_.gather(last_.epoch, last_.number);
    late_ = false;
    return records;
}

template <class T>
void DeviceSteps<T>::set_tally(double total, std::uint64_t records) {
    if (active()) active_steps()->set_tally({total, records, 0});
}
template <class T>
void DeviceSteps<T>::halt() {
    if (active()) active_steps()->halt();
}

template <class T>
std::optional<LossTally> DeviceSteps<T>::fetch() {
    if (!active()) return std::nullopt;
    if (this_thread() != thread_) {
        wanted_ = true;
        return std::nullopt;
    }
    if (!active_steps()->pending()) return std::nullopt;
    return active_steps()->fetch();
}
template <class T>
bool DeviceSteps<T>::wanted() {
    if (!wanted_) return false;
    wanted_ = false;
    return true;
}
template <class T>
double DeviceSteps<T>::loss() const {
    return active_steps()->loss();
}
template <class T>
double DeviceSteps<T>::loss(int cost) const {
    return active_steps()->loss(cost);
}

}  // namespace sigma::detail

#ifdef SIGMA_COMPILED
template class sigma::detail::DeviceSteps<float>;
template class sigma::detail::DeviceSteps<double>;
#endif
