// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/data/reader/text.hpp>
#include <sigma/data/reader/windows.hpp>
#include <sigma/data/source/packing.hpp>
#include <sigma/data/text/vocabulary.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sigma::data {

/// The tokens of a text, one a record, as their numbers in a vocabulary. Reads 64 KiB at a time; a packed text wants
/// unpacked(source), else it is a DataError.
class TokenReader final : public RecordReader {
public:
    TokenReader(Source source, Vocabulary vocabulary)
        : source_(std::move(source)), vocabulary_(std::move(vocabulary)) {}

    std::string name() const override { return source_.name(); }
    std::vector<Origin> origins() const override { return {{"tokens", name()}}; }
    const std::vector<SectionInfo>& sections() override { return sections_; }
    /// Throws DataError with the byte for a token that the vocabulary does not have, where it has no <unk> either.
    std::size_t read(std::size_t most, Block& to) override {
        while (!ended_ && ids_.size() - at_ < most) fill();
        to.records = std::min(most, ids_.size() - at_);
        to.values.resize(1);
        const auto first = ids_.begin() + static_cast<std::ptrdiff_t>(at_);
        to.values[0].floats().assign(first, first + static_cast<std::ptrdiff_t>(to.records));
        at_ += to.records;
        return to.records;
    }
    void rewind() override {
        stream_.reset();
        tokenizer_.reset();
        ids_.clear();
        at_ = 0;
        ended_ = false;
    }
    std::string key() const override { return sentence("tokens(", source_.key(), ";", vocabulary_.text(), ")"); }

private:
    void fill() {
        if (!stream_) {
            stream_ = detail::plain_text(source_.open(), source_.name());
            tokenizer_.emplace(vocabulary_.rule(), source_.name());
        }
        ids_.erase(ids_.begin(), ids_.begin() + static_cast<std::ptrdiff_t>(std::exchange(at_, 0)));
        std::size_t size = 0;
        piece_.resize(std::size_t{1} << 16);
        while (size < piece_.size() && !ended_) {
            const std::size_t count = stream_->read(std::span(piece_).subspan(size));
            size += count;
            ended_ = count == 0;
        }
        const auto visit = [this](std::string_view token, std::uint64_t byte) {
            const std::size_t id = vocabulary_.id_or_unknown(token);
            if (id == Vocabulary::none)
                throw DataError(
                    source_.name(), sentence("byte ", byte),
                    sentence("one of the ", vocabulary_.size(), " ", vocabulary_.noun(), " of the vocabulary"),
                    storage::quotation(token));
            ids_.push_back(static_cast<float>(id));
        };
        tokenizer_->feed({reinterpret_cast<const char*>(piece_.data()), size}, visit);
        if (ended_) tokenizer_->finish(visit);
    }

    Source source_;
    Vocabulary vocabulary_;
    std::vector<SectionInfo> sections_{{"tokens", {}, false}};
    std::unique_ptr<ByteStream> stream_;
    std::optional<Tokenizer> tokenizer_;
    std::vector<std::byte> piece_;
    std::vector<float> ids_;
    std::size_t at_ = 0;
    bool ended_ = false;
};

}  // namespace sigma::data

namespace sigma::data::detail {

SIGMA_IMPL std::shared_ptr<RecordReader> sequence_reader(const Source& source, const Vocabulary& vocabulary,
                                                         std::size_t length, const SequenceOptions& options,
                                                         bool words) {
    if (is_word(vocabulary.rule().unit) != words)
        throw ArgumentError(sentence(words ? "words" : "characters", " of '", source.name(), "'"),
                            sentence("a vocabulary of ", words ? "words" : "characters"),
                            sentence("one of ", vocabulary.noun()));
    std::optional<float> padding;
    if (!options.drop_last) {
        const auto id = vocabulary.find(padding_token);
        if (!id)
            throw ArgumentError(
                sentence(vocabulary.noun(), " of '", source.name(), "' with a last record that is filled up"),
                "<pad> in the vocabulary", "none");
        padding = static_cast<float>(*id);
    }
    return std::make_shared<SlidingReader>(
        std::make_shared<TokenReader>(source, vocabulary),
        std::vector<WindowPart>{{.name = "inputs", .count = length},
                                {.name = "targets", .target = true, .first = options.offset, .count = length}},
        SlidingReader::Options{options.step == 0 ? length : options.step, padding, vocabulary.noun()});
}

}  // namespace sigma::data::detail
