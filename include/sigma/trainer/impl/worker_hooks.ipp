// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/scope.hpp>
#include <sigma/trainer/worker_hooks.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace sigma::detail {

template <class T>
struct WorkerHookList<T>::Members {
    CopyOfModel<T> copy_model{};
    std::vector<Group*> groups{};
    WorkersAtWork* at_work = nullptr;
    bool making = false;
};

/// As one of the trainer's groups.
template <class T>
class WorkerHookList<T>::Group final : public HookGroup {
public:
    Group(Members& list, MakeInWorker<T> make, const WorkerParts<T>& alone)
        : list_(list), make_(std::move(make)), alone_(made_for(alone)) {
        if (list_.at_work != nullptr) list_.at_work->gather(nullptr);  // they look at the list
        list_.groups.push_back(this);
    }
    Group(const Group&) = delete;
    Group& operator=(const Group&) = delete;
    ~Group() override {
        if (list_.at_work != nullptr) try {
                list_.at_work->gather(nullptr);
            } catch (...) {  // of a step, which the run is told when it asks for the next
            }
        std::erase(list_.groups, this);
    }

    MomentSet moments() const override { return alone_.hooks->moments(); }
    void fire(Moment moment) override {
        if (waits()) return;
        if (!lives_in_workers()) return alone_.hooks->fire(moment);
        if (moment == Moment::iteration || moment == Moment::epoch) return;  // each worker comes to these by itself
        list_.at_work->gather(&moment);
        for (const HooksInWorker& each : in_) each.hooks->fire(moment);
        list_.at_work->listen();
    }
    void settle(Moment moment) override {
        if (!lives_in_workers() && !waits()) alone_.hooks->settle(moment);
    }
    void finish() override { alone_.hooks->finish(); }
    Wants wants(bool ends_epoch) const override {
        return lives_in_workers() || waits() ? Wants{} : alone_.hooks->wants(ends_epoch);
    }
    void restart() override {
        gather();
        kept_.clear();
        alone_.hooks->restart();
        for (const HooksInWorker& each : in_) each.hooks->restart();
    }
    std::string text() const override { return alone_.hooks->text(); }
    /// What they compute is each worker's own.
    void visit_computed(const AnyFunction<void(std::string_view, SharedOwner<const Slot>)>&) const override {}
    std::uint64_t skipped() const override { return 0; }

    /// The number of workers, and of each how much there is of it, and its state.
    void archive(Archive& a) override {
        gather();
        std::uint64_t count = kept_.empty() ? lives_in() : kept_.size();
        a(count);
        if (a.reading()) return read(a, count);
        for (std::size_t i = 0; i < count; ++i) {
            Archive own;
            if (kept_.empty()) of(i).archive(own);
            else own = kept_[i];
            std::uint64_t words = own.words().size(), blobs = own.blobs().size();
            a(words, blobs);
            a.append(own);
        }
    }

    void enter(std::span<const WorkerParts<T>> workers) {
        const std::vector<Archive> before = take_kept();
        std::vector<HooksInWorker> made;
        for (const WorkerParts<T>& parts : workers) made.push_back(made_for(parts));
        in_ = std::move(made);
        if (before.size() == in_.size()) restore(before);
    }
    void enter_alone() { kept_.clear(); }
    /// They are those of one again, and what they were is kept for as many.
    void leave() noexcept {
        if (!lives_in_workers()) return;
        try {
            std::vector<Archive> now = take_kept();
            in_.clear();
            alone_.hooks->restart();
            if (now.size() == 1) restore(now);
            else kept_ = std::move(now);
        } catch (...) {  // of a user's hook, which begins anew
            in_.clear();
        }
    }
    bool lives_in_workers() const { return !in_.empty(); }
    HookGroup& alone() const { return *alone_.hooks; }
    HookGroup& of(std::size_t worker) const { return lives_in_workers() ? *in_[worker].hooks : *alone_.hooks; }

private:
    Members& list_;
    MakeInWorker<T> make_;
    HooksInWorker alone_;
    std::vector<HooksInWorker> in_{};  ///< of each worker of the run that goes on
    std::vector<Archive> kept_{};      ///< of a run by several, while there is none

    std::size_t lives_in() const { return in_.empty() ? 1 : in_.size(); }
    HooksInWorker made_for(const WorkerParts<T>& parts) {
        const Restore leave(list_.making, true);
        return make_(parts);
    }
    /// Was it added while workers train? Then it begins with the next run.
    bool waits() const { return list_.at_work != nullptr && !lives_in_workers(); }
    void gather() const {
        if (lives_in_workers()) list_.at_work->gather(nullptr);
    }
    /// The state of each, to be read.
    std::vector<Archive> take_kept() {
        if (!kept_.empty()) return std::exchange(kept_, {});
        std::vector<Archive> all;
        for (std::size_t i = 0; i < lives_in(); ++i) {
            Archive own;
            of(i).archive(own);
            all.emplace_back(own.words(), own.blobs());
        }
        return all;
    }
    void restore(const std::vector<Archive>& states) {
        for (std::size_t i = 0; i < lives_in(); ++i) {
            Archive own = states[i];
            of(i).archive(own);
        }
    }
    void read(Archive& a, std::uint64_t count) {
        std::vector<Archive> states;
        for (std::uint64_t i = 0; i < count; ++i) {
            std::uint64_t size = 0, parts = 0;
            a(size, parts);
            std::vector<std::uint64_t> words;
            for (std::uint64_t k = 0; k < size; ++k) a(words.emplace_back());
            std::vector<std::vector<std::byte>> blobs;
            for (std::uint64_t k = 0; k < parts; ++k) a.tensor(blobs.emplace_back());
            states.emplace_back(std::move(words), std::move(blobs));
        }
        kept_.clear();
        if (count == lives_in()) restore(states);
        else if (!lives_in_workers()) kept_ = std::move(states);
    }
};

template <class T>
WorkerHookList<T>::WorkerHookList() : its_(make_owned<Members>()) {}
template <class T>
WorkerHookList<T>::~WorkerHookList() = default;

template <class T>
Owned<HookGroup> WorkerHookList<T>::add(const MakeInWorker<T>& make, const CopyOfModel<T>& copy,
                                        const WorkerParts<T>& alone) {
    auto made = make_owned<Group>(*its_, make, alone);
    its_->copy_model = copy;
    return made;
}
template <class T>
const CopyOfModel<T>& WorkerHookList<T>::copy_model() const {
    return its_->copy_model;
}

template <class T>
void WorkerHookList<T>::enter(std::span<const WorkerParts<T>> workers, WorkersAtWork& at_work) {
    its_->at_work = &at_work;
    try {
        for (Group* each : its_->groups) each->enter(workers);
    } catch (...) {
        leave();
        throw;
    }
}
template <class T>
void WorkerHookList<T>::enter_alone() {
    for (Group* each : its_->groups) each->enter_alone();
}
template <class T>
void WorkerHookList<T>::leave() noexcept {
    its_->at_work = nullptr;
    for (Group* each : its_->groups) each->leave();
}

template <class T>
void WorkerHookList<T>::fire(std::size_t worker, Moment moment) {
    for (Group* each : its_->groups)
        if (each->lives_in_workers() && each->moments().has(moment)) each->of(worker).fire(moment);
}
template <class T>
bool WorkerHookList<T>::is_making() const {
    return its_->making;
}
template <class T>
ComputedValue WorkerHookList<T>::find_computed(std::size_t worker, const ValueRecord& value) const {
    for (auto each = its_->groups.rbegin(); each != its_->groups.rend(); ++each)
        if ((*each)->lives_in_workers())  // not those that are about to
            if (ComputedValue found = (*each)->of(worker).find_computed(value); found.slot) return found;
    return {};
}
template <class T>
ComputedValue WorkerHookList<T>::find_computed_alone(const ValueRecord& value) const {
    for (auto each = its_->groups.rbegin(); each != its_->groups.rend(); ++each)
        if (ComputedValue found = (*each)->alone().find_computed(value); found.slot) return found;
    return {};
}
template <class T>
Wants WorkerHookList<T>::wants(std::size_t worker, bool ends_epoch) const {
    Wants all;
    for (const Group* each : its_->groups)
        if (each->lives_in_workers()) all = all | each->of(worker).wants(ends_epoch);
    return all;
}

}  // namespace sigma::detail

#ifdef SIGMA_COMPILED
template class sigma::detail::WorkerHookList<float>;
template class sigma::detail::WorkerHookList<double>;
#endif
