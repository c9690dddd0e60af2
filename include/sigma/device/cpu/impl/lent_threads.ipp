// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/device/cpu/lent_threads.hpp>
#include <sigma/device/cpu/thread_pool.hpp>

namespace sigma::on_cpu {

SIGMA_IMPL LentThreads::LentThreads() = default;
SIGMA_IMPL LentThreads::~LentThreads() = default;

SIGMA_IMPL ThreadPool* LentThreads::take(const sigma::detail::Cpu& processor) {
    const int threads = processor.threads;
    {
        const sigma::detail::Lock lock(mutex_);
        if (lent_) return nullptr;
        lent_ = true;
    }
    try {
        if (!pool_ || pool_->threads() != threads) {
            pool_ = nullptr;
            pool_ = sigma::detail::make_owned<ThreadPool>(threads);
        }
    } catch (...) {
        give();
        throw;
    }
    pool_->least_work = processor.least_work;
    return pool_.get();
}

SIGMA_IMPL void LentThreads::give() noexcept {
    const sigma::detail::Lock lock(mutex_);
    lent_ = false;
}

}  // namespace sigma::on_cpu
