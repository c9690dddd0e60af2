// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/file.hpp>

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace sigma::data {

/// The whole of a file, unpacked if it is gzip, as it is if not. More than `limit` bytes are refused: a small file can
/// unpack to any size.
inline std::vector<std::uint8_t> read_bytes(const std::string& path, std::size_t limit = std::size_t{1} << 30) {
    errno = 0;
    const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), &gzclose);
    if (!file) throw DataError(path, "", "a readable file", system_message(errno));

    std::vector<std::uint8_t> bytes;
    constexpr std::size_t block = 1 << 20;
    for (;;) {
        const std::size_t size = bytes.size();
        bytes.resize(size + block);
        const int count = gzread(file.get(), bytes.data() + size, static_cast<unsigned>(block));
        bytes.resize(size + static_cast<std::size_t>(std::max(count, 0)));

        int code = Z_OK;
        const std::string message = gzerror(file.get(), &code);
        const std::string place = sentence("byte ", bytes.size(), " unpacked");
        if (code == Z_ERRNO) throw DataError(path, "", "a readable file", system_message(errno));
        if (code == Z_BUF_ERROR) throw DataError(path, place, "more gzip data", "the end of the file");
        if (code != Z_OK || count < 0) throw DataError(path, place, "valid gzip data", sentence("'", message, "'"));
        if (bytes.size() > limit) throw DataError(path, "", sentence("at most ", limit, " bytes unpacked"), "more");
        if (static_cast<std::size_t>(count) < block) return bytes;
    }
}

}  // namespace sigma::data
