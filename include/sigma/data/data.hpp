// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// All of data sets and their pipelines, but images (`<sigma/data/reader/image.hpp>`) and ready data sets. Include it
/// yourself and link `sigma::data`.

namespace sigma::data::detail {

/// Marks all functions of namespace sigma::data as declared. It stands before everything else, because the compiler
/// answers the question whether it is complete only once (names.hpp).
template <class>
struct WordsIncluded {};

}  // namespace sigma::data::detail

#include <sigma/data/blocks/disk_cache.hpp>
#include <sigma/data/iterate.hpp>
#include <sigma/data/minibatches.hpp>
#include <sigma/data/names.hpp>
#include <sigma/data/pipeline/dataset.hpp>
#include <sigma/data/reader/arrays.hpp>
#include <sigma/data/reader/binary.hpp>
#include <sigma/data/reader/csv.hpp>
#include <sigma/data/reader/json_lines.hpp>
#include <sigma/data/reader/npy_table.hpp>
#include <sigma/data/reader/text.hpp>
#include <sigma/data/reader/windows.hpp>
#include <sigma/data/series.hpp>
#include <sigma/data/source/source.hpp>
#include <sigma/data/source/unpack.hpp>
#include <sigma/data/source/url.hpp>
#include <sigma/data/split.hpp>
#include <sigma/data/transform/augmentations.hpp>
#include <sigma/data/transform/preprocessing_file.hpp>
#include <sigma/data/transform/transforms.hpp>
