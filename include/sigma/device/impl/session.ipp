// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/device/cpu/executor.hpp>
#include <sigma/device/cpu/thread_pool.hpp>
#include <sigma/device/graph_cache.hpp>
#include <sigma/device/session.hpp>

#include <algorithm>
#include <cstring>
#include <optional>

namespace sigma::detail {

SIGMA_IMPL std::vector<int> written_tensors(const PlanView& plan, Buffer::Where where) {
    std::vector<int> all;
    for (const Argument& a : plan.arguments) {
        const Buffer& b = plan.buffers[static_cast<std::size_t>(a.buffer)];
        if (a.written && b.where == where && std::ranges::find(all, b.offset) == all.end()) all.push_back(b.offset);
    }
    return all;
}

/// The program on an accelerator.
template <class T>
struct Session<T>::There {
    SharedOwner<ComputeDevice> device;
    Session& of;
    const PlanView plan;
    Owned<DeviceProgram> program;
    DeviceMemory counters, staging{};
    std::optional<StepCounters> counters_are{};
    std::vector<T> results{};
    GraphCache work{};
    std::vector<int> parameters_written, states_written;

    There(const SharedOwner<ComputeDevice>& on, Session& session)
        : device(on), of(session), plan(of.plan()), counters(on, sizeof(StepCounters), "counters"),
          parameters_written(written_tensors(plan, Buffer::Where::parameter)),
          states_written(written_tensors(plan, Buffer::Where::state)) {
        ProgramSource source(of.program_);
        source.program = of.operations_;
        program = device->make_program(source);
        program->bind_counters(counters.as<StepCounters>());
    }

    /// Runs the program, waits for the results, and returns the number of records that were computed, from the first
    /// on. They are fewer only if `all` is false and memory is lacking.
    std::ptrdiff_t run(bool all) {
        DualBuffer<T>*const parameters = of.parameters_, *const states = of.states_;
        if (parameters) parameters->wait_for_group();
        if (states && copies() && states->compute_device() != device) states->attach(device, "states of the optimizer");
        const std::ptrdiff_t records = make_room(of.records_, all);
        bind(records);
        each_staged(records, [&](int b, T* place, std::size_t bytes) {
            if (at(b).where == Buffer::Where::input) device->upload(place, of.cpu_->bound(b), bytes);
        });
        if (copies()) {
            if (parameters) parameters->upload();
            if (states) states->upload();
        }
        const StepCounters now{of.random.seed, of.random.step, 0};
        if (counters_are != now) {
            device->upload(counters.data(), &now, sizeof now);
            counters_are = now;
        }
        program->prepare(records);
        work.run(*device, records, false, program->version(), [&] { program->run(); });
        if (copies()) {
            for (int p : parameters_written) parameters->mark_written(p);
            for (int s : states_written) states->mark_written(s);
        }
        download_results(records);
        return records;
    }

private:
    const Buffer& at(int buffer) const { return plan.buffers[static_cast<std::size_t>(buffer)]; }
    bool copies() const { return !device->shares_host_memory(); }
    bool is_staged(const Buffer& b) const {
        const auto there = [&](const std::vector<bool>& known) {
            return static_cast<std::size_t>(b.offset) < known.size() && known[static_cast<std::size_t>(b.offset)];
        };
        if (!copies()) return false;
        return b.where == Buffer::Where::input    ? !there(of.inputs_there_)
               : b.where == Buffer::Where::output ? !there(of.outputs_there_)
                                                  : false;
    }
    /// Calls f(buffer, its place, bytes) for each buffer that is copied to or from the device. Places are aligned to
    /// cache lines.
    template <class F>
    void each_staged(std::ptrdiff_t records, F f) const {
        T* place = staging.as<T>();
        for (int b = 0; b < static_cast<int>(plan.buffers.size()); ++b) {
            if (!is_staged(at(b))) continue;
            const std::size_t n = elements(at(b), records);
            f(b, place, n * sizeof(T));
            place += padded(
                elements(at(b), capacity_));  // the same place for any number of records, so that captures stay valid
        }
    }
    static std::size_t elements(const Buffer& b, std::ptrdiff_t records) {
        return static_cast<std::size_t>(b.shape.batched() ? b.shape.count() * records : b.shape.count());
    }
    static std::size_t padded(std::size_t n) { return (n + 63) / 64 * 64; }
    std::size_t staged_bytes(std::ptrdiff_t records) const {
        std::size_t all = 0;
        for (const Buffer& b : plan.buffers)
            if (is_staged(b)) all += padded(elements(b, records));
        return all * sizeof(T);
    }
    /// Downloads the results. Each download waits, so small results are downloaded together.
    void download_results(std::ptrdiff_t records) {
        constexpr std::ptrdiff_t few = 1 << 14;
        const T *first = nullptr, *end = nullptr;
        const auto each_result = [&](auto f) {
            each_staged(records, [&](int b, const T* place, std::size_t bytes) {
                if (at(b).where == Buffer::Where::output) f(of.cpu_->bound(b), place, bytes);
            });
        };
        each_result([&](T*, const T* place, std::size_t bytes) {
            if (!first) first = place;
            end = place + bytes / sizeof(T);
        });
        if (end - first > few)
            return each_result([&](T* to, const T* place, std::size_t bytes) { device->download(to, place, bytes); });
        if (first == end) return;
        results.resize(static_cast<std::size_t>(end - first));
        device->download(results.data(), first, results.size() * sizeof(T));
        each_result([&](T* to, const T* place, std::size_t bytes) {
            std::memcpy(to, results.data() + (place - first), bytes);
        });
    }
    void bind(std::ptrdiff_t records) {
        for (int b = 0; b < static_cast<int>(plan.buffers.size()); ++b) {
            const Buffer& buffer = at(b);
            DualBuffer<T>* const kept = buffer.where == Buffer::Where::parameter ? of.parameters_
                                        : buffer.where == Buffer::Where::state   ? of.states_
                                                                                 : nullptr;
            if (kept)
                program->bind(buffer.where, buffer.offset,
                              copies() ? kept->on_device(buffer.offset) : kept->write(buffer.offset));
            else if ((buffer.where == Buffer::Where::input || buffer.where == Buffer::Where::output) &&
                     !is_staged(buffer))
                program->bind(buffer.where, buffer.offset, of.cpu_->bound(b));
        }
        each_staged(records, [&](int b, T* place, std::size_t) { program->bind(at(b).where, at(b).offset, place); });
    }
    static constexpr std::ptrdiff_t many = 4096;
    static constexpr std::size_t much = std::size_t{256} << 20;
    /// Allocates memory for the records and returns for how many. Unless `all` is set, these are as many as fit into
    /// half of the memory that is free or already allocated here, and more than `many` only if they need no more than
    /// `much`. While an allocation fails, it halves the number.
    std::ptrdiff_t make_room(std::ptrdiff_t records, bool all) {
        const auto has_room = [&] { return records <= capacity_ && staged_bytes(capacity_) <= staging.bytes(); };
        if (has_room()) return records;
        if (!all) {
            const std::size_t most = (device->free_memory() + staging.bytes() + program->arena_bytes()) / 2;
            const auto takes = [&] { return staged_bytes(records) + program->arena_bytes(records); };
            while (records > many && takes() > much) records = std::max(many, (records + 1) / 2);
            while (records > 1 && takes() > most) records = (records + 1) / 2;
            if (has_room()) return records;
        }
        for (;; records = (records + 1) / 2) try {
                staging = {};
                capacity_ = records;
                if (const std::size_t bytes = staged_bytes(records))
                    staging = DeviceMemory(device, bytes, sentence("arguments and results of ", records, " records"));
                bind(records);
                program->prepare(records);
                return records;
            } catch (const DeviceMemoryError&) {
                capacity_ = 0;
                if (all || records == 1) throw;
            }
    }
    std::ptrdiff_t capacity_ = 0;  ///< the largest number of records so far with enough memory
};

template <class T>
Session<T>::Session(const CompiledProgram<T>& program, const Program* operations)
    : program_(program), operations_(operations), cpu_(make_owned<on_cpu::Executor<T>>(program)) {}
template <class T>
Session<T>::~Session() = default;

inline void note_there(std::vector<bool>& known, int i, bool there) {
    const auto number = static_cast<std::size_t>(i);
    if (number < known.size()) known[number] = there;
    else if (there) known.resize(number), known.push_back(true);
}

template <class T>
void Session<T>::compute_by(const on_cpu::OtherProducts<T>* others) {
    cpu_->compute_by(others);
}
template <class T>
bool Session<T>::reads(int parameter, const on_cpu::OtherProducts<T>& others) const {
    return cpu_->reads(parameter, others);
}
template <class T>
void Session<T>::bind_input(int i, const T* data, bool there) {
    note_there(inputs_there_, i, there);
    cpu_->bind_input(i, data);
}
template <class T>
void Session<T>::bind_output(int i, T* data, bool there) {
    note_there(outputs_there_, i, there);
    cpu_->bind_output(i, data);
}

template <class T>
void Session<T>::bind_parameters(DualBuffer<T>& memory) {
    parameters_ = &memory;
    for (int i = 0; i < memory.count(); ++i) cpu_->bind_parameter(i, memory.place(i));
}
template <class T>
void Session<T>::bind_states(DualBuffer<T>& memory) {
    states_ = &memory;
    for (int i = 0; i < memory.count(); ++i) cpu_->bind_state(i, memory.place(i));
}

template <class T>
std::size_t Session<T>::arena_bytes() const {
    return place() && there_ ? there_->program->arena_bytes() : cpu_->arena_bytes();
}
template <class T>
const PlanView& Session<T>::plan() const {
    return cpu_->plan();
}

template <class T>
void Session<T>::prepare(std::ptrdiff_t records) {
    records_ = records;
    if (!place()) cpu_->prepare(records);
}
template <class T>
void Session<T>::run(on_cpu::ThreadPool* pool) {
    if (place()) return void(run_there(true));
    if (states_) states_->detach();
    if (parameters_) parameters_->refresh();
    cpu_->random = random;
    if (cpu_->records() != records_) cpu_->prepare(records_);  // the parameters came back from another device
    if (pool) cpu_->run(*pool);
    else cpu_->run();
}
template <class T>
std::ptrdiff_t Session<T>::run_some(on_cpu::ThreadPool* pool) {
    if (place()) return run_there(false);
    run(pool);
    return records_;
}
template <class T>
void Session<T>::run_here(std::ptrdiff_t records) {
    records_ = records;
    cpu_->prepare(records);
    cpu_->run();
}
template <class T>
std::ptrdiff_t Session<T>::run_there(bool all) {
    if (!there_ || there_->device != place()) {
        there_ = {};  // free the memory of the old device first
        there_ = make_owned<There>(place(), *this);
    }
    return there_->run(all);
}

SIGMA_INSTANTIATE(class Session);

}  // namespace sigma::detail
