// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/hook/report_to.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace sigma::detail {

SIGMA_IMPL void ReportFile::Close::operator()(void* file) const {
    std::fclose(static_cast<std::FILE*>(file));
}

SIGMA_IMPL ReportFile& ReportFile::operator=(const ReportFile& other) {
    name_ = other.name_;
    file_.reset();
    return *this;
}

SIGMA_IMPL void ReportFile::open(const char* mode) {
    file_.reset(std::fopen(name_.c_str(), mode));
    if (!file_) refuse();
}

SIGMA_IMPL void ReportFile::write(std::string_view line) {
    std::FILE* const file = static_cast<std::FILE*>(file_.get());
    if (std::fwrite(line.data(), 1, line.size(), file) != line.size() || std::fputc('\n', file) == EOF ||
        std::fflush(file) != 0)
        refuse();
}

SIGMA_IMPL void ReportFile::refuse() const {
    throw DataError(name_, "", "a file that can be written", std::strerror(errno));
}

}  // namespace sigma::detail

namespace sigma {

SIGMA_IMPL void ReportToCsv::start(std::string_view header) {
    if (file_.is_open()) return;
    file_.open(begun_ ? "a" : "w");
    if (!begun_) file_.write(header);
    begun_ = true;
}

SIGMA_IMPL void ReportToCsv::restart() {
    file_.close();
    begun_ = false;
}

SIGMA_IMPL ReportToCsv csv(std::string name) {
    return ReportToCsv(std::move(name));
}

}  // namespace sigma
