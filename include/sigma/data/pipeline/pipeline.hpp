// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/pipeline/schema.hpp>
#include <sigma/data/reader/reader.hpp>
#include <sigma/data/reader/renamed.hpp>
#include <sigma/data/reader/zipped.hpp>
#include <sigma/data/transform/transform.hpp>

#include <memory>
#include <utility>
#include <vector>

namespace sigma::data {

class Table;

/// A reader and what happens to its records. `>>` adds a transform, `>> dataset("name")` reads.
template <class Schema_>
struct Pipeline {
    using Schema = Schema_;

    std::shared_ptr<RecordReader> reader;
    std::vector<TransformStep> steps{};
};

/// One array that a reader gives and that has no name yet.
template <class Extents_>
struct ArrayOf {
    std::shared_ptr<RecordReader> reader;

    template <Text name, Role role>
    auto named() const {
        return Pipeline<Schema<SectionField<name, role, Extents_>>>{
            std::make_shared<RenamedReader>(reader, std::string(name.view()), role == Role::target)};
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

/// Steps that name their sections: those that act on all would act on those of other pipelines, too.
template <class... F>
std::vector<TransformStep> named_steps(const std::vector<TransformStep>& steps, Schema<F...>) {
    std::vector<TransformStep> named = steps;
    for (TransformStep& step : named)
        if (step.sections.empty()) step.sections = {std::string(F::name.view())...};
    return named;
}
}  // namespace detail

/// Records whose sections come from several readers with as many records: zip(inputs = idx(images), targets = idx(labels)).
template <class... S>
auto zip(const Pipeline<S>&... parts) {
    std::vector<TransformStep> steps;
    const auto add = [&](const std::vector<TransformStep>& more) { steps.insert(steps.end(), more.begin(), more.end()); };
    (add(detail::named_steps(parts.steps, S{})), ...);
    return Pipeline<typename detail::Joined<S...>::type>{
        std::make_shared<ZippedReader>(std::vector<std::shared_ptr<RecordReader>>{parts.reader...}), std::move(steps)};
}

}  // namespace sigma::data
