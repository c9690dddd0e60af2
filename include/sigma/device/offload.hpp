// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owners.hpp>
#include <sigma/device/dual_buffer.hpp>
#include <sigma/device/random_key.hpp>

#include <algorithm>
#include <vector>

namespace sigma::detail {

/// Which tensors of a kind a plan writes.
std::vector<int> written_tensors(const PlanView& plan, Buffer::Where where);

/// Runs a plan on an accelerator for a caller whose tensors are in the host's memory: brings its arguments over and its
/// results back. Parameters and states stay there.
template <class T>
class Offload {
public:
    Offload(SharedOwner<ComputeDevice> device, const PlanView& plan)
        : device_(std::move(device)), plan_(plan), program_(device_->make_program(plan)),
          counters_(device_, sizeof(StepCounters), "counters"),
          parameters_written_(written_tensors(plan, Buffer::Where::parameter)),
          states_written_(written_tensors(plan, Buffer::Where::state)) {
        program_->bind_counters(counters_.as<StepCounters>());
    }
    const SharedOwner<ComputeDevice>& device() const { return device_; }
    std::size_t arena_bytes() const { return program_->arena_bytes(); }

    /// `bound(b)` is the host's memory that is bound to buffer b of the plan; inputs are on the accelerator already if
    /// `inputs_there`. Returns when the results are there: how many of the records were taken, from the first on, which
    /// are fewer only where not all are wanted and memory lacks.
    template <class Bound>
    std::ptrdiff_t run(std::ptrdiff_t records, bool all, RandomKey key, DualBuffer<T>& parameters,
                       DualBuffer<T>* states, bool inputs_there, Bound bound) {
        parameters.wait_for_group();
        records = make_room(records, all);
        for (std::size_t b = 0, at = 0; b < plan_.buffers.size(); ++b) {
            const Buffer& buffer = plan_.buffers[b];
            if (buffer.where == Buffer::Where::input) {
                T* const from = bound(static_cast<int>(b));
                program_->bind(buffer.where, buffer.offset, inputs_there ? from : place(at));
                if (!inputs_there) device_->upload(place(at), from, elements(buffer, records) * sizeof(T));
            }
            if (is_staged(buffer)) at += padded(elements(buffer, capacity_));
            if (buffer.where == Buffer::Where::parameter)
                program_->bind(buffer.where, buffer.offset, parameters.on_device(buffer.offset));
            if (buffer.where == Buffer::Where::state && states)
                program_->bind(buffer.where, buffer.offset, states->on_device(buffer.offset));
        }
        parameters.upload();
        if (states) states->upload();
        const StepCounters now{key.seed, key.step, 0};
        device_->upload(counters_.data(), &now, sizeof now);
        program_->prepare(records);
        program_->run();
        for (int p : parameters_written_) parameters.mark_written(p);
        if (states)
            for (int s : states_written_) states->mark_written(s);
        for (std::size_t b = 0, at = 0; b < plan_.buffers.size(); ++b) {
            const Buffer& buffer = plan_.buffers[b];
            if (buffer.where == Buffer::Where::output)
                device_->download(bound(static_cast<int>(b)), place(at), elements(buffer, records) * sizeof(T));
            if (is_staged(buffer)) at += padded(elements(buffer, capacity_));
        }
        return records;
    }

private:
    SharedOwner<ComputeDevice> device_;
    PlanView plan_;
    Owned<DeviceProgram> program_;
    DeviceMemory counters_, staging_;
    std::vector<int> parameters_written_, states_written_;
    std::ptrdiff_t capacity_ = 0;

    static bool is_staged(const Buffer& b) {
        return b.where == Buffer::Where::input || b.where == Buffer::Where::output;
    }
    static std::size_t elements(const Buffer& b, std::ptrdiff_t records) {
        return static_cast<std::size_t>(b.shape.batched() ? b.shape.count() * records : b.shape.count());
    }
    /// Tensors begin on whole cache lines.
    static std::size_t padded(std::size_t n) { return (n + 63) / 64 * 64; }
    T* place(std::size_t at) const { return staging_.as<T>() + at; }

    std::size_t staged_elements(std::ptrdiff_t records) const {
        std::size_t all = 0;
        for (const Buffer& b : plan_.buffers)
            if (is_staged(b)) all += padded(elements(b, records));
        return std::max<std::size_t>(all, 64);
    }
    /// For all records, or for as many as half of the memory takes that is free but for what this has already; half as
    /// many as often as that is not to be had after all. Returns how many.
    std::ptrdiff_t make_room(std::ptrdiff_t records, bool all) {
        if (records <= capacity_) return records;
        if (!all) {
            const std::size_t most = (device_->free_memory() + staging_.bytes() + program_->arena_bytes()) / 2;
            while (records > 1 && staged_elements(records) * sizeof(T) + program_->arena_bytes(records) > most)
                records = (records + 1) / 2;
            if (records <= capacity_) return records;
        }
        for (;; records = (records + 1) / 2) try {
                capacity_ = 0;
                staging_ = {};
                staging_ = DeviceMemory(device_, staged_elements(records) * sizeof(T),
                                        sentence("arguments and results of ", records, " records"));
                bind_outputs(records);
                program_->prepare(records);
                capacity_ = records;
                return records;
            } catch (const DeviceMemoryError&) {
                if (all || records == 1) throw;
            }
    }
    void bind_outputs(std::ptrdiff_t records) {
        std::size_t at = 0;
        for (const Buffer& b : plan_.buffers) {
            if (!is_staged(b)) continue;
            if (b.where == Buffer::Where::output) program_->bind(b.where, b.offset, place(at));
            at += padded(elements(b, records));
        }
    }
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/device/impl/offload.ipp>
#endif
