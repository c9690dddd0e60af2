// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/parkinsons.hpp>
#include <sigma/data/pipeline/dataset.hpp>
#include <sigma/data/reader/csv.hpp>
#include <sigma/data/reader/read_table.hpp>
#include <sigma/data/ready/published.hpp>
#include <sigma/data/source/unpack.hpp>

#include <algorithm>

namespace sigma::data::detail {

SIGMA_IMPL PublishedFile parkinsons_file() {
    return {"parkinsons",
            "parkinsons.data",
            "a36116c2deac07895b79ce97a2f99a1b3720ac4892995ff5c3b9ccb397ed2bc5",
            {"https://archive.ics.uci.edu/ml/machine-learning-databases/parkinsons/parkinsons.data",
             "https://raw.githubusercontent.com/sudhapds/parkinson-disease-detection/"
             "93abaf14e1620c6280806a46239e1273184c3c16/parkinsons.data"}};
}

}  // namespace sigma::data::detail

namespace sigma::data {

SIGMA_IMPL Supervised<Extents<22>, Extents<>> parkinsons(const std::string& directory) {
    return csv(unpacked(published(detail::parkinsons_file(), directory)), {.header = true}) >>
           sections(inputs = columns<1, 16>() + columns<18, 23>(), targets = labels("status", {"0", "1"})) >>
           dataset("parkinsons");
}

SIGMA_IMPL std::vector<std::size_t> parkinsons_persons(const std::string& directory) {
    // "phon_R01_S01_1" is the first recording of person S01.
    const TableValues table = read_table(unpacked(published(detail::parkinsons_file(), directory)), {.header = true});
    std::vector<std::string> known;
    std::vector<std::size_t> persons;
    for (const std::string& name : table["name"].texts) {
        const std::size_t end = name.rfind('_');
        if (end == std::string::npos)
            throw DataError(table.name, sentence("record ", persons.size()), "a name like 'phon_R01_S01_1'",
                            sentence("'", name, "'"));
        const auto at = std::ranges::find(known, name.substr(0, end));
        persons.push_back(static_cast<std::size_t>(at - known.begin()));
        if (at == known.end()) known.push_back(name.substr(0, end));
    }
    return persons;
}

}  // namespace sigma::data
