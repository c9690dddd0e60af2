// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// `Pipeline` and `zip`: readers with named sections and transforms. Included by `<sigma/data/data.hpp>`.

#include <sigma/data/pipeline/schema.hpp>
#include <sigma/data/reader/reader.hpp>
#include <sigma/data/transform/transform.hpp>

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace sigma::data {

class Table;

namespace detail {
/// Reads one array as this section.
std::shared_ptr<RecordReader> renamed(std::shared_ptr<RecordReader> reader, std::string section, bool target);
/// Reads several arrays side by side: record r has the sections of record r of each reader.
std::shared_ptr<RecordReader> zipped(std::vector<std::shared_ptr<RecordReader>> readers);
}  // namespace detail

/// A reader and the transforms of its records. Add transforms with `>>`; `>> dataset("name")` reads the records.
///
/// @tparam Schema_  names, roles and extents of the sections
///
/// @see zip, sections, dataset, docs/data.md
template <class Schema_>
struct Pipeline {
    using Schema = Schema_;  ///< sections of the records

    std::shared_ptr<RecordReader> reader;  ///< the reader
    TransformSteps steps{};                ///< transforms, the first one first
};

/// An array of a reader, without a name. Assign it to a section: `inputs = idx<28, 28>(file("images"))`.
///
/// @tparam Extents_  extents of a record, or UnknownExtents
///
/// @see array, idx, npy, bytes, zip
template <class Extents_>
struct ArrayOf {
    std::shared_ptr<RecordReader> reader;  ///< the reader

    /// Returns a pipeline with this array as its only section.
    /// @tparam name  name of the section
    /// @tparam role  input or target
    template <Text name, Role role>
    auto named() const {
        return Pipeline<Schema<SectionField<name, role, Extents_>>>{
            detail::renamed(reader, std::string(name.view()), role == Role::target)};
    }
};

namespace detail {
template <class... S>
struct Joined;
template <class... F>
struct Joined<Schema<F...>> {
    using type = Schema<F...>;
};
template <class... F, class... G, class... S>
struct Joined<Schema<F...>, Schema<G...>, S...> : Joined<Schema<F..., G...>, S...> {};

template <class... F>
TransformSteps named_steps(const TransformSteps& steps, Schema<F...>) {
    return steps.named(std::array{F::name.view()...});
}
}  // namespace detail

/// Joins the sections of several readers with equally many records.
///
/// Reading throws DataError if a reader has fewer records than another.
///
/// @param parts  sections with their arrays: `inputs = idx<28, 28>(images), targets = idx<>(labels)`
/// @return a pipeline with all sections
///
/// @par Example
/// @code
/// using namespace sigma::data;
/// auto digits = zip(inputs = idx<28, 28>(file("train-images-idx3-ubyte.gz")),
///                   targets = idx<>(file("train-labels-idx1-ubyte.gz"))) >>
///               normalize(inputs, 0, 255) >> dataset("mnist");
/// @endcode
///
/// @see sections (for tables), docs/data.md
template <class... S>
auto zip(const Pipeline<S>&... parts) {
    return Pipeline<typename detail::Joined<S...>::type>{
        detail::zipped({parts.reader...}), (TransformSteps() + ... + detail::named_steps(parts.steps, S{}))};
}

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/pipeline/impl/pipeline.ipp>
#endif
