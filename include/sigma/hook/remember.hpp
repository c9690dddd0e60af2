// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owners.hpp>
#include <sigma/hook/action.hpp>
#include <sigma/hook/parameter_copy.hpp>

namespace sigma {

/// Where `remember` puts the parameters of a trainer and `recall` finds them. Copies are the same place.
class ParameterSlot {
public:
    bool empty() const { return copy->empty(); }
    detail::SharedOwner<detail::ParameterCopy> copy = detail::SharedOwner<detail::ParameterCopy>::make();
};

namespace detail {

struct Remember : detail::MadeAction<> {
    static constexpr bool in_background = false;
    explicit Remember(ParameterSlot slot);
};
struct Recall : detail::MadeAction<> {
    static constexpr bool in_background = false;
    explicit Recall(ParameterSlot slot);
};

}  // namespace detail

/// ParameterSlot best;
/// trainer.add(when(accuracy.improves()).then(remember(best)), at(stop).then(recall(best)));
/// Bit by bit, at once; states of the optimizer are left alone. A slot is for one trainer; checkpoints contain it.
inline auto remember(ParameterSlot slot) { return detail::Remember(std::move(slot)); }
/// Throws MismatchError when nothing was remembered.
inline auto recall(ParameterSlot slot) { return detail::Recall(std::move(slot)); }

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/remember.ipp>
#endif
