// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/class_names.hpp>
#include <sigma/core/config.hpp>
#include <sigma/data/same_classes.hpp>

namespace sigma::data::detail {

SIGMA_IMPL void require_same_classes(const Dataset& training, const Dataset& other) {
    if (training.shares_storage(other) || sigma::detail::classes_agree(training.classes(), other.classes())) return;
    sigma::detail::throw_other_classes<ArgumentError>(
        sentence("dataset '", other.name(), "'"), training.classes(),
        sentence("as of the training data '", training.name(),
                 "' (labels(column, training.classes()) numbers them so)"),
        other.classes());
}

}  // namespace sigma::data::detail
