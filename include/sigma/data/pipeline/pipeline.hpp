// SPDX-License-Identifier: BSL-1.0
#pragma once
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
/// A reader of one array as this section.
std::shared_ptr<RecordReader> renamed(std::shared_ptr<RecordReader> reader, std::string section, bool target);
/// Several side by side: record r has the sections of record r of each.
std::shared_ptr<RecordReader> zipped(std::vector<std::shared_ptr<RecordReader>> readers);
}  // namespace detail

/// A reader and what happens to its records. `>>` adds a transform, `>> dataset("name")` reads.
template <class Schema_>
struct Pipeline {
    using Schema = Schema_;

    std::shared_ptr<RecordReader> reader;
    TransformSteps steps{};
};

/// One array that a reader gives and that has no name yet.
template <class Extents_>
struct ArrayOf {
    std::shared_ptr<RecordReader> reader;

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

/// Records whose sections come from several readers with as many records: zip(inputs = idx(images), targets =
/// idx(labels)).
template <class... S>
auto zip(const Pipeline<S>&... parts) {
    return Pipeline<typename detail::Joined<S...>::type>{
        detail::zipped({parts.reader...}), (TransformSteps() + ... + detail::named_steps(parts.steps, S{}))};
}

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/pipeline/impl/pipeline.ipp>
#endif
