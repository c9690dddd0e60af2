// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/reader/reader.hpp>
#include <sigma/data/reader/windows.hpp>
#include <sigma/data/source/packing.hpp>
#include <sigma/data/source/source.hpp>
#include <sigma/storage/hash.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// Parts that the readers of texts share, for their bodies only.
namespace sigma::data {
/// @cond internal

/// Reads the tokens of a text, one a record, as the numbers that `Stream(rule, name)` makes of it by feed(bytes,
/// numbers) and finish(numbers). Reads 64 KiB at a time. Throws DataError for a compressed text, which needs
/// unpacked(source).
template <class Rule, class Stream>
class TokenReader final : public RecordReader {
public:
    TokenReader(Source source, Rule rule) : source_(std::move(source)), rule_(std::move(rule)) {}

    std::string name() const override { return source_.name(); }
    std::vector<Origin> origins() const override { return {{"tokens", name()}}; }
    const std::vector<SectionInfo>& sections() override { return sections_; }
    std::size_t read(std::size_t most, Block& to) override {
        while (!ended_ && ids_.size() - at_ < most) fill();
        to.records = std::min(most, ids_.size() - at_);
        to.values.resize(1);
        NumberList& floats = to.values[0];
        floats.floats().resize(to.records);
        std::transform(ids_.begin() + static_cast<std::ptrdiff_t>(at_),
                       ids_.begin() + static_cast<std::ptrdiff_t>(at_ + to.records), floats.floats().begin(),
                       [](std::size_t id) { return static_cast<float>(id); });
        at_ += to.records;
        return to.records;
    }
    void rewind() override {
        bytes_.reset();
        tokens_.reset();
        ids_.clear();
        at_ = 0;
        ended_ = false;
    }
    std::string key() const override {
        return sentence("tokens(", source_.key(), ";", storage::fingerprint(rule_.text()), ")");
    }

private:
    void fill() {
        if (!bytes_) {
            bytes_ = detail::plain_text(source_.open(), source_.name());
            tokens_ = std::make_unique<Stream>(rule_, source_.name());
        }
        ids_.erase(ids_.begin(), ids_.begin() + static_cast<std::ptrdiff_t>(std::exchange(at_, 0)));
        std::size_t size = 0;
        piece_.resize(std::size_t{1} << 16);
        while (size < piece_.size() && !ended_) {
            const std::size_t count = bytes_->read(std::span(piece_).subspan(size));
            size += count;
            ended_ = count == 0;
        }
        tokens_->feed({reinterpret_cast<const char*>(piece_.data()), size}, ids_);
        if (ended_) tokens_->finish(ids_);
    }

    Source source_;
    Rule rule_;
    std::vector<SectionInfo> sections_{{"tokens", {}, false}};
    std::unique_ptr<ByteStream> bytes_;
    std::unique_ptr<Stream> tokens_;
    std::vector<std::byte> piece_;
    std::vector<std::size_t> ids_;
    std::size_t at_ = 0;
    bool ended_ = false;
};
/// @endcond

namespace detail {

/// Makes inputs (length) and targets (length) of tokens, one a record, by SequenceOptions.
template <class Options>
std::shared_ptr<RecordReader> sequences_of(std::shared_ptr<RecordReader> tokens, std::size_t length,
                                           const Options& options, std::optional<float> padding, const char* noun) {
    return std::make_shared<SlidingReader>(
        std::move(tokens),
        std::vector<WindowPart>{{.name = "inputs", .count = length},
                                {.name = "targets", .target = true, .first = options.offset, .count = length}},
        SlidingReader::Options{options.step == 0 ? length : options.step, padding, noun});
}

}  // namespace detail
}  // namespace sigma::data
