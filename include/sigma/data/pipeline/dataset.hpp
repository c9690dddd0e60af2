// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/pipeline/dataset_of.hpp>
#include <sigma/data/pipeline/dataset_options.hpp>
#include <sigma/data/pipeline/errors.hpp>
#include <sigma/data/pipeline/pipeline.hpp>
#include <sigma/storage/error.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sigma::data {

/// The end of a pipeline: `… >> dataset("mnist")`.
struct DatasetWord {
    std::string name;
    DatasetOptions options;
};
/// Reads a pipeline into memory, or into blocks of which some are in memory:
///
///     csv(file("big.csv")) >> sections(…) >> standardize(inputs) >> dataset("big", {.blocks = fixed(10000), .active =
///     8})
///
/// Transforms learn from all of the data: where parts of it are for validation, split first and transform then. Throws
/// DataError for what cannot be read or is not finite (missing numbers of inputs are held with `.missing = true`, so
/// that impute can learn from the training part), ArgumentError where a transform names a section that is not there or
/// a block does not fit into `memory`, StorageError where the cache cannot be written.
DatasetWord dataset(std::string name, DatasetOptions options = {});

namespace detail {
Dataset read_dataset(std::shared_ptr<RecordReader> reader, const std::vector<TransformStep>& steps, DatasetWord word);
}

template <class S>
    requires(S::has_inputs_and_targets())
DatasetOf<S> operator>>(const Pipeline<S>& pipeline, DatasetWord word) {
    return DatasetOf<S>(detail::read_dataset(pipeline.reader, pipeline.steps, std::move(word)));
}
template <class... F>
    requires(!Schema<F...>::has_inputs_and_targets())
error_dataset_needs_inputs_and_targets<sections_are<section<F::name>...>> operator>>(const Pipeline<Schema<F...>>&,
                                                                                     DatasetWord);
template <class Extents>
error_array_needs_a_name<Extents> operator>>(const ArrayOf<Extents>&, DatasetWord);
/// `csv(…) >> sections(inputs = columns(0, 3), targets = labels(4)) >> dataset("iris")`
error_table_needs_sections operator>>(const Table&, const DatasetWord&);

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/pipeline/impl/dataset.ipp>
#endif
