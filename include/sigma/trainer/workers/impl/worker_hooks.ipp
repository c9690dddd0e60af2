// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/scope.hpp>
#include <sigma/hook/archive.hpp>
#include <sigma/trainer/workers/worker_hooks.hpp>

#include <algorithm>
#include <utility>

namespace sigma::detail {

template <class T>
struct WorkerHookList<T>::Members {
    CopyOfModel<T> copy_model{};
    std::vector<Group*> groups{};
    std::vector<Group*> in_run{};  ///< groups by their number; null if removed
    WorkersAtWork* at_work = nullptr;
    bool making = false;
};

/// The group of hooks in all workers, as one of the trainer's groups.
template <class T>
class WorkerHookList<T>::Group final : public HookGroup {
public:
    Group(Members& list, MakeInWorker<T> make, const WorkerParts<T>& alone)
        : list_(list), make_(std::move(make)), alone_(made_for(alone)) {
        if (list_.at_work != nullptr) list_.at_work->gather(nullptr);  // since workers read the list
        list_.groups.push_back(this);
    }
    Group(const Group&) = delete;
    Group& operator=(const Group&) = delete;
    ~Group() override {
        if (list_.at_work != nullptr) try {
                list_.at_work->gather(nullptr);
            } catch (...) {  // the exception of a step, which the next step throws again
            }
        if (lives_in_workers()) try {
                list_.at_work->remove(number_);
            } catch (...) {  // ignored, too
            }
        std::ranges::replace(list_.in_run, this, nullptr);
        std::erase(list_.groups, this);
    }

    MomentSet moments() const override { return alone_.hooks->moments(); }
    void fire(Moment moment) override {
        if (waits()) return;
        if (!lives_in_workers()) return alone_.hooks->fire(moment);
        if (moment == Moment::iteration || moment == Moment::epoch)
            return;  // each worker fires at these moments by itself
        list_.at_work->gather(&moment);
        list_.at_work->fire(number_, moment);
        list_.at_work->listen();
    }
    void dispatch(Moment moment) override {
        if (!lives_in_workers() && !waits()) alone_.hooks->dispatch(moment);
    }
    void finish() override { alone_.hooks->finish(); }
    Wants wants(bool ends_epoch) const override {
        return lives_in_workers() || waits() ? Wants{} : alone_.hooks->wants(ends_epoch);
    }
    void restart() override {
        gather();
        kept_.clear();
        alone_.hooks->restart();
        if (lives_in_workers()) list_.at_work->restart(number_);
    }
    std::string text() const override { return alone_.hooks->text(); }
    /// Returns nothing, since computed values belong to each worker.
    void visit_computed(const AnyFunction<void(std::string_view, SharedOwner<const Slot>)>&) const override {}
    std::uint64_t skipped() const override { return 0; }

    /// Writes the number of workers, and the size and the state of each.
    void archive(Archive& a) override {
        gather();
        if (!a.reading()) return join_archives(a, kept_.empty() ? all_archives() : kept_);
        std::vector<Archive> states = split_archives(a);
        kept_.clear();
        if (states.size() == lives_in()) restore(states);
        else if (!lives_in_workers()) kept_ = std::move(states);
    }

    void enter(std::size_t number, std::span<const WorkerParts<T>> workers) {
        std::vector<Archive> before = kept_.empty() ? archives_here() : std::exchange(kept_, {});
        list_.at_work->share(before);
        std::vector<HooksInWorker> made;
        for (const WorkerParts<T>& parts : workers) made.push_back(made_for(parts));
        in_ = std::move(made);
        number_ = number;
        if (before.size() == list_.at_work->count())
            restore_here(std::span(before).subspan(list_.at_work->first(), in_.size()));
    }
    void enter_alone() { kept_.clear(); }
    /// Returns to the hooks of one worker, and keeps the states of the run's workers for a run with as many.
    void leave() noexcept {
        if (!lives_in_workers()) return;
        try {
            std::vector<Archive> now;
            if (!list_.at_work->follows()) now = all_archives();
            in_.clear();
            alone_.hooks->restart();
            if (now.size() == 1) restore(now);
            else kept_ = std::move(now);
        } catch (...) {  // a user's hook that cannot read its state starts again
            in_.clear();
        }
    }
    bool lives_in_workers() const { return !in_.empty(); }
    HookGroup& alone() const { return *alone_.hooks; }
    HookGroup& of(std::size_t worker) const { return lives_in_workers() ? *in_[worker].hooks : *alone_.hooks; }
    std::vector<HooksInWorker>& here() { return in_; }
    std::vector<Archive> archives_here() const {
        std::vector<Archive> all;
        for (std::size_t i = 0; i < std::max<std::size_t>(in_.size(), 1); ++i) {
            Archive own;
            of(i).archive(own);
            all.emplace_back(own.words(), own.blobs());
        }
        return all;
    }
    void restore_here(std::span<const Archive> states) {
        for (std::size_t i = 0; i < states.size(); ++i) {
            Archive own = states[i];
            of(i).archive(own);
        }
    }

private:
    Members& list_;
    MakeInWorker<T> make_;
    HooksInWorker alone_;
    std::vector<HooksInWorker> in_{};  ///< hooks of each worker of the current run
    std::vector<Archive> kept_{};      ///< states of the last run with several workers, between runs
    std::size_t number_ = 0;           ///< number of the group in that run

    std::size_t lives_in() const { return in_.empty() ? 1 : list_.at_work->count(); }
    HooksInWorker made_for(const WorkerParts<T>& parts) {
        const Restore leave(list_.making, true);
        return make_(parts);
    }
    /// Returns whether the group was added while workers train, so that it begins with the next run.
    bool waits() const { return list_.at_work != nullptr && !lives_in_workers(); }
    void gather() const {
        if (lives_in_workers()) list_.at_work->gather(nullptr);
    }
    std::vector<Archive> all_archives() {
        return lives_in_workers() ? list_.at_work->archives(number_) : archives_here();
    }
    void restore(const std::vector<Archive>& states) {
        if (lives_in_workers()) list_.at_work->restore(number_, states);
        else restore_here(states);
    }
};

template <class T>
WorkerHookList<T>::WorkerHookList() : members_(make_owned<Members>()) {}
template <class T>
WorkerHookList<T>::~WorkerHookList() = default;

template <class T>
Owned<HookGroup> WorkerHookList<T>::add(const MakeInWorker<T>& make, const CopyOfModel<T>& copy,
                                        const WorkerParts<T>& alone) {
    auto made = make_owned<Group>(*members_, make, alone);
    members_->copy_model = copy;
    return made;
}
template <class T>
const CopyOfModel<T>& WorkerHookList<T>::copy_model() const {
    return members_->copy_model;
}

template <class T>
void WorkerHookList<T>::enter(std::span<const WorkerParts<T>> workers, WorkersAtWork& at_work) {
    members_->at_work = &at_work;
    members_->in_run = members_->groups;
    try {
        for (std::size_t i = 0; i < members_->in_run.size(); ++i) members_->in_run[i]->enter(i, workers);
    } catch (...) {
        leave();
        throw;
    }
}
template <class T>
void WorkerHookList<T>::enter_alone() {
    for (Group* each : members_->groups) each->enter_alone();
}
template <class T>
void WorkerHookList<T>::leave() noexcept {
    for (Group* each : members_->groups) each->leave();
    members_->at_work = nullptr;
    members_->in_run.clear();
}

template <class T>
void WorkerHookList<T>::fire_here(std::size_t group, Moment moment) {
    for (const HooksInWorker& each : members_->in_run[group]->here()) each.hooks->fire(moment);
}
template <class T>
void WorkerHookList<T>::restart_here(std::size_t group) {
    for (const HooksInWorker& each : members_->in_run[group]->here()) each.hooks->restart();
}
template <class T>
void WorkerHookList<T>::remove_here(std::size_t group) {
    members_->in_run[group]->here().clear();
}
template <class T>
std::vector<Archive> WorkerHookList<T>::archives_here(std::size_t group) {
    return members_->in_run[group]->archives_here();
}
template <class T>
void WorkerHookList<T>::restore_here(std::size_t group, std::span<const Archive> of_each) {
    members_->in_run[group]->restore_here(of_each);
}
template <class T>
bool WorkerHookList<T>::empty() const {
    return members_->groups.empty();
}
template <class T>
std::string WorkerHookList<T>::text() const {
    std::string all;
    for (const Group* each : members_->groups) all += sentence("\nhooks in workers: ", each->text());
    return all;
}

template <class T>
void WorkerHookList<T>::fire(std::size_t worker, Moment moment) {
    for (Group* each : members_->groups)
        if (each->lives_in_workers() && each->moments().has(moment)) each->of(worker).fire(moment);
}
template <class T>
bool WorkerHookList<T>::is_making() const {
    return members_->making;
}
template <class T>
ComputedValue WorkerHookList<T>::find_computed(std::size_t worker, const ValueRecord& value) const {
    for (auto each = members_->groups.rbegin(); each != members_->groups.rend(); ++each)
        if ((*each)->lives_in_workers())  // skips groups that begin with the next run
            if (ComputedValue found = (*each)->of(worker).find_computed(value); found.slot) return found;
    return {};
}
template <class T>
ComputedValue WorkerHookList<T>::find_computed_alone(const ValueRecord& value) const {
    for (auto each = members_->groups.rbegin(); each != members_->groups.rend(); ++each)
        if (ComputedValue found = (*each)->alone().find_computed(value); found.slot) return found;
    return {};
}
template <class T>
Wants WorkerHookList<T>::wants(std::size_t worker, bool ends_epoch) const {
    Wants all;
    for (const Group* each : members_->groups)
        if (each->lives_in_workers()) all = all | each->of(worker).wants(ends_epoch);
    return all;
}

}  // namespace sigma::detail

SIGMA_INSTANTIATE(class sigma::detail::WorkerHookList);
