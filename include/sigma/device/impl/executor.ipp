// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/executor.hpp>
#include <sigma/device/offload.hpp>

namespace sigma {

template <class T>
Executor<T>::Executor(const CompiledProgram<T>& program) : cpu_(program) {}
template <class T>
Executor<T>::~Executor() = default;

template <class T>
void Executor<T>::bind_parameters(Mirrored<T>& memory) {
    parameters_ = &memory;
    for (int i = 0; i < memory.count(); ++i) cpu_.bind_parameter(i, memory.place(i));
}
template <class T>
void Executor<T>::bind_states(Mirrored<T>& memory) {
    states_ = &memory;
    for (int i = 0; i < memory.count(); ++i) cpu_.bind_state(i, memory.place(i));
}

template <class T>
std::size_t Executor<T>::arena_bytes() const {
    return accelerator() && offload_ ? offload_->arena_bytes() : cpu_.arena_bytes();
}

template <class T>
std::ptrdiff_t Executor<T>::run_some() {
    if (accelerator()) return run_there(false);
    run();
    return records_;
}
template <class T>
std::ptrdiff_t Executor<T>::run_there(bool all) {
    if (!offload_ || offload_->device() != parameters_->accelerator())
        offload_ = std::make_unique<detail::Offload<T>>(parameters_->accelerator(), cpu_.plan());
    return offload_->run(records_, all, random, *parameters_, states_, inputs_there_,
                         [&](int buffer) { return cpu_.bound(buffer); });
}

#ifdef SIGMA_COMPILED
template class Executor<float>;
template class Executor<double>;
#endif

}  // namespace sigma
