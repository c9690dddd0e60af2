// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/cpu/executor.hpp>
#include <sigma/device/cpu/thread_pool.hpp>
#include <sigma/device/executor.hpp>
#include <sigma/device/offload.hpp>

namespace sigma::detail {

template <class T>
Executor<T>::Executor(const CompiledProgram<T>& program) : cpu_(detail::make_owned<on_cpu::Executor<T>>(program)) {}
template <class T>
Executor<T>::~Executor() = default;

template <class T>
void Executor<T>::bind_input(int i, const T* data) {
    cpu_->bind_input(i, data);
}
template <class T>
void Executor<T>::bind_output(int i, T* data) {
    cpu_->bind_output(i, data);
}

template <class T>
void Executor<T>::bind_parameters(DualBuffer<T>& memory) {
    parameters_ = &memory;
    for (int i = 0; i < memory.count(); ++i) cpu_->bind_parameter(i, memory.place(i));
}
template <class T>
void Executor<T>::bind_states(DualBuffer<T>& memory) {
    states_ = &memory;
    for (int i = 0; i < memory.count(); ++i) cpu_->bind_state(i, memory.place(i));
}

template <class T>
std::size_t Executor<T>::arena_bytes() const {
    return compute_device() && offload_ ? offload_->arena_bytes() : cpu_->arena_bytes();
}

template <class T>
const PlanView& Executor<T>::plan() const {
    return cpu_->plan();
}

template <class T>
void Executor<T>::prepare(std::ptrdiff_t records) {
    records_ = records;
    if (!compute_device()) cpu_->prepare(records);
}
template <class T>
void Executor<T>::run(on_cpu::ThreadPool* pool) {
    if (compute_device()) return void(run_there(true));
    cpu_->random = random;
    if (cpu_->records() != records_) cpu_->prepare(records_);  // the accelerator has left meanwhile
    if (pool) cpu_->run(*pool);
    else cpu_->run();
}
template <class T>
std::ptrdiff_t Executor<T>::run_some(on_cpu::ThreadPool* pool) {
    if (compute_device()) return run_there(false);
    run(pool);
    return records_;
}
template <class T>
std::ptrdiff_t Executor<T>::run_there(bool all) {
    if (!offload_ || offload_->device() != parameters_->compute_device())
        offload_ = detail::make_owned<detail::Offload<T>>(parameters_->compute_device(), cpu_->plan());
    return offload_->run(records_, all, random, *parameters_, states_, inputs_there_,
                         [&](int buffer) { return cpu_->bound(buffer); });
}

#ifdef SIGMA_COMPILED
template class Executor<float>;
template class Executor<double>;
#endif

}  // namespace sigma::detail
