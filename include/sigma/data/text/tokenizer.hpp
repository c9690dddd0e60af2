// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/owners.hpp>
#include <sigma/data/source/source.hpp>

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sigma::data {

namespace detail {
struct TokenizerModel;
}

/// How BPE is trained (Sennrich et al. 2016, over bytes as in Radford et al. 2019).
struct TrainTokenizerOptions {
    /// Special tokens, the 256 bytes and merges together; fewer where nothing is left to merge.
    std::size_t vocabulary_size = 30'000;
    /// Pairs that are rarer are not merged.
    std::size_t min_count = 2;
    /// Numbers 0, 1, …: stand for no text, such as "<|endoftext|>".
    std::vector<std::string> special{};
    /// Each text begins as if a space stood before it.
    bool add_prefix_space = false;
};
/// How the tokens of a `vocab.txt` are used (Devlin et al. 2019).
struct WordPieceOptions {
    bool lower_case = true;
    std::optional<bool> strip_accents{};  ///< with lower_case, unless it says
    bool clean_text = true;               ///< control characters vanish
    bool space_chinese = true;            ///< each character of CJK is a word
};
struct EncodeOptions {
    bool special = false;  ///< with what the tokenizer puts around a text: [CLS] … [SEP]
};
struct DecodeOptions {
    bool special = false;  ///< with special tokens, which are left out else
};

/// Cuts texts into parts of words and back, as Hugging Face's tokenizers do with the same `tokenizer.json`: byte-level
/// BPE (GPT-2, RoBERTa) or WordPiece (BERT). A copy shares all it holds; any number of threads may use one.
///
///     const auto tokenizer = SubwordTokenizer::load("tokenizer.json");
///     const auto own = SubwordTokenizer::train(file("corpus.txt"), {.vocabulary_size = 2000});
class SubwordTokenizer {
public:
    /// A `tokenizer.json`. Throws DataError where it is none, or asks for what is not known here.
    static SubwordTokenizer load(const std::string& path);
    static SubwordTokenizer load(const Source& source);
    /// The same of a text; `name` is what errors call it.
    static SubwordTokenizer parse(std::string_view text, const std::string& name = "tokenizer");
    /// WordPiece from a `vocab.txt`: a token a line, [UNK] among them. Of [PAD], [UNK], [CLS], [SEP] and [MASK] those
    /// that are there are special. Throws DataError.
    static SubwordTokenizer word_pieces(const Source& vocabulary, const WordPieceOptions& options = {});
    /// BPE learned from a text: the most frequent pair of tokens becomes one, of equally frequent ones that of the
    /// lowest numbers; pairs lie within the words of GPT-2's rule. The same text gives the same tokenizer. Throws
    /// DataError where the text is not UTF-8, ArgumentError where an option is out of its range.
    static SubwordTokenizer train(const Source& corpus, const TrainTokenizerOptions& options = {});
    static SubwordTokenizer train(std::string_view corpus, const TrainTokenizerOptions& options = {});

    std::size_t size() const;
    std::optional<std::size_t> find(std::string_view token) const;
    /// Throws ArgumentError where there is none.
    std::size_t id(std::string_view token) const;
    /// As the vocabulary has it: of BPE with a letter in place of each byte, "Ġthe". Throws ArgumentError.
    const std::string& token(std::size_t id) const&;
    std::string token(std::size_t id) && { return std::as_const(*this).token(id); }
    bool is_special(std::size_t id) const;

    /// Throws DataError where the text is not UTF-8, ArgumentError where a byte has no token and there is none for what
    /// is unknown.
    std::vector<std::size_t> encode(std::string_view text, const EncodeOptions& options = {}) const;
    /// Tokens of BPE may end within a character. Throws ArgumentError where a number is that of no token.
    std::string decode(std::span<const std::size_t> ids, const DecodeOptions& options = {}) const;
    /// The same for numbers as records hold them: decode(dataset.input(0)).
    std::string decode(std::span<const float> ids, const DecodeOptions& options = {}) const;
    std::string decode(std::initializer_list<std::size_t> ids, const DecodeOptions& options = {}) const {
        return decode(std::span(ids.begin(), ids.size()), options);
    }

    /// A `tokenizer.json` as Hugging Face's tokenizers read it.
    std::string text() const;
    /// Throws StorageError.
    void save(const std::string& path) const;

    friend bool operator==(const SubwordTokenizer& a, const SubwordTokenizer& b) {
        return a.model_.get() == b.model_.get() || a.text() == b.text();
    }

    const detail::TokenizerModel& model() const& { return *model_; }

private:
    SubwordTokenizer(detail::TokenizerModel&& model, const std::string& name);

    sigma::detail::SharedOwner<const detail::TokenizerModel> model_;
};

}  // namespace sigma::data

namespace sigma::data::detail {

/// A text of any length as numbers, a piece after the other.
class TokenStream {
public:
    /// `name` is what errors call the text.
    TokenStream(const SubwordTokenizer& tokenizer, std::string name);
    ~TokenStream();
    TokenStream(const TokenStream&) = delete;
    TokenStream& operator=(const TokenStream&) = delete;

    /// Appends the numbers of what surely is cut there, whatever follows; at the end, of all the rest.
    void feed(std::string_view bytes, std::vector<std::size_t>& to);
    void finish(std::vector<std::size_t>& to);

private:
    struct State;
    sigma::detail::Owned<State> state_;
};

}  // namespace sigma::data::detail

#ifndef SIGMA_COMPILED
#include <sigma/data/text/impl/byte_pairs.ipp>
#include <sigma/data/text/impl/tokenizer.ipp>
#include <sigma/data/text/impl/tokenizer_file.ipp>
#include <sigma/data/text/impl/train_tokenizer.ipp>
#include <sigma/data/text/impl/word_pieces.ipp>
#endif
