// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/reader/csv.hpp>
#include <sigma/data/source/source.hpp>

#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace sigma::data::detail {

/// A text that stays where it is.
class TextSource final : public ByteSource {
public:
    TextSource(std::string_view text, std::string name) : text_(text), name_(std::move(name)) {}

    std::string name() const override { return name_; }
    bool exists() const override { return true; }
    std::unique_ptr<ByteStream> open() const override { return std::make_unique<Stream>(text_); }
    std::string key() const override;

private:
    struct Stream final : ByteStream {
        std::string_view rest;

        explicit Stream(std::string_view text) : rest(text) {}
        std::size_t read(std::span<std::byte> to) override;
    };
    std::string_view text_;
    std::string name_;
};

/// All records of a table that is in memory.
template <class S>
std::pair<Block, Pipeline<S>> read_table_text(std::string_view text, const std::string& file, CsvFormat format,
                                              const Sections<S>& chosen) {
    auto pipeline = csv(Source(std::make_shared<TextSource>(text, file)), std::move(format)) >> chosen;
    Block block;
    pipeline.reader->read(std::numeric_limits<std::size_t>::max(), block);
    return {std::move(block), std::move(pipeline)};
}

}  // namespace sigma::data::detail

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/table_text.ipp>
#endif
