// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/pipeline/dataset.hpp>
#include <sigma/data/reader/csv.hpp>
#include <sigma/data/ready/published.hpp>
#include <sigma/data/source/unpack.hpp>

#include <string>

namespace sigma::data {

namespace detail {

PublishedFile wdbc_file();

}  // namespace detail

/// Wisconsin diagnostic breast cancer (W. H. Wolberg, W. N. Street, O. L. Mangasarian, UCI): 569 records, 357 benign
/// (class 0, "B") and 212 malignant (class 1, "M"); 30 measurements of cell nuclei, so standardize them.
/// From `directory` if given, else as published() says; it comes with the library.
inline auto wdbc(const std::string& directory = "") {
    return csv(unpacked(published(detail::wdbc_file(), directory))) >>
           sections(inputs = columns<2, 31>(), targets = labels(1, {"B", "M"})) >> dataset("wdbc");
}

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/wdbc.ipp>
#endif
