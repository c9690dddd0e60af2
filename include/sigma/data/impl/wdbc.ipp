// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/pipeline/dataset.hpp>
#include <sigma/data/reader/csv.hpp>
#include <sigma/data/ready/published.hpp>
#include <sigma/data/source/unpack.hpp>
#include <sigma/data/wdbc.hpp>

namespace sigma::data::detail {

SIGMA_IMPL PublishedFile wdbc_file() {
    return {"wdbc",
            "wdbc.data",
            "d606af411f3e5be8a317a5a8b652b425aaf0ff38ca683d5327ffff94c3695f4a",
            {"https://archive.ics.uci.edu/ml/machine-learning-databases/breast-cancer-wisconsin/wdbc.data",
             "https://raw.githubusercontent.com/rasbt/python-machine-learning-book-3rd-edition/"
             "bf62496f44a92a21d23250d5ed13d2d2e617e0e2/ch06/wdbc.data"}};
}

}  // namespace sigma::data::detail

namespace sigma::data {

SIGMA_IMPL Supervised<Extents<30>, Extents<>> wdbc(const std::string& directory) {
    return csv(unpacked(published(detail::wdbc_file(), directory))) >>
           sections(inputs = columns<2, 31>(), targets = labels(1, {"B", "M"})) >> dataset("wdbc");
}

}  // namespace sigma::data
