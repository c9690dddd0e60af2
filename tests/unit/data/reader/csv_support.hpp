// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/reader/csv.hpp>

#include "../support.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

/// A text that comes in pieces of at most `chunk` bytes.
class PiecesSource final : public sigma::data::ByteSource {
public:
    PiecesSource(std::string text, std::string name, std::size_t chunk)
        : text_(std::move(text)), name_(std::move(name)), chunk_(chunk) {}

    std::string name() const override { return name_; }
    bool exists() const override { return true; }
    std::unique_ptr<sigma::data::ByteStream> open() const override { return std::make_unique<Stream>(text_, chunk_); }
    std::string key() const override { return "pieces " + text_; }

private:
    struct Stream final : sigma::data::ByteStream {
        std::string text;
        std::size_t chunk, at = 0;

        Stream(std::string text_, std::size_t chunk_) : text(std::move(text_)), chunk(chunk_) {}
        std::size_t read(std::span<std::byte> to) override {
            const std::size_t count = std::min({to.size(), chunk, text.size() - at});
            if (count > 0) std::memcpy(to.data(), text.data() + at, count);
            at += count;
            return count;
        }
    };
    std::string text_, name_;
    std::size_t chunk_;
};

inline sigma::data::Source text_source(std::string text, std::size_t chunk = std::size_t{1} << 20,
                                       std::string name = "x.csv") {
    return sigma::data::Source(std::make_shared<PiecesSource>(std::move(text), std::move(name), chunk));
}

/// All records of a pipeline, read in blocks of this many.
template <class P>
sigma::data::Block all_of(const P& pipeline, std::size_t block = std::numeric_limits<std::size_t>::max()) {
    sigma::data::Block all, part;
    all.values.resize(pipeline.reader->sections().size());
    while (pipeline.reader->read(block, part) > 0) {
        all.records += part.records;
        for (std::size_t s = 0; s < part.values.size(); ++s)
            all.values[s].floats().insert(all.values[s].floats().end(), part.values[s].floats().begin(),
                                          part.values[s].floats().end());
    }
    return all;
}
