// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/hook/slots.hpp>

#include <memory>
#include <utility>

namespace sigma::detail {

SIGMA_IMPL void Slot::publish(double x) {
    value = x;
    version = version + 1;
}

SIGMA_IMPL void Slot::restart() {
    value = std::numeric_limits<double>::quiet_NaN();
    version = 0;
}

SIGMA_IMPL Slots::Slots(const ValueRecord* const* computed, int count, std::vector<Reader> readers)
    : computed_(computed), count_(count), slots_(std::make_unique<Slot[]>(static_cast<std::size_t>(count))),
      readers_(std::move(readers)) {}

SIGMA_IMPL Slot& Slots::of(const ValueRecord& computed) {
    for (int i = 0; i < count_; ++i)
        if (computed_[i] == &computed) return (*this)[i];
    throw ArgumentError(sentence("value '", computed.name, "'"),
                        "one that hooks added together say they read or compute", "one that none of them names");
}

SIGMA_IMPL double Slots::read(const ValueRecord& live, const TrainerView& trainer) const {
    if (live.read != nullptr) return live.read(trainer);
    for (const Reader& r : readers_)
        if (r.id == &live) return r.read();
    throw ArgumentError(sentence("value '", live.name, "'"), "one that its action says it reads", "another");
}

}  // namespace sigma::detail
