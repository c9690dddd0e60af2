// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/gpu/cuda/context.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace sigma::gpu::cuda {

/// Copies from the host to the device; the caller has the turn.
class Uploads {
public:
    explicit Uploads(Context& context) : context_(context) {
        try {
            for (::cudaEvent_t& each : left_) create(each);
            for (::cudaEvent_t& each : ahead_) create(each);
            void* memory = nullptr;
            context_.check(::cudaHostAlloc(&memory, 2 * half, cudaHostAllocDefault), "4 MiB of the host's memory for copies");
            staged_ = static_cast<std::byte*>(memory);
        } catch (...) {
            end();
            throw;
        }
    }
    Uploads(const Uploads&) = delete;
    Uploads& operator=(const Uploads&) = delete;
    ~Uploads() { end(); }

    /// Any memory, which may change when this returns: it goes through pinned memory of ours, since what the runtime promises
    /// of pageable memory it does not of pinned memory, nor where the device reads the host's pages itself.
    void copy(void* to, const void* from, std::size_t bytes) {
        auto* target_bytes = static_cast<std::byte*>(to);
        const auto* source = static_cast<const std::byte*>(from);
        while (bytes > 0) {
            if (used_ == half) turn();
            const std::size_t count = std::min(bytes, half - used_);
            std::byte* const through = staged_ + (second_ ? half : 0) + used_;
            std::memcpy(through, source, count);
            context_.check(::cudaMemcpyAsync(target_bytes, through, count, cudaMemcpyHostToDevice, context_.stream()),
                           "to copy to the device");
            used_ = std::min(half, (used_ + count + 63) / 64 * 64);
            target_bytes += count;
            source += count;
            bytes -= count;
        }
    }

    /// Pinned memory, beside the work asked for before; the work asked for later waits. Returns the number of the copy.
    std::uint64_t copy_ahead(void* to, const void* from, std::size_t bytes) {
        const ::cudaEvent_t done = event(next_);
        // The copy that had this event before; copies end in their order.
        context_.check(::cudaEventSynchronize(done), "an earlier copy to end well");
        if (bytes > 0)
            context_.check(::cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, context_.uploads()),
                           "to copy to the device");
        context_.check(::cudaEventRecord(done, context_.uploads()), "to record an event");
        context_.check(::cudaStreamWaitEvent(context_.stream(), done, cudaEventWaitDefault), "work to wait for a copy");
        return next_++;
    }
    /// The event of a copy, or none if it has ended.
    ::cudaEvent_t pending(std::uint64_t number) const {
        return number < next_ && number + ahead_.size() >= next_ ? event(number) : nullptr;
    }

private:
    static constexpr std::size_t half = std::size_t{2} << 20;

    void create(::cudaEvent_t& event) {
        context_.check(::cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "an event");
    }
    ::cudaEvent_t event(std::uint64_t number) const { return ahead_[number % ahead_.size()]; }

    /// The other half, once its copies have ended.
    void turn() {
        context_.check(::cudaEventRecord(left_[second_], context_.stream()), "to record an event");
        second_ = !second_;
        used_ = 0;
        context_.check(::cudaEventSynchronize(left_[second_]), "an earlier copy to end well");
    }

    void end() noexcept {
        const auto turn = context_.enter_quietly();
        for (const ::cudaStream_t each : {context_.stream(), context_.uploads()}) ::cudaStreamSynchronize(each);
        for (const ::cudaEvent_t each : left_)
            if (each) ::cudaEventDestroy(each);
        for (const ::cudaEvent_t each : ahead_)
            if (each) ::cudaEventDestroy(each);
        if (staged_) ::cudaFreeHost(staged_);
    }

    Context& context_;
    std::byte* staged_ = nullptr;  // two halves: one is filled while the other's copies go on
    std::size_t used_ = 0;         // of the half at hand
    bool second_ = false;
    std::array<::cudaEvent_t, 2> left_{};    // when the copies of a half were all asked for
    std::array<::cudaEvent_t, 64> ahead_{};  // copy n has event n % 64
    std::uint64_t next_ = 0;
};

}  // namespace sigma::gpu::cuda
