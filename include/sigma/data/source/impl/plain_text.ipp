// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/data/source/packing.hpp>
#include <sigma/data/source/plain_text.hpp>

#include <string_view>
#include <utility>

namespace sigma::data::detail {

SIGMA_IMPL void refuse_packed(std::span<const std::byte> front, const std::string& file) {
    const Packing packing = packing_of(front);
    const std::string_view text(reinterpret_cast<const char*>(front.data()), front.size());
    // What a text may hold, too: "BZh" and digits, and "ustar" at byte 257, which zeros precede in an archive.
    if (packing == Packing::none ||
        (packing == Packing::bzip2 && text[4] == '1' && !text.substr(4).starts_with("1AY&SY")) ||
        (packing == Packing::tar && text.substr(0, 257).find('\0') == text.npos))
        return;
    throw DataError(file, "byte 0", "text in UTF-8",
                    is_archive(packing) ? sentence("a ", name_of(packing), " archive")
                                        : sentence("data packed by ", name_of(packing)));
}

SIGMA_IMPL std::unique_ptr<ByteStream> plain_text(std::unique_ptr<ByteStream> stream, const std::string& file) {
    auto peeked = std::make_unique<PeekedStream>(std::move(stream));
    refuse_packed(peeked->front(), file);
    return peeked;
}

}  // namespace sigma::data::detail
