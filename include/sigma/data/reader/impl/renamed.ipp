// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/reader/renamed.hpp>

#include <utility>

namespace sigma::data {

SIGMA_IMPL RenamedReader::RenamedReader(std::shared_ptr<RecordReader> reader, std::string section, bool target)
    : reader_(std::move(reader)), section_(std::move(section)), target_(target) {}

SIGMA_IMPL const std::vector<SectionInfo>& RenamedReader::sections() {
    sections_ = {{section_, reader_->sections().at(0).shape, target_}};
    return sections_;
}

}  // namespace sigma::data
