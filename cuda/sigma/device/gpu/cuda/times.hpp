// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/gpu/cuda/context.hpp>

#include <cstddef>
#include <vector>

namespace sigma::on_gpu::cuda {

/// Marks of time in the order of work, for profiles. The caller must hold the lock. Events are kept for later marks.
class Times {
public:
    explicit Times(Context& context) : context_(context) {}
    Times(const Times&) = delete;
    Times& operator=(const Times&) = delete;
    ~Times() {
        for (const ::cudaEvent_t each : events_) ::cudaEventDestroy(each);
    }

    int mark() {
        if (used_ == events_.size()) {
            ::cudaEvent_t fresh = nullptr;
            context_.examine(::cudaEventCreateWithFlags(&fresh, cudaEventDefault), "create an event");
            events_.push_back(fresh);
        }
        context_.examine(::cudaEventRecord(events_[used_], context_.stream()), "time work");
        return static_cast<int>(used_++);
    }
    double seconds_between(int from, int to) {
        float milliseconds = 0;
        const auto event = [&](int mark) { return events_[static_cast<std::size_t>(mark)]; };
        context_.examine(::cudaEventSynchronize(event(to)), "finish timed work");
        context_.examine(::cudaEventElapsedTime(&milliseconds, event(from), event(to)), "time work");
        return 1e-3 * static_cast<double>(milliseconds);
    }
    void forget() { used_ = 0; }

private:
    Context& context_;
    std::vector<::cudaEvent_t> events_;
    std::size_t used_ = 0;
};

}  // namespace sigma::on_gpu::cuda
