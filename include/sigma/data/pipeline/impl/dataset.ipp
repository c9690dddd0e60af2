// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/pipeline/dataset.hpp>
#include <sigma/data/pipeline/read_dataset.hpp>

namespace sigma::data {

SIGMA_IMPL DatasetWord dataset(std::string name, DatasetOptions options) {
    return {std::move(name), std::move(options)};
}

SIGMA_IMPL Dataset detail::read_dataset(std::shared_ptr<RecordReader> reader, const std::vector<TransformStep>& steps,
                                        DatasetWord word) {
    return DatasetReading(std::move(reader), steps, std::move(word.name), std::move(word.options)).make();
}

}  // namespace sigma::data
