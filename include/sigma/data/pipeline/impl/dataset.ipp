// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/pipeline/dataset.hpp>

namespace sigma::data {

SIGMA_IMPL DatasetWord dataset(std::string name, DatasetOptions options) {
    return {std::move(name), std::move(options)};
}

}  // namespace sigma::data
