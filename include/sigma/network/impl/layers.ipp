// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/layer/input.hpp>
#include <sigma/network/layers.hpp>

namespace sigma {

SIGMA_IMPL void Layers::trace(Context& context, detail::Flow& x) const {
    const detail::ListView<detail::SizeValue> outer = context.values;
    if (sizes_) context.values = {sizes_->data(), static_cast<int>(sizes_->size())};
    for (const auto& part : parts_) part->trace(context, x);
    context.values = outer;
}
SIGMA_IMPL Layers Layers::with_sizes(std::vector<detail::SizeValue> values) const {
    Layers known = *this;
    known.sizes_ = detail::SharedOwner<const std::vector<detail::SizeValue>>::make(std::move(values));
    return known;
}
SIGMA_IMPL Layers Layers::complete() const {
    bool judged = false;
    each_loss([&](const detail::AnyLoss&) { judged = true; });
    Layers all = *this;
    if (!judged) all += NoLoss();
    return all;
}
SIGMA_IMPL void Layers::show_losses(detail::LossVisitor& to) const {
    for (const auto& part : parts_) part->show_losses(to);
}
SIGMA_IMPL void Layers::append(const Layers& others) {
    const auto more = others.parts_;  // which may be these
    parts_.reserve(parts_.size() + more.size());
    for (const auto& part : more) parts_.push(part);
}

}  // namespace sigma
