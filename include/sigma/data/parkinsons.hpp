// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/pipeline/dataset.hpp>
#include <sigma/data/reader/csv.hpp>
#include <sigma/data/ready/published.hpp>
#include <sigma/data/source/unpack.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sigma::data {

namespace detail {

inline PublishedFile parkinsons_file() {
    return {"parkinsons", "parkinsons.data", "a36116c2deac07895b79ce97a2f99a1b3720ac4892995ff5c3b9ccb397ed2bc5",
            {"https://archive.ics.uci.edu/ml/machine-learning-databases/parkinsons/parkinsons.data",
             "https://raw.githubusercontent.com/sudhapds/parkinson-disease-detection/93abaf14e1620c6280806a46239e1273184c3c16/parkinsons.data"},
            false};
}

}  // namespace detail

/// Measures of voices (M. A. Little et al., BioMedical Engineering OnLine 6:23, 2007): 195 recordings of 32 persons, 147 of
/// those who have Parkinson's disease (class 1) and 48 of those who have not; 22 numbers of very different size, so
/// standardize them. A person has several recordings: split by parkinsons_persons().
/// From `directory` if given, else as published() says.
inline auto parkinsons(const std::string& directory = "") {
    return csv(unpacked(published(detail::parkinsons_file(), directory)), {.header = true}) >>
           sections(inputs = columns<1, 16>() + columns<18, 23>(), targets = labels("status", {"0", "1"})) >> dataset("parkinsons");
}

/// For each record of parkinsons() the person, from 0: split_groups(parkinsons(), parkinsons_persons(), 0.8, 0.2).
inline std::vector<std::size_t> parkinsons_persons(const std::string& directory = "") {
    // "phon_R01_S01_1" is the first recording of person S01.
    const Source source = unpacked(published(detail::parkinsons_file(), directory));
    const std::vector<std::byte> bytes = read_all(source);
    std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    std::vector<std::string_view> names;
    std::vector<std::size_t> persons;
    for (std::size_t line = 0; !text.empty(); ++line) {
        const std::string_view row = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(row.size() + 1, text.size()));
        if (line == 0 || row.find_first_not_of(" \t\r") == std::string_view::npos) continue;
        const std::string_view name = row.substr(0, row.find(','));
        const std::size_t end = name.rfind('_');
        if (end == std::string_view::npos)
            throw DataError(source.name(), sentence("line ", line + 1), "a name like 'phon_R01_S01_1'", sentence("'", name, "'"));
        const auto known = std::ranges::find(names, name.substr(0, end));
        persons.push_back(static_cast<std::size_t>(known - names.begin()));
        if (known == names.end()) names.push_back(name.substr(0, end));
    }
    return persons;
}

}  // namespace sigma::data
