// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/device/cpu/shared_threads.hpp>
#include <sigma/device/cpu/thread_pool.hpp>

namespace sigma::on_cpu {

SIGMA_IMPL SharedThreads::SharedThreads() = default;
SIGMA_IMPL SharedThreads::~SharedThreads() = default;

SIGMA_IMPL ThreadPool* SharedThreads::take(const sigma::detail::Cpu& processor) {
    const int threads = processor.threads;
    {
        const sigma::detail::Lock lock(mutex_);
        if (in_use_) return nullptr;
        in_use_ = true;
    }
    try {
        if (!pool_ || pool_->threads() != threads) {
            pool_ = nullptr;
            pool_ = sigma::detail::make_owned<ThreadPool>(threads);
        }
    } catch (...) {
        give_back();
        throw;
    }
    pool_->least_work = processor.least_work;
    return pool_.get();
}

SIGMA_IMPL void SharedThreads::give_back() noexcept {
    const sigma::detail::Lock lock(mutex_);
    in_use_ = false;
}

}  // namespace sigma::on_cpu
