// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/data/text/pieces.hpp>
#include <sigma/data/text/tokenizer.hpp>
#include <sigma/data/text/tokenizer_model.hpp>
#include <sigma/data/text/vocabulary.hpp>
#include <sigma/storage/utf8.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace sigma::data::detail {

/// Counts words of a text by GPT-2's rule.
class WordCounter {
public:
    explicit WordCounter(std::string name) : name_(std::move(name)) {}

    void feed(std::string_view bytes) {
        rest_ += bytes;
        const std::size_t end = last_cut(rest_);
        require_white_space(name_, position_ + end, rest_.size() - end);
        count(end);
    }
    /// Returns words in the order of their bytes, whatever the order in which they were found.
    std::vector<std::pair<std::string, std::int64_t>> finish() {
        count(rest_.size());
        std::vector<std::pair<std::string, std::int64_t>> all(counts_.begin(), counts_.end());
        std::ranges::sort(all);
        return all;
    }

private:
    void count(std::size_t end) {
        const std::string_view text = std::string_view(rest_).substr(0, end);
        require_utf8(text, name_, position_);
        for (std::size_t at = 0; at < end;) {
            const std::size_t last = end_of_gpt2_word(text, at);
            const std::string_view word = text.substr(at, last - at);
            if (const auto known = counts_.find(word); known != counts_.end()) ++known->second;
            else counts_.emplace(word, 1);
            at = last;
        }
        position_ += end;
        rest_.erase(0, end);
    }

    std::string name_, rest_;
    std::uint64_t position_ = 0;
    std::unordered_map<std::string, std::int64_t, TextHash, std::equal_to<>> counts_;
};

/// Learns merges. Keeps words as tokens, and counts and words of each pair of neighbors.
class PairLearner {
public:
    PairLearner(TokenizerModel& model, std::vector<std::pair<std::string, std::int64_t>> counted) : model_(model) {
        words_.reserve(counted.size());
        for (const auto& [word, count] : counted) {
            std::vector<std::uint32_t> tokens;
            for (const char c : word)
                tokens.push_back(static_cast<std::uint32_t>(model.ids.at(letters_of_bytes({&c, 1}))));
            words_.push_back({std::move(tokens), count});
            count_pairs(words_.size() - 1, 1);
            find_pairs(words_.size() - 1, any);
        }
        propose_changed();
    }
    void learn(std::size_t size, std::int64_t min_count) {
        while (model_.tokens.size() < size && !waiting_.empty()) {
            const Proposal top = waiting_.top();
            waiting_.pop();
            Pair& pair = pairs_[top.tokens];
            if (top.count != pair.count) {  // it has become less frequent since
                if (pair.count > 0) waiting_.push({pair.count, top.tokens});
                continue;
            }
            if (top.count < min_count) break;
            merge(top.tokens, pair);
        }
    }

private:
    static constexpr std::uint32_t any = ~std::uint32_t{0};
    struct Word {
        std::vector<std::uint32_t> tokens;
        std::int64_t count;
    };
    struct Pair {
        std::int64_t count = 0;
        std::vector<std::size_t> words{};  ///< words that have or had this pair
        bool merged = false;
    };
    struct Proposal {
        std::int64_t count;
        std::uint64_t tokens;
        bool operator<(const Proposal& other) const {
            return count != other.count ? count < other.count : tokens > other.tokens;
        }
    };

    void merge(std::uint64_t tokens, Pair& pair) {
        const auto left = static_cast<std::uint32_t>(tokens >> 32), right = static_cast<std::uint32_t>(tokens);
        const std::string joined = model_.tokens[left] + model_.tokens[right];
        const auto [known, fresh] = model_.ids.try_emplace(joined, model_.tokens.size());
        if (fresh) model_.tokens.push_back(joined);
        if (!std::exchange(pair.merged, true)) model_.pairs.emplace_back(left, right);
        const auto token = static_cast<std::uint32_t>(known->second);
        std::vector<std::size_t> in = std::exchange(pair.words, {});  // because `pair` may move
        std::ranges::sort(in);
        in.erase(std::unique(in.begin(), in.end()), in.end());
        for (const std::size_t w : in) {
            std::vector<std::uint32_t>& word = words_[w].tokens;
            count_pairs(w, -1);
            std::size_t to = 0;
            for (std::size_t i = 0; i < word.size(); ++i) {
                const bool both = i + 1 < word.size() && word[i] == left && word[i + 1] == right;
                word[to++] = both ? token : word[i];
                i += both;
            }
            word.resize(to);
            count_pairs(w, 1);
            find_pairs(w, token);
        }
        propose_changed();
    }
    void count_pairs(std::size_t w, int sign) {
        const auto& [word, count] = words_[w];
        for (std::size_t i = 0; i + 1 < word.size(); ++i) pairs_[both(word[i], word[i + 1])].count += sign * count;
    }
    /// Adds pairs with this token, which may have become more frequent.
    void find_pairs(std::size_t w, std::uint32_t token) {
        const std::vector<std::uint32_t>& word = words_[w].tokens;
        for (std::size_t i = 0; i + 1 < word.size(); ++i) {
            if (token != any && word[i] != token && word[i + 1] != token) continue;
            const std::uint64_t tokens = both(word[i], word[i + 1]);
            std::vector<std::size_t>& words = pairs_[tokens].words;
            if (words.empty() || words.back() != w) words.push_back(w);
            changed_.push_back(tokens);
        }
    }
    void propose_changed() {
        std::ranges::sort(changed_);
        changed_.erase(std::unique(changed_.begin(), changed_.end()), changed_.end());
        for (const std::uint64_t tokens : changed_) waiting_.push({pairs_[tokens].count, tokens});
        changed_.clear();
    }

    TokenizerModel& model_;
    std::vector<Word> words_;
    std::unordered_map<std::uint64_t, Pair> pairs_;
    std::priority_queue<Proposal> waiting_;
    std::vector<std::uint64_t> changed_;
};

SIGMA_IMPL TokenizerModel begun_model(const TrainTokenizerOptions& options) {
    TokenizerModel model;
    model.add_prefix_space = options.add_prefix_space;
    for (const std::string& token : options.special) {
        if (token.empty() || storage::utf8_fault(token) != token.npos ||
            !model.ids.try_emplace(token, model.tokens.size()).second)
            throw ArgumentError("special tokens", "different, non-empty texts", storage::quotation(token));
        model.added.push_back(
            {.content = token, .id = model.tokens.size(), .normalized = false, .special = true, .in_vocabulary = true});
        model.tokens.push_back(token);
    }
    std::vector<std::string> letters;
    for (std::size_t byte = 0; byte < 256; ++byte)
        letters.push_back(letters_of_bytes(std::string(1, static_cast<char>(static_cast<unsigned char>(byte)))));
    std::ranges::sort(letters);  // bytes of UTF-8, by their numbers
    for (std::string& letter : letters) {
        if (!model.ids.try_emplace(letter, model.tokens.size()).second)
            throw ArgumentError("special tokens", "tokens other than the letters of bytes", storage::quotation(letter));
        model.tokens.push_back(std::move(letter));
    }
    if (options.vocabulary_size < model.tokens.size() || options.vocabulary_size > largest_vocabulary)
        throw ArgumentError("training of a tokenizer",
                            sentence("a vocabulary_size from ", model.tokens.size(),
                                     " (the bytes and special tokens) to ", largest_vocabulary),
                            sentence(options.vocabulary_size));
    return model;
}

SIGMA_IMPL TokenizerModel trained(TokenizerModel model, WordCounter& words, const TrainTokenizerOptions& options) {
    const auto most = static_cast<std::size_t>(std::numeric_limits<std::int64_t>::max());
    PairLearner(model, words.finish())
        .learn(options.vocabulary_size, static_cast<std::int64_t>(std::clamp(options.min_count, std::size_t{1}, most)));
    return model;
}

}  // namespace sigma::data::detail

namespace sigma::data {

SIGMA_IMPL SubwordTokenizer SubwordTokenizer::train(const Source& corpus, const TrainTokenizerOptions& options) {
    auto model = detail::begun_model(options);
    detail::WordCounter words(corpus.name());
    detail::each_piece(corpus, [&](std::string_view piece) { words.feed(piece); });
    return {detail::trained(std::move(model), words, options), corpus.name()};
}
SIGMA_IMPL SubwordTokenizer SubwordTokenizer::train(std::string_view corpus, const TrainTokenizerOptions& options) {
    auto model = detail::begun_model(options);
    detail::WordCounter words("text");
    for (; !corpus.empty(); corpus.remove_prefix(std::min(corpus.size(), std::size_t{1} << 16)))
        words.feed(corpus.substr(0, std::size_t{1} << 16));
    return {detail::trained(std::move(model), words, options), "text"};
}

}  // namespace sigma::data
