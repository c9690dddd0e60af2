// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/threads.hpp>

#include <mutex>
#include <new>

namespace sigma::detail {

SIGMA_IMPL std::mutex& std_mutex(std::byte* place) { return *std::launder(reinterpret_cast<std::mutex*>(place)); }

SIGMA_IMPL Mutex::Mutex() noexcept {
    static_assert(sizeof(std::mutex) <= sizeof(place_) && alignof(std::mutex) <= alignof(Mutex));
    ::new (static_cast<void*>(place_)) std::mutex;
}

SIGMA_IMPL Mutex::~Mutex() { std_mutex(place_).~mutex(); }

SIGMA_IMPL void Mutex::lock() { std_mutex(place_).lock(); }

SIGMA_IMPL void Mutex::unlock() noexcept { std_mutex(place_).unlock(); }

}  // namespace sigma::detail
