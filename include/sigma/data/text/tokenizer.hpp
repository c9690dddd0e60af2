// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// `SubwordTokenizer`: byte-level BPE and WordPiece, as in Hugging Face's tokenizers. Include it yourself.

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

/// Options of `SubwordTokenizer::train`, which learns byte-level BPE (Sennrich et al. 2016; bytes as in Radford et al.
/// 2019).
///
/// @see SubwordTokenizer::train
struct TrainTokenizerOptions {
    /// Largest number of special tokens, the 256 bytes and merges together, from 256 + the special tokens to 2^24.
    /// Fewer if nothing is left to merge.
    std::size_t vocabulary_size = 30'000;
    std::size_t min_count = 2;  ///< Least count of a pair to be merged.
    /// Special tokens 0, 1, …, such as "<|endoftext|>", which stand for no text. Different, non-empty texts in UTF-8.
    std::vector<std::string> special{};
    bool add_prefix_space = false;  ///< Treats each text as if it began with a space.
};
/// Options of `SubwordTokenizer::word_pieces`: the rules for the tokens of a `vocab.txt` (Devlin et al. 2019).
///
/// @see SubwordTokenizer::word_pieces
struct WordPieceOptions {
    bool lower_case = true;               ///< Converts letters to lower case.
    std::optional<bool> strip_accents{};  ///< Removes accents. Default: if `lower_case`.
    bool clean_text = true;               ///< Removes control characters.
    bool space_chinese = true;            ///< Treats CJK characters as words.
};
/// Options of `SubwordTokenizer::encode`.
///
/// @see SubwordTokenizer::encode
struct EncodeOptions {
    bool special = false;  ///< Adds the tokens that the tokenizer puts around a text: [CLS] … [SEP].
};
/// Options of `SubwordTokenizer::decode`.
///
/// @see SubwordTokenizer::decode
struct DecodeOptions {
    bool special = false;  ///< Includes special tokens.
};

/// Converts texts to subword tokens and back, with the same results as Hugging Face's tokenizers with the same
/// `tokenizer.json`: byte-level BPE (GPT-2, RoBERTa) or WordPiece (BERT).
///
/// Copies share their data. Several threads may use one tokenizer.
///
/// @par Example
/// @code
/// using namespace sigma::data;
/// const auto tokenizer = SubwordTokenizer::load("tokenizer.json");
/// const auto own = SubwordTokenizer::train(file("corpus.txt"), {.vocabulary_size = 2000});
/// const std::string text = tokenizer.decode(tokenizer.encode("To be"));  // "To be"
/// @endcode
///
/// @see tokens, Vocabulary, docs/text.md
class SubwordTokenizer {
public:
    /// Reads a `tokenizer.json`.
    /// @param path  path of the file
    /// @return the tokenizer
    /// @throws DataError  if the file is no tokenizer, or uses a feature that is not supported
    static SubwordTokenizer load(const std::string& path);
    /// Reads a `tokenizer.json`.
    /// @param source  the bytes of the file
    /// @return the tokenizer
    /// @throws DataError  if the file is no tokenizer, or uses a feature that is not supported
    static SubwordTokenizer load(const Source& source);
    /// Reads the contents of a `tokenizer.json`.
    /// @param text  the contents
    /// @param name  name in errors, default "tokenizer"
    /// @return the tokenizer
    /// @throws DataError  if the text is no tokenizer, or uses a feature that is not supported
    static SubwordTokenizer parse(std::string_view text, const std::string& name = "tokenizer");
    /// Reads a WordPiece `vocab.txt`: one token a line, with [UNK] among them. [PAD], [UNK], [CLS], [SEP] and [MASK]
    /// become special tokens.
    /// @param vocabulary  the bytes of the file
    /// @param options     lower case, accents, control characters
    /// @return the tokenizer
    /// @throws DataError  if the file is no such vocabulary
    static SubwordTokenizer word_pieces(const Source& vocabulary, const WordPieceOptions& options = {});
    /// Learns a BPE tokenizer from a text.
    ///
    /// Merges the most frequent pair of tokens into one token, again and again; of equally frequent pairs, the one with
    /// the lowest numbers. Pairs lie within words of GPT-2's rule. Equal texts give equal tokenizers.
    /// @param corpus   the text, in UTF-8
    /// @param options  size of the vocabulary, least count, special tokens
    /// @return the tokenizer
    /// @throws DataError      if the text is not UTF-8
    /// @throws ArgumentError  if an option is out of range
    static SubwordTokenizer train(const Source& corpus, const TrainTokenizerOptions& options = {});
    /// @copydoc train(const Source&, const TrainTokenizerOptions&)
    static SubwordTokenizer train(std::string_view corpus, const TrainTokenizerOptions& options = {});

    /// Returns the number of tokens.
    std::size_t size() const;
    /// Returns the number of a token, or nothing if there is no such token.
    /// @param token  the token, as in the vocabulary
    std::optional<std::size_t> find(std::string_view token) const;
    /// Returns the number of a token.
    /// @param token  the token, as in the vocabulary
    /// @throws ArgumentError  if there is no such token
    std::size_t id(std::string_view token) const;
    /// Returns a token as in the vocabulary: with BPE, a letter stands for each byte, as in "Ġthe".
    /// @param id  number of the token, from 0
    /// @throws ArgumentError  if there is no such token
    const std::string& token(std::size_t id) const&;
    /// @copydoc token
    std::string token(std::size_t id) && { return std::as_const(*this).token(id); }
    /// Returns whether a token is special, which means that it stands for no text.
    /// @param id  number of the token, from 0
    bool is_special(std::size_t id) const;

    /// Converts a text to the numbers of its tokens.
    /// @param text     the text, in UTF-8
    /// @param options  whether to add special tokens around the text
    /// @return numbers of tokens
    /// @throws DataError      if the text is not UTF-8
    /// @throws ArgumentError  if a byte has no token and there is no token for unknown text
    std::vector<std::size_t> encode(std::string_view text, const EncodeOptions& options = {}) const;
    /// Converts numbers of tokens to a text. Tokens of BPE may end within a character.
    /// @param ids      numbers of tokens
    /// @param options  whether to include special tokens
    /// @return the text
    /// @throws ArgumentError  if a number is that of no token
    std::string decode(std::span<const std::size_t> ids, const DecodeOptions& options = {}) const;
    /// Converts numbers of tokens to a text, as records hold them: `decode(dataset.input(0))`.
    /// @param ids      numbers of tokens
    /// @param options  whether to include special tokens
    /// @return the text
    /// @throws ArgumentError  if a number is that of no token
    std::string decode(std::span<const float> ids, const DecodeOptions& options = {}) const;
    /// @copydoc decode(std::span<const std::size_t>, const DecodeOptions&) const
    std::string decode(std::initializer_list<std::size_t> ids, const DecodeOptions& options = {}) const {
        return decode(std::span(ids.begin(), ids.size()), options);
    }

    /// Returns the contents of a `tokenizer.json` that Hugging Face's tokenizers read.
    std::string text() const;
    /// Writes a `tokenizer.json`.
    /// @param path  path of the file, which is replaced as a whole
    /// @throws StorageError  if the file cannot be written
    void save(const std::string& path) const;

    /// Returns whether both are the same tokenizer or have the same contents.
    /// @param left  one tokenizer
    /// @param right  the other one
    friend bool operator==(const SubwordTokenizer& left, const SubwordTokenizer& right) {
        return left.model_.get() == right.model_.get() || left.text() == right.text();
    }

    /// @cond internal
    const detail::TokenizerModel& model() const& { return *model_; }
    /// @endcond

private:
    SubwordTokenizer(detail::TokenizerModel&& model, const std::string& name);

    sigma::detail::SharedOwner<const detail::TokenizerModel> model_;
};

}  // namespace sigma::data

namespace sigma::data::detail {

/// Converts a text of any length to numbers, a piece at a time.
class TokenStream {
public:
    /// Constructs a stream. `name` is the name of the text in errors.
    TokenStream(const SubwordTokenizer& tokenizer, std::string name);
    ~TokenStream();
    TokenStream(const TokenStream&) = delete;
    TokenStream& operator=(const TokenStream&) = delete;

    /// Appends the numbers of everything that is certain to be cut there, whatever follows; `finish`, those of the
    /// rest.
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
