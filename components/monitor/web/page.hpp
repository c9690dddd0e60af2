// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstddef>
#include <span>
#include <string_view>

namespace sigma::monitor {

/// A file of the page, embedded in the library by cmake/embed.cmake from monitor/page/ and uPlot.
struct PageFile {
    std::string_view name;  ///< "index.html", "panels/chart.js"
    const unsigned char* bytes;
    std::size_t size;
};
std::span<const PageFile> page_files();

}  // namespace sigma::monitor
