// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/device/cpu/device.hpp>
#include <sigma/device/graph_cache.hpp>
#include <sigma/device/session.hpp>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

namespace sigma::detail {

SIGMA_IMPL std::vector<int> written_tensors(const PlanView& plan, Buffer::Where where) {
    std::vector<int> all;
    for (const Argument& a : plan.arguments) {
        const Buffer& b = plan.buffers[static_cast<std::size_t>(a.buffer)];
        if (a.written && b.where == where && std::ranges::find(all, b.offset) == all.end()) all.push_back(b.offset);
    }
    return all;
}

/// The program on a device in the host's memory.
template <class T>
struct Session<T>::Here {
    SharedOwner<ComputeDevice> device;
    Owned<DeviceProgram> program;
    StepCounters counters{};
    std::ptrdiff_t prepared = -1;  ///< number of records

    Here(const SharedOwner<ComputeDevice>& on, const Session& of) : device(on), program(on->make_program(of.source_)) {
        program->bind_counters(of.counters_ ? of.counters_ : &counters);
        program->set_threads(of.threads_);
        program->compute_by(of.others_);
        bind(Buffer::Where::input, of.inputs_);
        bind(Buffer::Where::output, of.outputs_);
        bind(Buffer::Where::parameter, of.parameters_);
        bind(Buffer::Where::state, of.states_);
    }
    void prepare(std::ptrdiff_t records) {
        if (std::exchange(prepared, -1) != records) program->prepare(records);
        prepared = records;
    }
    void bind(Buffer::Where where, const std::vector<Bound>& bound) {
        for (std::size_t i = 0; i < bound.size(); ++i) program->bind(where, static_cast<int>(i), bound[i].data);
    }
    void bind(Buffer::Where where, const DualBuffer<T>* memory) {
        for (int i = 0; memory && i < memory->count(); ++i) program->bind(where, i, memory->place(i));
    }
};

/// The program on an accelerator, with a copy of parameters and states there.
template <class T>
struct Session<T>::There {
    SharedOwner<ComputeDevice> device;
    Session& of;
    const PlanView& plan;
    Owned<DeviceProgram> program;
    DeviceMemory counters, staging{};
    std::optional<StepCounters> counters_are{};
    std::vector<T> results{};
    GraphCache work{};
    std::vector<int> parameters_written, states_written;

    There(const SharedOwner<ComputeDevice>& on, Session& session)
        : device(on), of(session), plan(of.plan()), program(on->make_program(of.source_)),
          counters(on, of.counters_ ? 0 : sizeof(StepCounters), "counters"),
          parameters_written(written_tensors(plan, Buffer::Where::parameter)),
          states_written(written_tensors(plan, Buffer::Where::state)) {
        program->bind_counters(of.counters_ ? of.counters_ : counters.as<StepCounters>());
    }

    /// Runs the program, waits for the results, and returns the number of records that were computed, from the first
    /// on. They are fewer only if `all` is false and memory is lacking.
    std::ptrdiff_t run(bool all) {
        DualBuffer<T>*const parameters = of.parameters_, *const states = of.states_;
        if (parameters) parameters->wait_for_group();
        if (states && states->compute_device() != device) states->attach(device, "states of the optimizer");
        const std::ptrdiff_t records = make_room(of.records_, all);
        bind(records);
        each_staged(records, [&](int b, T* place, std::size_t bytes) {
            if (at(b).where == Buffer::Where::input) device->upload(place, bound(at(b)).data, bytes);
        });
        if (parameters) parameters->upload();
        if (states) states->upload();
        const StepCounters now{of.random.seed, of.random.step, 0};
        if (!of.counters_ && counters_are != now) {
            device->upload(counters.data(), &now, sizeof now);
            counters_are = now;
        }
        program->prepare(records);
        work.run(*device, *program, records, false, program->version(), [&] { program->run(); });
        for (int p : parameters_written) parameters->mark_written(p);
        for (int s : states_written) states->mark_written(s);
        download_results(records);
        return records;
    }
    /// Binds tensors that have moved since the last call.
    DeviceProgram& ready(std::ptrdiff_t records) {
        const auto moved = [&](const DualBuffer<T>* memory, const T*& known) {
            return memory && memory->count() > 0 &&
                   std::exchange(known, memory->on_device(0, of.member_)) != memory->on_device(0, of.member_);
        };
        const bool parameters_moved = moved(of.parameters_, parameters_at_);
        if (moved(of.states_, states_at_) || parameters_moved || changed) bind(records);
        program->prepare(records);
        return *program;
    }
    bool changed = true;  ///< an argument or a result was bound since the last call of `ready`

private:
    const T *parameters_at_ = nullptr, *states_at_ = nullptr;

    const Buffer& at(int buffer) const { return plan.buffers[static_cast<std::size_t>(buffer)]; }
    static bool is_argument(const Buffer& b) {
        return b.where == Buffer::Where::input || b.where == Buffer::Where::output;
    }
    const Bound& bound(const Buffer& b) const {
        return (b.where == Buffer::Where::input ? of.inputs_ : of.outputs_)[static_cast<std::size_t>(b.offset)];
    }
    bool is_staged(const Buffer& b) const { return is_argument(b) && !bound(b).there; }
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
                if (at(b).where == Buffer::Where::output) f(bound(at(b)).data, place, bytes);
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
        changed = false;
        for (int b = 0; b < static_cast<int>(plan.buffers.size()); ++b) {
            const Buffer& buffer = at(b);
            DualBuffer<T>* const kept = buffer.where == Buffer::Where::parameter ? of.parameters_
                                        : buffer.where == Buffer::Where::state   ? of.states_
                                                                                 : nullptr;
            if (kept) program->bind(buffer.where, buffer.offset, kept->on_device(buffer.offset, of.member_));
            else if (is_argument(buffer) && bound(buffer).there)
                program->bind(buffer.where, buffer.offset, bound(buffer).data);
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
Session<T>::Session(const ProgramSource& source) : source_(source), device_(calling_thread()) {
    for (const Buffer& b : plan().buffers) {
        if (b.where != Buffer::Where::input && b.where != Buffer::Where::output) continue;
        auto& bound = b.where == Buffer::Where::input ? inputs_ : outputs_;
        bound.resize(std::max(bound.size(), static_cast<std::size_t>(b.offset) + 1));
    }
}
template <class T>
Session<T>::~Session() = default;

template <class T>
auto Session<T>::here() -> Here& {
    if (!here_ || here_->device != device_) here_ = make_owned<Here>(device_, *this);
    return *here_;
}

template <class T>
auto Session<T>::there() -> There& {
    if (!there_ || there_->device != device()) {
        there_ = {};  // free the memory of the old device first
        there_ = make_owned<There>(device(), *this);
    }
    return *there_;
}
template <class T>
DeviceProgram& Session<T>::program() {
    return is_there() ? *there().program : *here().program;
}
template <class T>
DeviceProgram& Session<T>::ready(std::ptrdiff_t records) {
    if (is_there()) return there().ready(records);
    here().prepare(records);
    return *here().program;
}

template <class T>
void Session<T>::bind(Buffer::Where where, int i, T* data) {
    if (here_) here_->program->bind(where, i, data);
    if (there_) there_->changed = true;
}
template <class T>
void Session<T>::bind_parameters(DualBuffer<T>& memory, std::size_t member) {
    parameters_ = &memory;
    member_ = member;
    if (here_) here_->bind(Buffer::Where::parameter, parameters_);
}
template <class T>
void Session<T>::bind_states(DualBuffer<T>& memory) {
    states_ = &memory;
    if (here_) here_->bind(Buffer::Where::state, states_);
}
template <class T>
void Session<T>::move(const SharedOwner<ComputeDevice>& device, const Cpu& threads) {
    device_ = device;
    device_is_there_ = !device->shares_host_memory();
    threads_ = threads;
    if (here_) here_->program->set_threads(threads);
}

template <class T>
void Session<T>::replace_products(const on_cpu::OtherProducts<T>* others) {
    others_ = others;
    if (here_) here_->program->compute_by(others);
}
template <class T>
bool Session<T>::reads(int parameter, const on_cpu::OtherProducts<T>& others) {
    return here().program->reads(parameter, &others);
}

template <class T>
std::size_t Session<T>::arena_bytes() const {
    if (is_there()) return there_ ? there_->program->arena_bytes() : 0;
    return here_ ? here_->program->arena_bytes() : 0;
}

template <class T>
void Session<T>::prepare_changes(std::ptrdiff_t records) {
    if (!is_there()) here().prepare(records);
    records_ = records;  // only now, because the device may lack memory
}
template <class T>
std::ptrdiff_t Session<T>::run(bool all) {
    if (is_there()) return there().run(all);
    if (states_) states_->detach();
    if (parameters_) parameters_->refresh();
    Here& on = here();
    if (!counters_) on.counters = {random.seed, random.step, 0, random.record};
    on.prepare(records_);  // the parameters may have been on an accelerator at the call of `prepare`
    on.program->run();
    return records_;
}

SIGMA_INSTANTIATE(class Session);

}  // namespace sigma::detail
