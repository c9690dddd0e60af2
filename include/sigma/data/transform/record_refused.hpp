// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>

#include <cstddef>
#include <string>

namespace sigma::data::detail {

/// What a transform throws about a record of the block it is given: "section 'targets', record 3 of its block: …". Who
/// knows more says where the record stands in all of the data, and who they are.
struct RecordRefused : DataError {
    std::string section;
    std::size_t record;

    RecordRefused(std::string section_, std::size_t record_, std::string expected_, std::string found_);
};

/// Calls f; what it refuses is record number_of(record) of the dataset, if not of a part of it.
template <class NumberOf, class F>
void naming_records(const std::string& dataset, NumberOf number_of, F f) {
    try {
        f();
    } catch (const RecordRefused& refused) {
        throw DataError::in_dataset(dataset,
                                    sentence("section '", refused.section, "', record ", number_of(refused.record)),
                                    refused.expected, refused.found);
    }
}

}  // namespace sigma::data::detail

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/impl/record_refused.ipp>
#endif
