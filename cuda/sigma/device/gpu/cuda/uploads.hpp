// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/gpu/cuda/context.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace sigma::on_gpu::cuda {

/// Copies from the host to the device; the caller has the turn.
class Uploads {
public:
    explicit Uploads(Context& context) : context_(context) {
        try {
            for (::cudaEvent_t& each : left_) create(each);
            for (::cudaEvent_t& each : marks_) create(each);
            void* memory = nullptr;
            context_.examine(::cudaHostAlloc(&memory, 2 * half, cudaHostAllocDefault),
                             "4 MiB of the host's memory for copies");
            staged_ = static_cast<std::byte*>(memory);
        } catch (...) {
            end();
            throw;
        }
    }
    Uploads(const Uploads&) = delete;
    Uploads& operator=(const Uploads&) = delete;
    ~Uploads() { end(); }

    /// Any memory, which may change when this returns: it goes through pinned memory of ours, since what the runtime
    /// promises of pageable memory it does not of pinned memory, nor where the device reads the host's pages itself.
    void copy(void* to, const void* from, std::size_t bytes) {
        auto* target_bytes = static_cast<std::byte*>(to);
        const auto* source = static_cast<const std::byte*>(from);
        while (bytes > 0) {
            if (used_ == half) turn();
            const std::size_t count = std::min(bytes, half - used_);
            std::byte* const through = staged_ + (second_ ? half : 0) + used_;
            std::memcpy(through, source, count);
            context_.examine(::cudaMemcpyAsync(target_bytes, through, count, cudaMemcpyHostToDevice, context_.stream()),
                             "to copy to the device");
            used_ = std::min(half, (used_ + count + 63) / 64 * 64);
            target_bytes += count;
            source += count;
            bytes -= count;
        }
    }

    /// A number for the work asked for so far.
    std::uint64_t mark() { return record(context_.stream()); }

    /// From pinned memory, once `after` is reached; the work asked for later waits. Returns the mark of the copy's end.
    std::uint64_t copy_ahead(void* to, const void* from, std::size_t bytes, std::uint64_t after) {
        if (const ::cudaEvent_t event = pending(after))
            context_.examine(::cudaStreamWaitEvent(context_.uploads(), event, cudaEventWaitDefault),
                             "a copy to wait for work");
        if (bytes > 0)
            context_.examine(::cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, context_.uploads()),
                             "to copy to the device");
        const std::uint64_t mark = record(context_.uploads());
        context_.examine(::cudaStreamWaitEvent(context_.stream(), event(mark), cudaEventWaitDefault),
                         "work to wait for a copy");
        return mark;
    }
    /// The event of a mark, or none if it is known to be reached.
    ::cudaEvent_t pending(std::uint64_t mark) const {
        return mark > 0 && mark < next_ && mark + marks_.size() >= next_ ? event(mark) : nullptr;
    }

private:
    static constexpr std::size_t half = std::size_t{2} << 20;

    void create(::cudaEvent_t& event) {
        context_.examine(::cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "an event");
    }
    ::cudaEvent_t event(std::uint64_t mark) const { return marks_[mark % marks_.size()]; }
    /// Whoever is so many marks ahead of the device waits here: the event must be free of the mark that had it before.
    std::uint64_t record(::cudaStream_t stream) {
        context_.examine(::cudaEventSynchronize(event(next_)), "earlier work to end well");
        context_.examine(::cudaEventRecord(event(next_), stream), "to record an event");
        return next_++;
    }

    /// The other half, once its copies have ended.
    void turn() {
        context_.examine(::cudaEventRecord(left_[second_], context_.stream()), "to record an event");
        second_ = !second_;
        used_ = 0;
        context_.examine(::cudaEventSynchronize(left_[second_]), "an earlier copy to end well");
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
    std::byte* staged_ = nullptr;  // two halves: one is filled while the other's copies go on
    std::size_t used_ = 0;         // of the half at hand
    bool second_ = false;
    std::array<::cudaEvent_t, 2> left_{};     // when the copies of a half were all asked for
    std::array<::cudaEvent_t, 256> marks_{};  // mark n has event n % 256
    std::uint64_t next_ = 1;                  // 0 is a mark that was always reached
};

}  // namespace sigma::on_gpu::cuda
