// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/config.hpp>
#include <sigma/device/graph_cache.hpp>
#include <sigma/device/profiler.hpp>
#include <sigma/device/session.hpp>
#include <sigma/execution/device_records.hpp>
#include <sigma/execution/device_step.hpp>

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

namespace sigma::detail {

template <class T>
StepCore<T>::StepCore(ModelStore<T>& model, const CompiledProgram<T>& program, ListView<StateRecord> states,
                      int scalars)
    : program_(program), states_(states), lanes_(model.lanes()), scalars_(scalars), seed_(model.seed()),
      memory_(memory_offsets(states, model.lanes())) {
    model.compute_by(nullptr);  // steps change the parameters in the host's memory
    model.require_lanes(plan());
}
template <class T>
StepCore<T>::~StepCore() = default;

template <class T>
ArrayView<T> StepCore<T>::state(int i) {
    check_position(i, states_.size(), "optimizer state");
    return window(state_data(i), states_[i].shape, pitch(i));
}

template <class T>
void StepCore<T>::exchange_with_aside(ModelStore<T>& model) {
    model.write([&] {
        const DualBuffer<T>& all = std::as_const(model).dual_buffer();
        for (int p = 0; p < model.network().parameters.size(); ++p) {
            T* const aside = parameters_aside.data() + all.offset(p);
            const std::size_t size = all.size(p);
            // Writes only tensors that differ, so that other users of the parameters need not copy the rest again.
            if (std::memcmp(std::as_const(model).parameter_data(p), aside, size * sizeof(T)) != 0)
                std::swap_ranges(aside, aside + size, model.parameter_data(p));
        }
    });
}

/// The part of a step on one device: programs, records, counters and scalars, and the accumulated losses followed by
/// the outputs. Counters and scalars are sent only if they differ from those on the device, which counts on by itself.
template <class T>
struct DeviceStep<T>::Member {
    SharedOwner<ComputeDevice> device;
    bool on_host;              ///< true if it reads and writes the host's memory
    Session<T> session;        ///< the whole step or, for a group, the gradients
    Owned<Session<T>> update;  ///< the update of a group; otherwise null
    DeviceRecords<T> records;
    std::vector<T> scalars;
    DeviceMemory scalars_there, counters_there, outputs_there;
    StepCounters counters_are{~std::uint64_t{0}};
    bool scalars_sent = false;
    GraphCache program_work, update_work;

    [[gnu::cold]] Member(const DeviceStep& of, std::size_t number, const SharedOwner<ComputeDevice>& on,
                         const ProgramSource& source, const PlanView* update_plan)
        : device(on), on_host(device->shares_host_memory() && !update_plan), session(source),
          update(update_plan ? make_owned<Session<T>>(*update_plan) : Owned<Session<T>>{}),
          records(device, of.batches_.buffers().widths(), on_host ? 0 : of.most_),
          scalars(apart * of.scalars_.size(), T(0)),
          scalars_there(device, scalars.size() * sizeof(T) + 1, "hyper-parameters"),
          counters_there(device, sizeof(StepCounters), "counters"),
          outputs_there(device, (apart + of.places_.back()) * sizeof(T), update_plan ? "gradients" : "losses") {
        const int sections = records.sections(), optimizer = of.optimizer_scalars(),
                  all = static_cast<int>(of.scalars_.size()), first = update ? optimizer : 0;
        for (int s = 0; s < sections && !on_host; ++s) session.bind_input(s, records.section(s), true);
        for (int i = first; i < all; ++i) session.bind_input(sections + i - first, scalar(i), true);
        for (int i = 0; i < optimizer && update; ++i) update->bind_input(i, scalar(i), true);
        for (std::size_t i = 0; i + 1 < of.places_.size(); ++i) {
            T* const data = outputs() + of.places_[i];
            session.bind_output(static_cast<int>(i), data, true);
            if (update && i >= of.losses_) update->bind_input(optimizer + static_cast<int>(i - of.losses_), data, true);
        }
        for (Session<T>* s : {&session, update.get()}) {
            if (!s) continue;
            s->run_on(device);
            s->bind_parameters(of.parameters_, number);
            s->bind_states(of.states());
            s->bind_counters(counters());
        }
    }

    T* scalar(int i) const { return scalars_there.template as<T>() + apart * static_cast<std::size_t>(i); }
    StepCounters* counters() const { return counters_there.as<StepCounters>(); }
    T* outputs() const { return outputs_there.template as<T>() + apart; }

    void send(const StepCounters& now, std::span<const T> values) {
        bool changed = !scalars_sent;
        for (std::size_t i = 0; i < values.size(); ++i) {
            changed |= std::memcmp(&scalars[apart * i], &values[i], sizeof(T)) != 0;
            scalars[apart * i] = values[i];
        }
        if (changed && !scalars.empty())
            device->upload(scalars_there.data(), scalars.data(), scalars.size() * sizeof(T));
        scalars_sent = true;
        if (now != counters_are) device->upload(counters_there.data(), &now, sizeof now);
        counters_are = now;
    }
    /// Runs the step's only program, or that of the gradients, on rows of the host's memory, or on kept records.
    void run(const RowPointers<T>* rows, std::size_t first, std::ptrdiff_t count) {
        if (rows) records.upload(*rows, first, count);
        DeviceProgram& program = session.ready(count);
        program_work.run(*device, program, count, !rows, program.version() + records.version(), [&] {
            if (!rows) records.gather(counters(), count);
            program.run();
            if (!update) accumulate_loss(count);
        });
    }
    T* row(const RowPointers<T>& rows, int section, std::size_t first) const {
        return const_cast<T*>(rows[static_cast<std::size_t>(section)]) + first * records.width(section);
    }
    /// Runs the update of a step. `count` is the number of records of all members.
    void make_update(std::ptrdiff_t count) {
        DeviceProgram& program = update->ready(1);
        update_work.run(*device, program, count, false, program.version(), [&] {
            program.run();
            accumulate_loss(count);
        });
    }
    void accumulate_loss(std::ptrdiff_t count) {
        device->accumulate_loss(outputs_there.as<LossAccumulator>(), counters(), outputs(), element_type<T>, count);
    }
    /// Follows the counters on the device, which a queued step with so many records moves, so that the next step finds
    /// them unchanged.
    void count_on(std::ptrdiff_t count) {
        ++counters_are.step;
        counters_are.first += static_cast<std::uint64_t>(count);
    }
};

/// Returns the beginning of each output among all, in elements, and the end of the last one.
SIGMA_IMPL std::vector<std::size_t> places_of_outputs(const PlanView& plan, std::size_t apart) {
    std::vector<std::size_t> places{0};
    for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
        const Buffer& buffer = *std::ranges::find_if(plan.buffers, [&](const Buffer& b) {
            return b.where == Buffer::Where::output && b.offset == static_cast<int>(i);
        });
        places.push_back(places.back() + (static_cast<std::size_t>(buffer.shape.count()) + apart - 1) / apart * apart);
    }
    return places;
}

template <class T>
DeviceStep<T>::DeviceStep(std::span<const SharedOwner<ComputeDevice>> devices, const ProgramSource& source,
                          std::size_t losses, BatchLoader<T>& batches, ModelStore<T>& model, StepCore<T>& step,
                          const SharedOwner<ComputeGroup>& group, const PlanView* update)
    : group_(group), batches_(batches), optimizer_step_(step), parameters_(model.dual_buffer()),
      parameters_written_(written_tensors(update ? *update : source.plan, Buffer::Where::parameter)),
      states_written_(written_tensors(update ? *update : source.plan, Buffer::Where::state)),
      scalars_(static_cast<std::size_t>(optimizer_scalars()) + (update ? 2 : 0)), losses_(losses),
      places_(places_of_outputs(source.plan, apart)), fetched_(apart * (1 + losses), T(0)),
      waits_(devices[0]->shares_host_memory() && !update) {
    // A batch with fewer records than members goes to all members.
    const std::size_t most = batches.batches().size;
    most_ = std::max((most + devices.size() - 1) / devices.size(), std::min(most, devices.size() - 1));
    const ProgramSource named = with_layers(source, model.network());
    for (std::size_t m = 0; m < devices.size(); ++m) {
        members_.push_back(make_owned<Member>(*this, m, devices[m], named, update));
        outputs_.push_back(members_[m]->outputs());
    }
    latest_losses_ = waits_ ? members_[0]->outputs_there.template as<T>() : fetched_.data();
    if (!waits_) keep_records();
}

template <class T>
DeviceStep<T>::~DeviceStep() = default;

template <class T>
void DeviceStep<T>::set_threads(const Cpu& processor) {
    for (const auto& m : members_) m->session.run_on(m->device, processor);
}
template <class T>
const void* DeviceStep<T>::place() const {
    return group_ ? static_cast<const void*>(group_.get()) : members_[0]->device.get();
}

// ---- records ----

template <class T>
bool DeviceStep<T>::keeps_records() const {
    return members_[0]->records.keeps();
}

/// Returns the memory that remains beside the steps, on the member with the least.
template <class T>
std::size_t DeviceStep<T>::free_memory() const {
    std::size_t least = std::numeric_limits<std::size_t>::max();
    for (const auto& m : members_) {
        const std::size_t free = m->device->free_memory(),
                          taken = m->session.program().arena_bytes(static_cast<std::ptrdiff_t>(most_)) +
                                  (m->update ? m->update->program().arena_bytes(std::ptrdiff_t{1}) : 0);
        least = std::min(least, free > taken ? free - taken : 0);
    }
    return least;
}

template <class T>
[[gnu::cold]] void DeviceStep<T>::keep_records() {
    const Minibatches& of = batches_.batches();
    const Dataset& data = of.dataset;
    const bool changed =
        !of.mixing.empty() || std::ranges::any_of(of.augmentations, [](const auto& a) { return !a.empty(); });
    if (!data.in_memory() || changed || data.size() > std::numeric_limits<std::uint32_t>::max() ||
        members_[0]->records.bytes_of(data.size()) > free_memory() / 2)
        return;
    std::vector<DeviceRecords<T>*> all;
    for (const auto& m : members_) all.push_back(&m->records);
    std::vector<std::size_t> positions;
    DeviceRecords<T>::keep(all, data.size(), [&](std::size_t section, std::size_t first, std::size_t count, T* rows) {
        positions.resize(count);
        std::iota(positions.begin(), positions.end(), first);
        batches_.buffers().copy_array(data, section, positions, rows);
    });
}

// ---- steps ----

template <class T>
std::ptrdiff_t DeviceStep<T>::step(const double* scalars, std::uint64_t number, std::uint64_t epoch,
                                   std::uint64_t batch) {
    for (int i = 0; i < optimizer_scalars(); ++i) scalars_[static_cast<std::size_t>(i)] = static_cast<T>(scalars[i]);
    if (!waits_ && keeps_records()) try {
            return step_on_kept(number, epoch, batch);
        } catch (const DeviceMemoryError&) {  // nothing was queued yet: try again without the kept records
            for (const auto& m : members_) {
                m->program_work.clear();
                m->records.forget();
            }
        }
    const auto gather = [&]<class Measured>() {
        const Measured timed(LoopPart::data);
        return batches_.gather(epoch, batch);
    };
    const std::ptrdiff_t count =
        profile_now() == 0 ? gather.template operator()<UntimedPart>() : gather.template operator()<TimedPart>();
    const RowPointers<T> rows = batches_.buffers().rows();
    if (!waits_) {
        run({optimizer_step_.seed(), number, 0}, count, &rows);
        return count;
    }
    Member& member = *members_[0];  // a short path, because steps of small networks take a microsecond
    member.send({optimizer_step_.seed(), number, member.counters_are.first}, scalars_);
    for (int s = 0; s < member.records.sections(); ++s) member.session.bind_input(s, member.row(rows, s, 0));
    member.session.prepare(count);
    member.session.run();
    member.accumulate_loss(count);
    member.count_on(count);
    pending_ = true;
    return count;
}

template <class T>
std::ptrdiff_t DeviceStep<T>::step_on_kept(std::uint64_t number, std::uint64_t epoch, std::uint64_t batch) {
    const Minibatches& of = batches_.batches();
    if (!order_is_known_ || order_epoch_ != epoch) {
        order_is_known_ = false;
        of.order(epoch, order_);
        for (const auto& m : members_) m->records.set_order(order_);
        order_epoch_ = epoch;
        order_is_known_ = true;
    }
    const auto records = of.batch(order_, batch);
    const auto count = static_cast<std::ptrdiff_t>(records.size());
    run({optimizer_step_.seed(), number, static_cast<std::uint64_t>(records.data() - order_.data())}, count, nullptr);
    return count;
}

/// Runs f. If a member fails, aborts the group. Otherwise the other members would wait for it without end.
template <class T>
template <class F>
void DeviceStep<T>::guarded(F f) {
    try {
        f();
    } catch (const DeviceError&) {
        if (group_) group_->abort();
        throw;
    }
}

/// Runs a step on rows of the host's memory, which may change when this returns, or on kept records.
template <class T>
void DeviceStep<T>::run(const StepCounters& now, std::ptrdiff_t records, const RowPointers<T>* rows) {
    guarded([&] {
        // Functions that may run out of memory come first: after a member's update the step cannot be repeated.
        for (const auto& m : members_)
            if (m->update) m->update->ready(1);
        parameters_.upload();
        states().upload();
        const auto all = static_cast<std::ptrdiff_t>(members_.size());
        for (std::ptrdiff_t m = 0; m < all; ++m) {
            Member& member = *members_[static_cast<std::size_t>(m)];
            const bool whole = records < all;
            const std::ptrdiff_t first = whole ? 0 : records * m / all, end = whole ? records : records * (m + 1) / all;
            if (member.update) {
                const double one_of_all = 1.0 / static_cast<double>(all);
                T* const weights = &scalars_[scalars_.size() - 2];
                weights[0] = static_cast<T>(whole ? one_of_all
                                                  : static_cast<double>(end - first) / static_cast<double>(records));
                weights[1] = static_cast<T>(whole ? one_of_all : 1.0);
            }
            const auto from = static_cast<std::size_t>(first);
            member.send({now.seed, now.step, rows ? member.counters_are.first : now.first + from, from}, scalars_);
            member.run(rows, from, end - first);
        }
        if (group_) {
            group_->all_reduce(outputs_, places_.back(), element_type<T>);
            for (const auto& m : members_) m->make_update(records);
        }
        for (const auto& m : members_) m->count_on(records);
        for (int p : parameters_written_) parameters_.mark_written_by_all(p);
        for (int s : states_written_) states().mark_written_by_all(s);
        pending_ = true;
    });
}

// ---- losses ----

template <class T>
void DeviceStep<T>::set_losses(const LossAccumulator& losses) {
    std::memcpy(static_cast<void*>(latest_losses_), &losses, sizeof losses);
    members_[0]->device->upload(members_[0]->outputs_there.data(), &losses, sizeof losses);
    pending_ = false;
}

template <class T>
LossAccumulator DeviceStep<T>::fetch() {
    if (pending_ && !waits_)
        guarded([&] {
            const TimedPart timed(LoopPart::device);
            if (group_) group_->synchronize();
            members_[0]->device->download(fetched_.data(), members_[0]->outputs_there.data(),
                                          fetched_.size() * sizeof(T));
        });
    pending_ = false;
    LossAccumulator losses;
    std::memcpy(static_cast<void*>(&losses), latest_losses_, sizeof losses);
    return losses;
}

}  // namespace sigma::detail

SIGMA_INSTANTIATE(class sigma::detail::StepCore);
SIGMA_INSTANTIATE(class sigma::detail::DeviceStep);
