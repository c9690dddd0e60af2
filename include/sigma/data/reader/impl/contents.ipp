// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/data/reader/contents.hpp>

#include <algorithm>
#include <string_view>

namespace sigma::data::detail {

SIGMA_IMPL std::string contents_of(std::span<const std::byte> front) {
    std::string text(reinterpret_cast<const char*>(front.data()), front.size());
    if (text.starts_with("version https://git-lfs")) return "a pointer of git-lfs in place of the file";
    std::ranges::transform(text, text.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; });
    text.erase(0, text.find_first_not_of(" \t\r\n"));
    for (const std::string_view start : {"<!doctype html", "<html", "<head"})
        if (text.starts_with(start)) return "a page of HTML";
    if (text.starts_with("<?xml")) return "a document of XML";
    std::string bytes = "0x";
    for (const std::byte byte : front.first(std::min<std::size_t>(front.size(), 4)))
        sigma::detail::append_hexadecimal(bytes, std::to_integer<std::uint64_t>(byte), 2);
    return bytes;
}

}  // namespace sigma::data::detail
