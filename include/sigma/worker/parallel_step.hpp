// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owned.hpp>
#include <sigma/core/philox.hpp>
#include <sigma/core/shared_owner.hpp>
#include <sigma/device/offload.hpp>
#include <sigma/worker/accelerated_records.hpp>
#include <sigma/worker/repeated_work.hpp>
#include <sigma/worker/step_results.hpp>
#include <sigma/worker/step_values.hpp>

#include <algorithm>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace sigma::detail {

/// Training steps on a group of accelerators, data parallel: each member has all parameters and states, finds the
/// gradients on its part of the batch's records, and makes the update with the sum over all. Members stay equal, bit by
/// bit.
template <class T>
class ParallelStep {
public:
    /// The plans are those of a share, whose first `losses` outputs are losses, and of its UpdateProgram, with
    /// so many scalars. `parameters` and `states` are attached to the group. No step has more than `most` records.
    [[gnu::cold]] ParallelStep(SharedOwner<AcceleratorGroup> group, const PlanView& share, const PlanView& update,
                               int losses, Mirrored<T>& parameters, Mirrored<T>& states,
                               const std::vector<std::size_t>& sections, int scalars, std::size_t most)
        : group_(std::move(group)), parameters_(parameters), states_(states),
          parameters_written_(written_tensors(update, Buffer::Where::parameter)),
          states_written_(written_tensors(update, Buffer::Where::state)),
          scalars_(static_cast<std::size_t>(scalars) + 2), losses_(static_cast<std::size_t>(losses)),
          results_(losses_) {
        places_ = places_of_outputs(share, exchanged_);
        // A batch with fewer records than there are members goes to all of them.
        part_ = std::max((most + group_->size() - 1) / group_->size(), std::min(most, group_->size() - 1));
        for (std::size_t m = 0; m < group_->size(); ++m)
            members_.push_back(make_owned<Member>(*this, m, share, update, sections, scalars, part_));
        for (const auto& member : members_) exchanges_.push_back(results_.outputs(member->exchange.data()));
    }
    ParallelStep(const ParallelStep&) = delete;
    ParallelStep& operator=(const ParallelStep&) = delete;

    const void* place() const { return group_.get(); }
    /// What is free beside what steps will take, on the member that has least.
    std::size_t free_memory() const {
        std::size_t least = std::numeric_limits<std::size_t>::max();
        for (const auto& member : members_)
            least = std::min(least, without(member->device->free_memory(),
                                            member->share->arena_bytes(static_cast<std::ptrdiff_t>(part_)) +
                                                member->update->arena_bytes(std::ptrdiff_t{1})));
        return least;
    }
    /// Seed of a member's random numbers. The first has that of a training on one device.
    static std::uint64_t seed_of(std::uint64_t seed, std::size_t member) {
        return member == 0 ? seed : Philox(seed, RandomUse::dropout, member).bits(0);
    }

    // ---- data that stay there, all on each member: see AcceleratedRecords ----

    std::size_t bytes_of(std::size_t records) const { return members_[0]->records.bytes_of(records); }
    template <class Fill>
    bool keep(std::size_t records, Fill fill) {
        std::vector<AcceleratedRecords<T>*> all;
        for (const auto& member : members_) all.push_back(&member->records);
        return AcceleratedRecords<T>::keep(all, records, fill);
    }
    void forget() {
        for (const auto& member : members_) {
            member->share_work.clear();
            member->records.forget();
        }
    }
    bool keeps() const { return members_[0]->records.keeps(); }
    void set_order(std::span<const std::size_t> positions) {
        for (const auto& member : members_) member->records.set_order(positions);
    }

    // ---- steps: see AcceleratedStep ----

    void step(std::uint64_t seed, std::uint64_t number, std::size_t first, std::ptrdiff_t records,
              std::span<const T> scalars) {
        guarded([&] { step_on({seed, number, first}, records, scalars, nullptr); });
    }
    void step(std::uint64_t seed, std::uint64_t number, std::span<const T* const> rows, std::ptrdiff_t records,
              std::span<const T> scalars) {
        guarded([&] { step_on({seed, number, 0}, records, scalars, &rows); });
    }
    void set_tally(const LossTally& tally) {
        results_.set_tally(*members_[0]->device, members_[0]->exchange.data(), tally);
    }
    bool pending() const { return results_.pending(); }
    LossTally fetch() {
        return results_.fetch([&](void* to, std::size_t bytes) {
            guarded([&] {
                group_->synchronize();
                members_[0]->device->download(to, members_[0]->exchange.data(), bytes);
            });
        });
    }
    /// A loss of the last step before `fetch`.
    T last(int output) const { return results_.last(output); }

private:
    static constexpr std::size_t apart = StepResults<T>::apart;  ///< tensors begin on cache lines

    struct Member {
        SharedOwner<Accelerator> device;
        Owned<AcceleratorProgram> share, update;
        AcceleratedRecords<T> records;
        StepValues<T> values;
        DeviceMemory exchange;  ///< the tally, then the outputs of `share`
        RepeatedWorks share_work, update_work;

        [[gnu::cold]] Member(const ParallelStep& of, std::size_t m, const PlanView& share_plan,
                             const PlanView& update_plan, const std::vector<std::size_t>& sections, int scalars,
                             std::size_t most)
            : device(of.group_->members()[m]), share(device->make_program(share_plan)),
              update(device->make_program(update_plan)), records(device, sections, most), values(device, scalars + 2),
              exchange(device, (apart + of.exchanged_) * sizeof(T), "gradients") {
            for (int s = 0; s < records.sections(); ++s) share->bind(Buffer::Where::input, s, records.section(s));
            for (int i = 0; i < 2; ++i)
                share->bind(Buffer::Where::input, records.sections() + i, values.scalar(scalars + i));
            for (int i = 0; i < scalars; ++i) update->bind(Buffer::Where::input, i, values.scalar(i));
            for (std::size_t i = 0; i < of.places_.size(); ++i) {
                T* const data = StepResults<T>::outputs(exchange.data()) + of.places_[i];
                share->bind(Buffer::Where::output, static_cast<int>(i), data);
                if (i >= of.losses_)
                    update->bind(Buffer::Where::input, scalars + static_cast<int>(i - of.losses_), data);
            }
            for (AcceleratorProgram* program : {share.get(), update.get()}) {
                for (int p = 0; p < of.parameters_.count(); ++p)
                    program->bind(Buffer::Where::parameter, p, of.parameters_.on_device(p, m));
                for (int s = 0; s < of.states_.count(); ++s)
                    program->bind(Buffer::Where::state, s, of.states_.on_device(s, m));
                program->bind_counters(values.counters());
            }
        }
    };

    SharedOwner<AcceleratorGroup> group_;
    Mirrored<T>& parameters_;
    Mirrored<T>& states_;
    std::vector<int> parameters_written_, states_written_;
    std::vector<T> scalars_;                         ///< the optimizer's, then the weights of a share
    std::size_t losses_, exchanged_ = 0, part_ = 0;  ///< part_: records of a member, at most
    StepResults<T> results_;
    std::vector<std::size_t> places_;
    std::vector<Owned<Member>> members_;
    std::vector<void*> exchanges_;

    /// Where each output begins among those exchanged, in elements, and where the last one ends.
    static std::vector<std::size_t> places_of_outputs(const PlanView& plan, std::size_t& end) {
        std::vector<std::size_t> places(plan.outputs.size());
        end = 0;
        for (std::size_t i = 0; i < places.size(); ++i) {
            places[i] = end;
            const Buffer& buffer = *std::ranges::find_if(plan.buffers, [&](const Buffer& b) {
                return b.where == Buffer::Where::output && b.offset == static_cast<int>(i);
            });
            end += (static_cast<std::size_t>(buffer.shape.count()) + apart - 1) / apart * apart;
        }
        return places;
    }
    /// Members that wait for one that has failed would wait for ever.
    template <class F>
    void guarded(F f) {
        try {
            f();
        } catch (const DeviceError&) {
            group_->give_up();
            throw;
        }
    }
    /// With rows of the host's memory, or on kept records.
    void step_on(const StepCounters& now, std::ptrdiff_t records, std::span<const T> scalars,
                 const std::span<const T* const>* rows) {
        // First what may lack memory: once a member has made its update, the step cannot be taken again.
        for (const auto& member : members_) member->update->prepare(1);
        parameters_.upload();
        states_.upload();
        std::ranges::copy(scalars, scalars_.begin());
        const auto all = static_cast<std::ptrdiff_t>(members_.size());
        for (std::ptrdiff_t m = 0; m < all; ++m) {
            const bool whole = records < all;
            const std::ptrdiff_t first = whole ? 0 : records * m / all, end = whole ? records : records * (m + 1) / all;
            const double one_of_all = 1.0 / static_cast<double>(all);
            scalars_[scalars.size()] =
                static_cast<T>(whole ? one_of_all : static_cast<double>(end - first) / static_cast<double>(records));
            scalars_[scalars.size() + 1] = static_cast<T>(whole ? one_of_all : 1.0);
            find_gradients(static_cast<std::size_t>(m), now, static_cast<std::size_t>(first), end - first, rows);
        }
        group_->sum(exchanges_, exchanged_, element_type<T>);
        for (const auto& member : members_) make_update(*member, records);
        for (int p : parameters_written_) parameters_.written_by_all(p);
        for (int s : states_written_) states_.written_by_all(s);
        results_.outdate();
    }
    void find_gradients(std::size_t number, const StepCounters& now, std::size_t first, std::ptrdiff_t records,
                        const std::span<const T* const>* rows) {
        Member& member = *members_[number];
        member.values.send({seed_of(now.seed, number), now.step, rows ? member.values.first() : now.first + first},
                           scalars_);
        if (rows) member.records.bring(*rows, first, records);
        member.share->prepare(records);
        member.share_work.of(records, !rows)
            .run(*member.device, member.share->version() + member.records.version(), [&] {
                if (!rows) member.records.gather(member.values.counters(), records);
                member.share->run();
            });
    }
    /// Counts all records of the step, so that the member finds its place in the next one.
    void make_update(Member& member, std::ptrdiff_t records) {
        member.update->prepare(1);
        member.update_work.of(records).run(*member.device, member.update->version(), [&] {
            member.update->run();
            member.device->tally(member.exchange.template as<LossTally>(), member.values.counters(),
                                 results_.outputs(member.exchange.data()), element_type<T>, records);
        });
        member.values.count(records);
    }
};

}  // namespace sigma::detail
