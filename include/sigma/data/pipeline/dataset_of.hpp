// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// `DatasetOf`: a dataset with sections that the compiler knows. Included by `<sigma/sigma.hpp>`.

#include <sigma/data/dataset.hpp>
#include <sigma/data/pipeline/schema.hpp>

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace sigma::data {

namespace detail {

/// Throws ShapeError if the records of a section have other extents than these.
void check_extents_of(const Dataset& dataset, std::string_view section, bool is_target, std::size_t which,
                      const std::vector<std::size_t>& expected);

/// Checks the extents of all sections that the compiler knows.
template <class... Fields>
void check_extents(const Dataset& dataset, Schema<Fields...>) {
    std::size_t inputs = 0, targets = 0;
    const auto examine = [&]<class One>(One) {
        constexpr bool is_target = One::role == Role::target;
        const std::size_t which = is_target ? targets++ : inputs++;
        if constexpr (One::Record::known)
            check_extents_of(dataset, One::name.view(), is_target, which, One::Record::list());
    };
    (examine(Fields{}), ...);
}

}  // namespace detail

/// A dataset with sections that the compiler knows. A network with other extents does not compile with it.
///
/// Parts of it, such as those of `split` and `shuffled`, have the same type.
///
/// @tparam Schema_  names, roles and extents of the sections
///
/// @par Example
/// @code
/// data::Supervised<data::Extents<4>, data::Extents<>> flowers = data::iris();
/// const auto [fitting, validation] = split(shuffled(flowers, 1), 0.8, 0.2);
/// @endcode
///
/// @see Dataset, Supervised
template <class Schema_>
class DatasetOf : public Dataset {
public:
    using Schema = Schema_;  ///< sections of the dataset

    /// Constructs from a dataset.
    /// @param dataset  a dataset with these extents
    /// @throws ShapeError  if a section has other extents
    explicit DatasetOf(Dataset dataset) : Dataset(std::move(dataset)) { detail::check_extents(*this, Schema{}); }
    /// Assigns a dataset.
    /// @param other  a dataset with these extents
    /// @throws ShapeError  if a section has other extents
    DatasetOf& operator=(const Dataset& other) { return *this = DatasetOf(other); }
    /// Returns the same records in less memory; see Dataset::compact.
    DatasetOf compact() const { return DatasetOf(Dataset::compact()); }
};

/// A dataset of one input, "inputs", and one target, "targets".
///
/// @tparam Inputs   extents of the input of a record: `Extents<28, 28>`
/// @tparam Targets  extents of the target of a record: `Extents<>` for class indices
///
/// @see DatasetOf
template <class Inputs, class Targets>
using Supervised =
    DatasetOf<Schema<SectionField<"inputs", Role::input, Inputs>, SectionField<"targets", Role::target, Targets>>>;

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/pipeline/impl/dataset_of.ipp>
#endif
