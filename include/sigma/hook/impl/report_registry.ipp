// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/hook/report_registry.hpp>

namespace sigma {

SIGMA_IMPL std::string ReportRegistry::text() const {
    std::string all;
    for (const std::string& pattern : patterns_) all += sentence(all.empty() ? "" : ", ", "\"", pattern, "\"");
    return sentence("report_registry(", all, ")");
}

}  // namespace sigma
