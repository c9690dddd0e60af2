// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owned.hpp>
#include <sigma/core/shared_owner.hpp>
#include <sigma/device/offload.hpp>
#include <sigma/worker/accelerated_records.hpp>
#include <sigma/worker/repeated_work.hpp>
#include <sigma/worker/step_results.hpp>
#include <sigma/worker/step_values.hpp>

#include <span>
#include <utility>
#include <vector>

namespace sigma::detail {

/// Training steps on an accelerator, one after the other without waiting for any: records, parameters, counters and
/// losses are there, and each number of records is captured once and replayed.
template <class T>
class AcceleratedStep {
public:
    /// The plan's inputs are sections of the data, of so many elements a record each, and then scalars; its outputs are
    /// the mean loss and what else is told of the step. No step has more than `most` records.
    [[gnu::cold]] AcceleratedStep(SharedOwner<Accelerator> device, const PlanView& plan, Mirrored<T>& parameters,
                                  Mirrored<T>& states, std::vector<std::size_t> sections, int scalars, std::size_t most)
        : most_(most), device_(std::move(device)), parameters_(parameters), states_(states),
          program_(device_->make_program(plan)), parameters_written_(written_tensors(plan, Buffer::Where::parameter)),
          states_written_(written_tensors(plan, Buffer::Where::state)), results_(plan.outputs.size()),
          values_(device_, scalars), results_there_(device_, results_.bytes(), "losses"),
          records_(device_, std::move(sections), most) {
        const int count = records_.sections();
        for (int s = 0; s < count; ++s) program_->bind(Buffer::Where::input, s, records_.section(s));
        for (int i = 0; i < scalars; ++i) program_->bind(Buffer::Where::input, count + i, values_.scalar(i));
        for (int i = 0; i < static_cast<int>(plan.outputs.size()); ++i)
            program_->bind(Buffer::Where::output, i, results_.output(results_there_.data(), i));
        for (int p = 0; p < parameters_.count(); ++p)
            program_->bind(Buffer::Where::parameter, p, parameters_.on_device(p));
        for (int s = 0; s < states_.count(); ++s) program_->bind(Buffer::Where::state, s, states_.on_device(s));
        program_->bind_counters(values_.counters());
    }
    AcceleratedStep(const AcceleratedStep&) = delete;
    AcceleratedStep& operator=(const AcceleratedStep&) = delete;

    const void* place() const { return device_.get(); }
    /// What is free beside what steps will take.
    std::size_t free_memory() const {
        return without(device_->free_memory(), program_->arena_bytes(static_cast<std::ptrdiff_t>(most_)));
    }
    const AcceleratorProgram& program() const { return *program_; }

    // ---- data that stay there: see AcceleratedRecords ----

    std::size_t bytes_of(std::size_t records) const { return records_.bytes_of(records); }
    template <class Fill>
    bool keep(std::size_t records, Fill fill) {
        AcceleratedRecords<T>* const here = &records_;
        return records_.keep({&here, 1}, records, fill);
    }
    void forget() {
        work_.clear();
        records_.forget();
    }
    bool keeps() const { return records_.keeps(); }
    void set_order(std::span<const std::size_t> positions) { records_.set_order(positions); }

    // ---- steps ----

    /// On kept records, from position `first` of their order on.
    void step(std::uint64_t seed, std::uint64_t number, std::size_t first, std::ptrdiff_t records,
              std::span<const T> scalars) {
        prepare({seed, number, first}, scalars);
        run(records, true);
    }
    /// On dense rows in the host's memory, which may change when this returns.
    void step(std::uint64_t seed, std::uint64_t number, std::span<const T* const> rows, std::ptrdiff_t records,
              std::span<const T> scalars) {
        prepare({seed, number, values_.first()}, scalars);
        records_.bring(rows, 0, records);
        run(records, false);
    }

    /// From now on losses are added to these.
    void set_tally(const LossTally& tally) { results_.set_tally(*device_, results_there_.data(), tally); }
    /// Is there anything that `fetch` has not seen?
    bool pending() const { return results_.pending(); }
    /// Waits for all steps; what their losses were.
    LossTally fetch() {
        return results_.fetch(
            [&](void* to, std::size_t bytes) { device_->download(to, results_there_.data(), bytes); });
    }
    /// An output of the last step before `fetch`.
    T last(int output) const { return results_.last(output); }

private:
    std::size_t most_;
    SharedOwner<Accelerator> device_;
    Mirrored<T>& parameters_;
    Mirrored<T>& states_;
    Owned<AcceleratorProgram> program_;
    std::vector<int> parameters_written_, states_written_;
    StepResults<T> results_;
    StepValues<T> values_;
    DeviceMemory results_there_;
    AcceleratedRecords<T> records_;
    RepeatedWorks work_;

    void prepare(const StepCounters& now, std::span<const T> scalars) {
        parameters_.upload();
        states_.upload();
        values_.send(now, scalars);
    }
    void run(std::ptrdiff_t records, bool gathered) {
        program_->prepare(records);
        work_.of(records, gathered).run(*device_, program_->version() + records_.version(), [&] {
            if (gathered) records_.gather(values_.counters(), records);
            program_->run();
            device_->tally(results_there_.as<LossTally>(), values_.counters(), results_.outputs(results_there_.data()),
                           element_type<T>, records);
        });
        values_.count(records);
        for (int p : parameters_written_) parameters_.written(p);
        for (int s : states_written_) states_.written(s);
        results_.outdate();
    }
};

}  // namespace sigma::detail
