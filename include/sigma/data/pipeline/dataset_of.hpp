// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/dataset.hpp>
#include <sigma/data/pipeline/schema.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace sigma::data {

namespace detail {

/// Throws ShapeError where a section of the dataset has other extents than the compiler knows.
template <class... Fields>
void check_extents(const Dataset& dataset, Schema<Fields...>) {
    std::size_t given = 0, wanted = 0;
    const auto check = [&]<class One>(One) {
        const bool is_target = One::role == Role::target;
        const std::size_t which = is_target ? wanted++ : given++;
        if constexpr (One::Record::known) {
            const auto found = is_target ? dataset.target_shape(which) : dataset.input_shape(which);
            const std::vector<std::size_t> expected = One::Record::list();
            if (!std::ranges::equal(found, expected))
                throw ShapeError(sentence("section '", One::name.view(), "' of dataset '", dataset.name(), "'"),
                                 sentence("records of ", shape_text(expected)), shape_text(found));
        }
    };
    (check(Fields{}), ...);
}

}  // namespace detail

/// A dataset whose sections the compiler knows, so that a network that takes other extents is refused when the program is
/// compiled. Parts of it, split(…), shuffled(…) and the others, are of the same type. Making one of a Dataset, or assigning
/// one, throws ShapeError where the extents are others.
template <class Schema_>
class DatasetOf : public Dataset {
public:
    using Schema = Schema_;

    explicit DatasetOf(Dataset dataset) : Dataset(std::move(dataset)) { detail::check_extents(*this, Schema{}); }
    DatasetOf& operator=(const Dataset& other) { return *this = DatasetOf(other); }
};

}  // namespace sigma::data
