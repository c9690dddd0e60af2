// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/offload.hpp>

#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace sigma::detail {

/// Training steps on an accelerator, one after the other without waiting for any: records, parameters, counters and losses
/// are there, and each number of records is captured once and replayed. Records come from data kept there, or from the host
/// through two buffers, so that they are copied while the step before is computed.
template <class T>
class AcceleratedStep {
public:
    /// The plan's inputs are sections of the data, of so many elements a record each, and then scalars; its outputs are the
    /// mean loss and what else is told of the step. No step has more than `most` records.
    [[gnu::cold]] AcceleratedStep(std::shared_ptr<Accelerator> device, const PlanView& plan, Mirrored<T>& parameters, Mirrored<T>& states,
                    std::vector<std::size_t> sections, int scalars, std::size_t most)
        : device_(std::move(device)), parameters_(parameters), states_(states), sections_(std::move(sections)), most_(most),
          program_(device_->make_program(plan)),
          parameters_written_(written_tensors(plan, Buffer::Where::parameter)),
          states_written_(written_tensors(plan, Buffer::Where::state)),
          scalars_(apart * static_cast<std::size_t>(scalars), T(0)),
          results_(sizeof(LossTally) / sizeof(T) + apart * plan.outputs.size(), T(0)) {
        scalars_there_ = DeviceMemory(device_, scalars_.size() * sizeof(T) + 1, "hyper-parameters");
        results_there_ = DeviceMemory(device_, results_.size() * sizeof(T), "losses");
        counters_there_ = DeviceMemory(device_, sizeof(StepCounters), "counters");
        for (const std::size_t width : sections_) batch_elements_ += aligned(width * most_);
        batch_ = DeviceMemory(device_, batch_elements_ * sizeof(T), sentence("a batch of ", most_, " records"));
        const int count = static_cast<int>(sections_.size());
        for (int s = 0; s < count; ++s) program_->bind(Buffer::Where::input, s, place(batch_, s));
        for (int i = 0; i < scalars; ++i)
            program_->bind(Buffer::Where::input, count + i, scalars_there_.as<T>() + apart * static_cast<std::size_t>(i));
        for (int i = 0; i < static_cast<int>(plan.outputs.size()); ++i)
            program_->bind(Buffer::Where::output, i, result(results_there_.as<T>(), i));
        for (int p = 0; p < parameters_.count(); ++p) program_->bind(Buffer::Where::parameter, p, parameters_.on_device(p));
        for (int s = 0; s < states_.count(); ++s) program_->bind(Buffer::Where::state, s, states_.on_device(s));
        program_->bind_counters(counters_there_.as<StepCounters>());
    }
    ~AcceleratedStep() {
        for (Slot& slot : slots_)
            if (slot.host) device_->release_host(slot.host);
    }
    AcceleratedStep(const AcceleratedStep&) = delete;
    AcceleratedStep& operator=(const AcceleratedStep&) = delete;

    const std::shared_ptr<Accelerator>& device() const { return device_; }
    const AcceleratorProgram& program() const { return *program_; }

    // ---- data that stay there ----

    /// Bytes that `records` records take.
    std::size_t bytes_of(std::size_t records) const {
        std::size_t bytes = records * sizeof(std::uint32_t);
        for (const std::size_t width : sections_) bytes += aligned(width * records) * sizeof(T);
        return bytes;
    }
    /// Keeps all records of the sections: `fill(section, first, count, rows)` gives some of them as dense rows.
    template <class Fill>
    [[gnu::cold]] void keep(std::size_t records, Fill fill) {
        constexpr std::size_t at_a_time = std::size_t{4} << 20;  // bytes, roughly
        for (std::size_t s = 0; s < sections_.size(); ++s) {
            kept_.emplace_back(device_, sections_[s] * records * sizeof(T), sentence("the records of a data set, section ", s));
            const std::size_t rows = std::max<std::size_t>(1, at_a_time / std::max<std::size_t>(1, sections_[s] * sizeof(T)));
            std::vector<T> some(std::min(rows, records) * sections_[s]);
            for (std::size_t first = 0; first < records; first += rows) {
                const std::size_t count = std::min(rows, records - first);
                fill(s, first, count, some.data());
                device_->upload(kept_[s].template as<T>() + first * sections_[s], some.data(), count * sections_[s] * sizeof(T));
            }
        }
    }
    bool keeps() const { return !kept_.empty(); }
    /// The order of records in the steps to come.
    [[gnu::cold]] void set_order(std::span<const std::size_t> positions) {
        order_.assign(positions.begin(), positions.end());
        const std::size_t bytes = order_.size() * sizeof(std::uint32_t);
        if (order_there_.bytes() < bytes) {
            order_there_ = {};
            order_there_ = DeviceMemory(device_, bytes, "the order of an epoch");
            replays_.clear();
        }
        device_->upload(order_there_.data(), order_.data(), bytes);
    }

    // ---- steps ----

    /// On kept records, from position `first` of their order on.
    void step(std::uint64_t seed, std::uint64_t number, std::size_t first, std::ptrdiff_t records, std::span<const T> scalars) {
        prepare({seed, number, first}, scalars);
        run(records, true);
    }
    /// On dense rows in the host's memory, which may change when this returns.
    void step(std::uint64_t seed, std::uint64_t number, std::span<const T* const> rows, std::ptrdiff_t records,
              std::span<const T> scalars) {
        prepare({seed, number, counters_there_are_.first}, scalars);
        bring(rows, records);
        run(records, false);
    }

    /// From now on losses are added to these.
    void set_tally(const LossTally& tally) {
        std::memcpy(results_.data(), &tally, sizeof tally);
        device_->upload(results_there_.data(), &tally, sizeof tally);
        fresh_ = true;
    }
    /// Is there anything that `fetch` has not seen?
    bool pending() const { return !fresh_; }
    /// Waits for all steps; what their losses were.
    LossTally fetch() {
        if (!fresh_) device_->download(results_.data(), results_there_.data(), results_.size() * sizeof(T));
        fresh_ = true;
        LossTally tally;
        std::memcpy(static_cast<void*>(&tally), results_.data(), sizeof tally);
        return tally;
    }
    /// An output of the last step before `fetch`.
    T last(int output) const { return *result(results_.data(), output); }

private:
    static constexpr std::size_t apart = 64 / sizeof(T);  ///< scalars and results lie on cache lines of their own
    struct Captured {
        std::optional<std::uint64_t> version{};
        std::unique_ptr<Replay> replay;
    };
    struct Slot {
        void* host = nullptr;
        DeviceMemory there;
        std::uint64_t copied = 0, used = 0;  ///< marks
    };

    std::shared_ptr<Accelerator> device_;
    Mirrored<T>& parameters_;
    Mirrored<T>& states_;
    std::vector<std::size_t> sections_;
    std::size_t most_, batch_elements_ = 0;
    std::unique_ptr<AcceleratorProgram> program_;
    std::vector<int> parameters_written_, states_written_;
    std::vector<T> scalars_, results_;  ///< results: the tally, then the outputs
    DeviceMemory scalars_there_, results_there_, counters_there_, batch_, order_there_;
    std::vector<DeviceMemory> kept_;
    std::vector<std::uint32_t> order_;
    StepCounters counters_there_are_{~std::uint64_t{0}, 0, 0};
    bool scalars_sent_ = false, fresh_ = true;
    std::map<std::pair<std::ptrdiff_t, bool>, Captured> replays_;
    Slot slots_[2];
    std::size_t next_slot_ = 0;

    static std::size_t aligned(std::size_t elements) { return (elements + 63) / 64 * 64; }
    template <class X>
    static X* result(X* results, int output) {
        return results + sizeof(LossTally) / sizeof(T) + apart * static_cast<std::size_t>(output);
    }
    T* place(const DeviceMemory& of, int section) const {
        std::size_t at = 0;
        for (int s = 0; s < section; ++s) at += aligned(sections_[static_cast<std::size_t>(s)] * most_);
        return of.as<T>() + at;
    }
    /// Everything a step reads beside records. What it finds there already is not sent again: it counts on by itself.
    void prepare(const StepCounters& now, std::span<const T> scalars) {
        parameters_.upload();
        states_.upload();
        bool changed = !scalars_sent_;
        for (std::size_t i = 0; i < scalars.size(); ++i) {
            changed |= std::memcmp(&scalars_[apart * i], &scalars[i], sizeof(T)) != 0;
            scalars_[apart * i] = scalars[i];
        }
        if (changed && !scalars_.empty()) device_->upload(scalars_there_.data(), scalars_.data(), scalars_.size() * sizeof(T));
        scalars_sent_ = true;
        if (now.seed != counters_there_are_.seed || now.step != counters_there_are_.step || now.first != counters_there_are_.first)
            device_->upload(counters_there_.data(), &now, sizeof now);
        counters_there_are_ = now;
    }
    void bring(std::span<const T* const> rows, std::ptrdiff_t records) {
        Slot& slot = slots_[next_slot_];
        next_slot_ = 1 - next_slot_;
        if (!slot.host) {
            slot.there = DeviceMemory(device_, batch_elements_ * sizeof(T), "a batch ahead");
            slot.host = device_->allocate_host(batch_elements_ * sizeof(T));
        } else {
            device_->wait(slot.copied);
        }
        T* const host = static_cast<T*>(slot.host);
        T* const there = slot.there.template as<T>();
        std::size_t end = 0;
        for (int s = 0; s < static_cast<int>(sections_.size()); ++s) {
            const auto at = static_cast<std::size_t>(place(slot.there, s) - there);
            const std::size_t count = sections_[static_cast<std::size_t>(s)] * static_cast<std::size_t>(records);
            std::memcpy(host + at, rows[static_cast<std::size_t>(s)], count * sizeof(T));
            end = at + count;
        }
        slot.copied = device_->upload_ahead(there, host, end * sizeof(T), slot.used);
        device_->copy(batch_.data(), there, end * sizeof(T));
        slot.used = device_->mark();
    }
    void run(std::ptrdiff_t records, bool gathered) {
        program_->prepare(records);
        Captured& captured = replays_[{records, gathered}];
        const bool first = captured.version != program_->version();
        if (first) {
            captured.version = program_->version();
            captured.replay = nullptr;
            ask(records, gathered);
        } else {
            if (!captured.replay) captured.replay = device_->capture([&] { ask(records, gathered); });
            captured.replay->run();
        }
        ++counters_there_are_.step;
        counters_there_are_.first += static_cast<std::uint64_t>(records);
        for (int p : parameters_written_) parameters_.written(p);
        for (int s : states_written_) states_.written(s);
        fresh_ = false;
    }
    void ask(std::ptrdiff_t records, bool gathered) {
        for (int s = 0; gathered && s < static_cast<int>(sections_.size()); ++s)
            device_->gather({kept_[static_cast<std::size_t>(s)].data(), place(batch_, s), sections_[static_cast<std::size_t>(s)],
                             order_there_.as<std::uint32_t>(), counters_there_.as<StepCounters>(), records, element_type<T>});
        program_->run();
        device_->tally(results_there_.as<LossTally>(), counters_there_.as<StepCounters>(), result(results_there_.as<T>(), 0),
                       element_type<T>, records);
    }
};

}  // namespace sigma::detail
