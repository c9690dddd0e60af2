// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/dataset.hpp>
#include <sigma/data/pipeline/schema.hpp>

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace sigma::data {

namespace detail {

/// Throws ShapeError where the records of a section have other extents than these.
void check_extents_of(const Dataset& dataset, std::string_view section, bool is_target, std::size_t which,
                      const std::vector<std::size_t>& expected);

/// The same for all that the compiler knows.
template <class... Fields>
void check_extents(const Dataset& dataset, Schema<Fields...>) {
    std::size_t given = 0, wanted = 0;
    const auto examine = [&]<class One>(One) {
        constexpr bool is_target = One::role == Role::target;
        const std::size_t which = is_target ? wanted++ : given++;
        if constexpr (One::Record::known)
            check_extents_of(dataset, One::name.view(), is_target, which, One::Record::list());
    };
    (examine(Fields{}), ...);
}

}  // namespace detail

/// A dataset whose sections the compiler knows, so that a network that takes other extents is refused when the program
/// is compiled. Parts of it, split(…), shuffled(…) and the others, are of the same type. Making one of a Dataset, or
/// assigning one, throws ShapeError where the extents are others.
template <class Schema_>
class DatasetOf : public Dataset {
public:
    using Schema = Schema_;

    explicit DatasetOf(Dataset dataset) : Dataset(std::move(dataset)) { detail::check_extents(*this, Schema{}); }
    DatasetOf& operator=(const Dataset& other) { return *this = DatasetOf(other); }
    /// See Dataset::compact.
    DatasetOf compact() const { return DatasetOf(Dataset::compact()); }
};

/// One input and one target, "inputs" and "targets".
template <class Inputs, class Targets>
using Supervised =
    DatasetOf<Schema<SectionField<"inputs", Role::input, Inputs>, SectionField<"targets", Role::target, Targets>>>;

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/pipeline/impl/dataset_of.ipp>
#endif
