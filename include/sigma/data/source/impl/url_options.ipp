// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/source/url_options.hpp>

#include <utility>

namespace sigma::data {

SIGMA_IMPL DownloadError::DownloadError(std::string address_, std::string expected_, std::string found_, long status_)
    : DataError("address", address_, "", std::move(expected_), std::move(found_)), address(std::move(address_)),
      status(status_) {}

}  // namespace sigma::data
