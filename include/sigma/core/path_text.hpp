// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <concepts>
#include <string>
#include <string_view>
#include <utility>

namespace sigma::detail {

/// A text as paths and names of files have them: std::string, const char*, std::string_view, std::filesystem::path.
template <class P>
concept PathText = std::convertible_to<P, std::string> || std::convertible_to<P, std::string_view>;

template <PathText P>
std::string path_text(P path) {
    if constexpr (std::convertible_to<P, std::string>) return std::string(std::move(path));
    else return std::string(std::string_view(path));
}

}  // namespace sigma::detail
