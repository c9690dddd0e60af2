// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/task.hpp>
#include <sigma/data/source/packing.hpp>
#include <sigma/data/source/source.hpp>

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sigma::data::detail {

/// A hash for tables of texts that are searched with views.
struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};

/// Appends a character of valid UTF-8 as its small letter, if that is one character.
void append_lower_character(std::string& to, std::string_view character);

/// Calls feed(piece) for the text of a source, in pieces of 64 KiB.
template <class Feed>
void each_piece(const Source& source, Feed&& feed) {
    const auto stream = plain_text(source.open(), source.name());
    Task task(TaskKind::read, source.name());
    std::vector<std::byte> piece(std::size_t{1} << 16);
    for (bool more = true; more;) {
        std::size_t size = 0;
        while (size < piece.size() && more) {
            const std::size_t count = stream->read(std::span(piece).subspan(size));
            size += count;
            more = count > 0;
        }
        task.advance(size);
        feed(std::string_view(reinterpret_cast<const char*>(piece.data()), size));
    }
}

}  // namespace sigma::data::detail
