// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/trainer/terminal/confusion.hpp>

namespace sigma {

SIGMA_IMPL Confusion::Confusion() : kept_(detail::SharedOwner<Kept>::make()) {}

SIGMA_IMPL ConfusionMatrix Confusion::matrix() const {
    const std::lock_guard lock(kept_->mutex);
    return kept_->matrix;
}

SIGMA_IMPL std::array<double, 4> Confusion::values(const ConfusionMatrix& matrix) const {
    const std::lock_guard lock(kept_->mutex);
    kept_->matrix = matrix;
    return {matrix.accuracy(), matrix.macro_precision(), matrix.macro_recall(), matrix.macro_f1()};
}

}  // namespace sigma
