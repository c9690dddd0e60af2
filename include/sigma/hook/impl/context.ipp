// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/hook/context.hpp>

#include <memory>
#include <utility>

namespace sigma {

namespace detail {

SIGMA_IMPL void Slot::publish(double x) {
    value = x;
    version = version + 1;
}

SIGMA_IMPL void Slot::restart() {
    value = std::numeric_limits<double>::quiet_NaN();
    version = 0;
}

SIGMA_IMPL Slots::Slots(const ValueRecord* const* computed, int count, List<Reader> readers)
    : computed_(computed), count_(count), slots_(std::make_unique<Slot[]>(static_cast<std::size_t>(count))),
      readers_(std::move(readers)) {
    for (int i = 0; i < count_; ++i) linked_.push({});
}

SIGMA_IMPL Slot& Slots::of(const ValueRecord& computed) { return (*this)[position_of(computed)]; }

SIGMA_IMPL const Slot& Slots::read_of(const ValueRecord& computed) const {
    const int i = position_of(computed);
    return is_linked(i) ? *linked_[i] : slots_.get()[i];
}

SIGMA_IMPL void Slots::link(int i, SharedOwner<const Slot> slot) { linked_[i] = std::move(slot); }

SIGMA_IMPL int Slots::position_of(const ValueRecord& computed) const {
    for (int i = 0; i < count_; ++i)
        if (computed_[i] == &computed) return i;
    throw ArgumentError(sentence("value '", computed.name, "'"),
                        "a value that a hook of the same call of add reads or computes",
                        "a value that no hook of the call names");
}

SIGMA_IMPL double Slots::read(const ValueRecord& live, const TrainerValues& trainer) const {
    if (live.read != nullptr) return live.read(trainer);
    for (const Reader& r : readers_)
        if (r.id == &live) return r.read();
    throw ArgumentError(sentence("value '", live.name, "'"), "a value in the Reads of the action",
                        "a value that is not in its Reads");
}

SIGMA_IMPL const Snapshot::Entry* Snapshot::find(const void* id) const {
    for (const Entry& entry : values)
        if (entry.id == id) return &entry;
    return nullptr;
}

}  // namespace detail

SIGMA_IMPL double TrainerView::read(int reading, TrainerView& worker) const {
    if (static_cast<std::size_t>(reading) >= readings_.size())
        throw ArgumentError(sentence("values over workers of trainer '", name(), "'"),
                            "hooks that all processes have added before the run", "a hook of rank 0 alone");
    return readings_[static_cast<std::size_t>(reading)](worker);
}

SIGMA_IMPL const MomentCounts& HookContext::counts() const {
    return snapshot_ != nullptr ? snapshot_->counts : trainer_->counts();
}

SIGMA_IMPL double HookContext::runtime() const {
    return snapshot_ != nullptr ? snapshot_->runtime : trainer_->runtime();
}

SIGMA_IMPL HookContext HookContext::as_timed() const {
    HookContext c = *this;
    c.timed_ = true;
    return c;
}

SIGMA_IMPL double HookContext::get(const detail::ValueHandle& value) const {
    using Kind = detail::ValueRecord::Kind;
    if (snapshot_ != nullptr)
        if (const auto* then = snapshot_->find(value.id())) return then->value;
    if (value.record().kind == Kind::computed) return slots_->read_of(value.record()).value;
    if (snapshot_ != nullptr) return std::numeric_limits<double>::quiet_NaN();
    if (value.record().kind == Kind::derived) return value.derived()->read(*trainer_);
    return slots_->read(value.record(), *trainer_);
}

SIGMA_IMPL std::uint64_t HookContext::version(const detail::ValueHandle& value) const {
    if (snapshot_ != nullptr)
        if (const auto* then = snapshot_->find(value.id())) return then->version;
    return value.derived() ? value.derived()->version() : std::uint64_t{slots_->read_of(value.record()).version};
}

SIGMA_IMPL void HookContext::publish(const detail::ValueRecord& computed, double x) const {
    slots_->of(computed).publish(x);
}

SIGMA_IMPL void HookContext::change(detail::AnyFunction<void(TrainerView&)> f) const {
    if (snapshot_ == nullptr) f(*trainer_);
    else trainer_->post([trainer = trainer_, f = std::move(f)] { f(*trainer); });
}

SIGMA_IMPL void HookContext::save(std::string file) const {
    if (snapshot_ == nullptr) trainer_->save_after_hooks(std::move(file));
    else trainer_->write_checkpoint(snapshot_->checkpoint, file);
}

SIGMA_IMPL void HookContext::afterwards(detail::AnyFunction<void()> f) const {
    if (snapshot_ == nullptr) trainer_->after_hooks(std::move(f));
    else f();
}

namespace detail {

SIGMA_IMPL bool is_fresh(const HookContext& context, const ValueHandle& v, std::uint64_t& seen) {
    if (!v.record().versioned) return context.timed() || context.moment() == v.record().moment;
    const std::uint64_t version = context.version(v);
    return std::exchange(seen, version) != version;
}

}  // namespace detail

}  // namespace sigma
