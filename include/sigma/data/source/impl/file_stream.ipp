// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/data/source/file_stream.hpp>
#include <sigma/storage/error.hpp>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

namespace sigma::data {

SIGMA_IMPL FileStream::FileStream(storage::Descriptor file, std::string name)
    : file_(std::move(file)), name_(std::move(name)) {
    storage::expect_in_order(file_);
}

SIGMA_IMPL std::size_t FileStream::read(std::span<std::byte> to) {
    const auto [count, code] = storage::read_next(file_.number(), to);
    if (code != 0)
        throw DataError(name_, sentence("byte ", at_ + count), "a readable file", storage::system_text(code));
    at_ += count;
    return count;
}

SIGMA_IMPL std::string file_key(const std::string& path, const std::string& name) {
    std::error_code code;
    const std::string absolute = std::filesystem::canonical(path, code).string();
    bool found = false;
    const std::string identity = storage::file_identity(absolute, found);
    if (code || !found) throw DataError(name, "", "a readable file", storage::system_text(code ? code.value() : errno));
    return sentence("file:", absolute, ':', identity);
}

}  // namespace sigma::data
