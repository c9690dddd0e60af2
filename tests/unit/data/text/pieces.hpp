// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/source/source.hpp>

#include <algorithm>
#include <cstring>

/// A text that comes in pieces of `piece` bytes.
struct Pieces final : sigma::data::ByteSource {
    std::string text;
    std::size_t piece;

    Pieces(std::string text_, std::size_t piece_) : text(std::move(text_)), piece(piece_) {}

    struct Stream final : sigma::data::ByteStream {
        const Pieces& from;
        std::size_t at = 0;

        explicit Stream(const Pieces& from_) : from(from_) {}
        std::size_t read(std::span<std::byte> to) override {
            const std::size_t count = std::min({to.size(), from.piece, from.text.size() - at});
            if (count > 0) std::memcpy(to.data(), from.text.data() + at, count);
            at += count;
            return count;
        }
    };
    std::string name() const override { return "corpus.txt"; }
    bool exists() const override { return true; }
    std::unique_ptr<sigma::data::ByteStream> open() const override { return std::make_unique<Stream>(*this); }
    std::string key() const override { return text; }
};

inline sigma::data::Source pieces(std::string text, std::size_t piece = 1 << 16) {
    return sigma::data::Source(std::make_shared<Pieces>(std::move(text), piece));
}
