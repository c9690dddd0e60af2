// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/dataset.hpp>
#include <sigma/data/pipeline/schema.hpp>

#include <utility>

namespace sigma::data {

/// A dataset whose sections the compiler knows, so that a network that takes other extents is refused when the program
/// is compiled. Parts of it, split(…), shuffled(…) and the others, are of the same type.
template <class Schema_>
class DatasetOf : public Dataset {
public:
    using Schema = Schema_;

    explicit DatasetOf(Dataset dataset) : Dataset(std::move(dataset)) {}
};

}  // namespace sigma::data
