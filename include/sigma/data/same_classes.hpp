// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/class_names.hpp>
#include <sigma/data/dataset.hpp>

namespace sigma::data::detail {

/// Throws ArgumentError where the numbers of another dataset's classes are not those of the training data. It may lack
/// some at the end; where one of the two has no names there is nothing to compare.
inline void require_same_classes(const Dataset& training, const Dataset& other) {
    if (training.shares_storage(other) || sigma::detail::classes_agree(training.classes(), other.classes())) return;
    sigma::detail::throw_other_classes<ArgumentError>(
        sentence("dataset '", other.name(), "'"), training.classes(),
        sentence("as of the training data '", training.name(),
                 "' (labels(column, training.classes()) numbers them so)"),
        other.classes());
}

}  // namespace sigma::data::detail
