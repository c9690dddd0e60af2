// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/gpu/cuda/context.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace sigma::on_gpu::cuda {

/// Copies from the host to the device. The caller must hold the lock.
class Uploads {
public:
    explicit Uploads(Context& context) : context_(context) {
        try {
            for (::cudaEvent_t& each : left_) create(each);
            for (::cudaEvent_t& each : marks_) create(each);
            void* memory = nullptr;
            context_.examine(::cudaHostAlloc(&memory, 2 * half, cudaHostAllocDefault),
                             "allocate 4 MiB of host memory for copies");
            staged_ = static_cast<std::byte*>(memory);
        } catch (...) {
            end();
            throw;
        }
    }
    Uploads(const Uploads&) = delete;
    Uploads& operator=(const Uploads&) = delete;
    ~Uploads() { end(); }

    /// Copies from any host memory, which may change when the function returns. The copy uses our own pinned memory:
    /// for pageable memory the runtime copies before it returns, but not for pinned memory of the caller, nor if the
    /// device reads pages of the host itself.
    void copy(void* to, const void* from, std::size_t bytes) {
        auto* target_bytes = static_cast<std::byte*>(to);
        const auto* source = static_cast<const std::byte*>(from);
        while (bytes > 0) {
            if (used_ == half) turn();
            const std::size_t count = std::min(bytes, half - used_);
            std::byte* const through = staged_ + (second_ ? half : 0) + used_;
            std::memcpy(through, source, count);
            context_.examine(::cudaMemcpyAsync(target_bytes, through, count, cudaMemcpyHostToDevice, context_.stream()),
                             "copy to the device");
            used_ = std::min(half, (used_ + count + 63) / 64 * 64);
            target_bytes += count;
            source += count;
            bytes -= count;
        }
    }

    /// Returns a mark for the work issued so far.
    std::uint64_t mark() { return record(context_.stream()); }

    /// Copies from pinned memory after the mark `after`. Later work waits for the copy. Returns the mark of its end.
    std::uint64_t copy_ahead(void* to, const void* from, std::size_t bytes, std::uint64_t after) {
        if (const ::cudaEvent_t event = pending(after))
            context_.examine(::cudaStreamWaitEvent(context_.uploads(), event, cudaEventWaitDefault),
                             "let a copy wait for work");
        if (bytes > 0)
            context_.examine(::cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, context_.uploads()),
                             "copy to the device");
        const std::uint64_t mark = record(context_.uploads());
        context_.examine(::cudaStreamWaitEvent(context_.stream(), event(mark), cudaEventWaitDefault),
                         "let work wait for a copy");
        return mark;
    }
    /// Returns the event of a mark, or null if the mark is known to be reached.
    ::cudaEvent_t pending(std::uint64_t mark) const {
        return mark > 0 && mark < next_ && mark + marks_.size() >= next_ ? event(mark) : nullptr;
    }

private:
    static constexpr std::size_t half = std::size_t{2} << 20;

    void create(::cudaEvent_t& event) {
        context_.examine(::cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "create an event");
    }
    ::cudaEvent_t event(std::uint64_t mark) const { return marks_[mark % marks_.size()]; }
    /// Records a mark. Waits if the caller is 256 marks ahead of the device, because marks share events.
    std::uint64_t record(::cudaStream_t stream) {
        context_.examine(::cudaEventSynchronize(event(next_)), "finish earlier work");
        context_.examine(::cudaEventRecord(event(next_), stream), "record an event");
        return next_++;
    }

    /// Switches to the other half when its copies have ended.
    void turn() {
        context_.examine(::cudaEventRecord(left_[second_], context_.stream()), "record an event");
        second_ = !second_;
        used_ = 0;
        context_.examine(::cudaEventSynchronize(left_[second_]), "finish an earlier copy");
    }

    void end() noexcept {
        const auto turn = context_.enter_quietly();
        for (const ::cudaStream_t each : {context_.stream(), context_.uploads()}) ::cudaStreamSynchronize(each);
        for (const ::cudaEvent_t each : left_)
            if (each) ::cudaEventDestroy(each);
        for (const ::cudaEvent_t each : marks_)
            if (each) ::cudaEventDestroy(each);
        if (staged_) ::cudaFreeHost(staged_);
    }

    Context& context_;
    std::byte* staged_ = nullptr;  // two halves: one is filled while the other is copied
    std::size_t used_ = 0;         // bytes used of the current half
    bool second_ = false;
    std::array<::cudaEvent_t, 2> left_{};     // recorded when all copies of a half were issued
    std::array<::cudaEvent_t, 256> marks_{};  // mark n has event n % 256
    std::uint64_t next_ = 1;                  // mark 0 is always reached
};

}  // namespace sigma::on_gpu::cuda
