// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/data/text/pieces.hpp>
#include <sigma/data/text/tokenizer.hpp>
#include <sigma/data/text/tokenizer_model.hpp>
#include <sigma/data/text/vocabulary.hpp>
#include <sigma/storage/utf8.hpp>
#include <sigma/storage/workspace.hpp>

#include <unictype.h>
#include <uninorm.h>
#include <algorithm>
#include <cmath>
#include <memory>
#include <new>
#include <ranges>

namespace sigma::data::detail {

SIGMA_IMPL void require_utf8(std::string_view text, const std::string& name, std::uint64_t first) {
    if (const std::size_t fault = storage::utf8_fault(text); fault != text.npos)
        throw DataError(name, sentence("byte ", first + fault), "a character of UTF-8",
                        storage::quotation(text.substr(fault, 4)));
}

SIGMA_IMPL bool is_ascii(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

/// Calls f(character, its bytes) for each character.
template <class F>
void each_character(std::string_view text, F f) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = storage::utf8_length(text.substr(at, 4));
        f(storage::utf8_character(text.substr(at)), text.substr(at, length));
        at += length;
    }
}

SIGMA_IMPL std::string in_form(std::string_view text, const char* form) {
    if (is_ascii(text)) return std::string(text);
    const std::string_view word(form);
    const ::uninorm_t of = word == "NFC"    ? UNINORM_NFC
                           : word == "NFD"  ? UNINORM_NFD
                           : word == "NFKC" ? UNINORM_NFKC
                                            : UNINORM_NFKD;
    std::size_t size = 0;
    const std::unique_ptr<std::uint8_t, decltype(&std::free)> made(
        ::u8_normalize(of, reinterpret_cast<const std::uint8_t*>(text.data()), text.size(), nullptr, &size),
        &std::free);
    if (!made) throw std::bad_alloc();
    return {reinterpret_cast<const char*>(made.get()), size};
}

/// Returns whether a character is in the blocks of CJK ideographs that BERT names.
SIGMA_IMPL bool is_ideograph(std::uint32_t c) {
    constexpr std::pair<std::uint32_t, std::uint32_t> blocks[] = {
        {0x4E00, 0x9FFF},   {0x3400, 0x4DBF},   {0x20000, 0x2A6DF}, {0x2A700, 0x2B73F},
        {0x2B740, 0x2B81F}, {0x2B920, 0x2CEAF}, {0xF900, 0xFAFF},   {0x2F800, 0x2FA1F}};
    return std::ranges::any_of(blocks, [c](const auto& b) { return c >= b.first && c <= b.second; });
}

SIGMA_IMPL std::string with_replaced(std::string text, const std::string& what, const std::string& by) {
    if (what.empty()) return text;
    std::string result;
    std::size_t from = 0;
    for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, from)) {
        result.append(text, from, at - from) += by;
        from = at + what.size();
    }
    return result.append(text, from);
}

SIGMA_IMPL std::string normalized(const TextRules& rules, std::string_view original) {
    if (!rules.replaced.empty() || !rules.prepended.empty()) {
        std::string text = (original.empty() ? "" : rules.prepended) + std::string(original);
        for (const auto& [what, by] : rules.replaced) text = with_replaced(std::move(text), what, by);
        return text;
    }
    if (rules.form != nullptr) return in_form(original, rules.form);
    std::string text;
    const std::uint32_t others = UC_CATEGORY_MASK_Cc | UC_CATEGORY_MASK_Cf | UC_CATEGORY_MASK_Co | UC_CATEGORY_MASK_Cs;
    each_character(original, [&](std::uint32_t c, std::string_view bytes) {
        const bool space = is_space(c);
        if (rules.clean && (c == 0 || c == 0xFFFD ||
                            (c != '\t' && c != '\n' && c != '\r' && ::uc_is_general_category_withtable(c, others))))
            return;
        const bool apart = rules.space_chinese && is_ideograph(c);
        if (apart) text += ' ';
        if (rules.clean && space) text += ' ';
        else text += bytes;
        if (apart) text += ' ';
    });
    if (rules.strip_accents) {
        const std::string apart = in_form(text, "NFD");
        text.clear();
        each_character(apart, [&](std::uint32_t c, std::string_view bytes) {
            if (!::uc_is_general_category_withtable(c, UC_CATEGORY_MASK_Mn)) text += bytes;
        });
    }
    if (rules.lower_case) {
        const std::string cased = std::move(text);
        text.clear();
        each_character(cased, [&](std::uint32_t c, std::string_view bytes) {
            if (c == 0x130) text += "i\xCC\x87";  // the only letter with a small letter of two characters
            else append_lower_character(text, bytes);
        });
    }
    return text;
}

/// Finds added tokens in a text: those for the text as it is, or those for the normalized text.
class AddedTokens {
public:
    /// Calls visit_text(text) and visit_token(number) in order.
    template <class VisitText, class VisitToken>
    static void split(const TokenizerModel& model, std::string_view text, bool normalized, VisitText visit_text,
                      VisitToken visit_token) {
        std::size_t from = 0;
        for (std::size_t at = 0; !model.added.empty() && at < text.size();) {
            const AddedToken* const found = at_front(model, text.substr(at), normalized);
            if (found == nullptr) {
                ++at;
                continue;
            }
            std::size_t first = at, last = at += found->wanted.size();
            if (found->single_word && !stands_alone(text, first, last)) continue;
            if (found->lstrip) first = from + without_space_behind(text.substr(from, first - from));
            if (found->rstrip) at = last = without_space_before(text, last);
            if (from < first) visit_text(text.substr(from, first - from));
            visit_token(found->id);
            from = last;
        }
        if (from < text.size()) visit_text(text.substr(from));
    }

private:
    static const AddedToken* at_front(const TokenizerModel& model, std::string_view text, bool normalized) {
        // The tokens with which the text begins, as far as it goes; the shortest of them comes first.
        std::span<const std::uint32_t> left = model.in_order_[normalized];
        const AddedToken* found = nullptr;
        for (std::size_t at = 0; !left.empty(); ++at) {
            if (const AddedToken& first = model.added[left.front()]; first.wanted.size() == at) {
                found = &first;
                while (!left.empty() && model.added[left.front()].wanted.size() == at) left = left.subspan(1);
            }
            if (at == text.size()) break;
            const auto next = static_cast<unsigned char>(text[at]);
            const auto byte = [&](std::uint32_t i) { return static_cast<unsigned char>(model.added[i].wanted[at]); };
            const auto from = std::partition_point(left.begin(), left.end(), [&](auto i) { return byte(i) < next; });
            const auto to = std::partition_point(from, left.end(), [&](auto i) { return byte(i) == next; });
            left = left.subspan(static_cast<std::size_t>(from - left.begin()), static_cast<std::size_t>(to - from));
        }
        return found;
    }
    /// Returns whether no letter, digit or mark stands on either side.
    static bool stands_alone(std::string_view text, std::size_t first, std::size_t last) {
        const auto in_word = [&](std::size_t at) {
            const std::uint32_t c = storage::utf8_character(text.substr(at));
            return ::uc_is_property_alphabetic(c) || ::uc_is_property_join_control(c) ||
                   ::uc_is_general_category_withtable(c,
                                                      UC_CATEGORY_MASK_M | UC_CATEGORY_MASK_Nd | UC_CATEGORY_MASK_Pc);
        };
        return !(first > 0 && in_word(first - length_before(text, first))) && !(last < text.size() && in_word(last));
    }
    static std::size_t without_space_behind(std::string_view text) {
        std::size_t at = text.size();
        while (at > 0) {
            const std::size_t before = at - length_before(text, at);
            if (!is_space(storage::utf8_character(text.substr(before)))) break;
            at = before;
        }
        return at;
    }
    static std::size_t without_space_before(std::string_view text, std::size_t at) {
        while (at < text.size() && is_space(storage::utf8_character(text.substr(at))))
            at += storage::utf8_length(text.substr(at, 4));
        return at;
    }
};

SIGMA_IMPL std::size_t TokenizerModel::of_vocabulary(std::string_view token) const {
    const auto found = ids.find(token);
    return found == ids.end() || only_added_[found->second] ? no_token : found->second;
}

SIGMA_IMPL void TokenizerModel::complete(const std::string& name) {
    special.assign(tokens.size(), false);
    only_added_.assign(tokens.size(), false);
    as_written.assign(tokens.size(), false);
    for (std::size_t i = 0; i < added.size(); ++i) {
        AddedToken& a = added[i];
        special[a.id] = a.special;
        only_added_[a.id] = !a.in_vocabulary;
        as_written[a.id] = !(a.in_vocabulary && whole_words_first);
        a.wanted = a.normalized ? normalized(rules, a.content) : a.content;
        if (!a.wanted.empty()) in_order_[a.normalized].push_back(static_cast<std::uint32_t>(i));
    }
    for (auto& tokens_in_order : in_order_)
        std::ranges::sort(tokens_in_order, [&](std::uint32_t a, std::uint32_t b) {
            return added[a].wanted != added[b].wanted ? added[a].wanted < added[b].wanted : a < b;
        });
    if (!unknown.empty()) {
        unknown_id = of_vocabulary(unknown);
        if (unknown_id == no_token)
            throw DataError(name, "", sentence("the token ", storage::quotation(unknown), " for unknown text"), "none");
    }
    for (std::size_t id = 0; id < tokens.size(); ++id)
        if (!only_added_[id]) longest_token = std::max(longest_token, tokens[id].size());
    if (word_pieces) return;
    for (std::size_t b = 0; b < 256; ++b) {
        of_byte[b] = of_vocabulary(
            by_characters ? token_of_byte(static_cast<unsigned char>(b))
                          : letters_of_bytes(std::string(1, static_cast<char>(static_cast<unsigned char>(b)))));
        if (of_byte[b] != no_token) as_written[of_byte[b]] = false;
    }
    for (std::size_t rank = 0; rank < pairs.size(); ++rank) {
        const auto [left, right] = pairs[rank];
        const std::size_t joined = of_vocabulary(tokens[left] + tokens[right]);
        if (joined == no_token)
            throw DataError(name, sentence("merge ", rank), "two tokens that form a token of the vocabulary",
                            storage::quotation(tokens[left] + tokens[right]));
        as_written[joined] = false;
        merges.try_emplace(both(left, right),
                           Merge{static_cast<std::uint32_t>(rank), static_cast<std::uint32_t>(joined)});
    }
}

SIGMA_IMPL void encode_text(const TokenizerModel& model, std::string_view text, bool& begins, WordCache& cache,
                            std::vector<std::size_t>& to) {
    const auto add_token = [&](std::size_t id) {
        to.push_back(id);
        begins = true;
    };
    const auto add_words = [&](std::string_view part) {
        if (model.word_pieces) encode_by_pieces(model, part, cache, to);
        else encode_by_pairs(model, part, begins, cache, to);
        begins = false;
    };
    const TextRules& rules = model.rules;
    const bool changes = rules.clean || rules.space_chinese || rules.strip_accents || rules.lower_case ||
                         rules.form != nullptr || !rules.replaced.empty() || !rules.prepended.empty();
    AddedTokens::split(
        model, text, false,
        [&](std::string_view part) {
            const std::string changed = changes ? normalized(rules, part) : std::string();
            AddedTokens::split(model, changes ? changed : part, true, add_words, add_token);
        },
        add_token);
}

SIGMA_IMPL std::size_t last_cut(std::string_view text) {
    for (std::size_t at = text.size(); at-- > 1;) {
        const auto byte = static_cast<unsigned char>(text[at]);
        if (byte >= 0x80 || !is_space(byte)) continue;
        // Invalid UTF-8 is rejected when the part is encoded.
        const std::string_view before = text.substr(at - length_before(text, at));
        if (storage::utf8_length(before.substr(0, 4)) == 0 || !is_space(storage::utf8_character(before))) return at;
    }
    return 0;
}

SIGMA_IMPL void require_white_space(const std::string& name, std::uint64_t byte, std::size_t waiting) {
    constexpr std::size_t longest = std::size_t{1} << 20;
    if (waiting > longest)
        throw DataError(name, sentence("byte ", byte), sentence("white space within ", longest, " bytes"), "none");
}

/// The state of a stream. Texts are cut at white space, unless an added token contains white space or includes the
/// white space after it: such a text is one piece.
struct TokenStream::State {
    SubwordTokenizer tokenizer;
    std::string name, rest = {};
    WordCache cache = {};
    std::uint64_t position = 0;
    bool begins = true, in_pieces = true;
};

SIGMA_IMPL TokenStream::TokenStream(const SubwordTokenizer& tokenizer, std::string name)
    : state_(new State{.tokenizer = tokenizer, .name = std::move(name)}) {
    // A pattern may depend on both sides of a space, and a text without words is one piece.
    state_->in_pieces = tokenizer.model().cuts.empty() && !tokenizer.model().by_characters;
    for (const AddedToken& a : tokenizer.model().added)
        each_character(a.content, [&](std::uint32_t c, std::string_view) {
            if (a.rstrip || is_space(c)) state_->in_pieces = false;
        });
}
SIGMA_IMPL TokenStream::~TokenStream() = default;

SIGMA_IMPL void TokenStream::feed(std::string_view bytes, std::vector<std::size_t>& to) {
    State& s = *state_;
    s.rest += bytes;
    const std::size_t end = s.in_pieces ? last_cut(s.rest) : 0;
    if (s.in_pieces) require_white_space(s.name, s.position + end, s.rest.size() - end);
    constexpr std::size_t most = std::size_t{1} << 28;
    if (s.rest.size() > most)
        throw DataError(s.name, "",
                        sentence("a text of at most ", most, " bytes for a tokenizer of added tokens with spaces"),
                        "a longer text");
    if (end == 0) return;
    const std::string_view text = std::string_view(s.rest).substr(0, end);
    require_utf8(text, s.name, s.position);
    encode_text(s.tokenizer.model(), text, s.begins, s.cache, to);
    s.rest.erase(0, end);
    s.position += end;
}
SIGMA_IMPL void TokenStream::finish(std::vector<std::size_t>& to) {
    State& s = *state_;
    require_utf8(s.rest, s.name, s.position);
    encode_text(s.tokenizer.model(), s.rest, s.begins, s.cache, to);
    s.rest.clear();
}

}  // namespace sigma::data::detail

namespace sigma::data {

SIGMA_IMPL SubwordTokenizer::SubwordTokenizer(detail::TokenizerModel&& model, const std::string& name) {
    model.complete(name);
    model_ = sigma::detail::SharedOwner<const detail::TokenizerModel>::make(std::move(model));
}

SIGMA_IMPL std::size_t SubwordTokenizer::size() const { return model_->tokens.size(); }
SIGMA_IMPL std::optional<std::size_t> SubwordTokenizer::find(std::string_view token) const {
    const auto found = model_->ids.find(token);
    return found == model_->ids.end() ? std::nullopt : std::optional(found->second);
}
SIGMA_IMPL std::size_t SubwordTokenizer::id(std::string_view token) const {
    if (const auto found = find(token)) return *found;
    throw ArgumentError("token", sentence("one of the ", size(), " of the tokenizer"), storage::quotation(token));
}
SIGMA_IMPL const std::string& SubwordTokenizer::token(std::size_t id) const& {
    if (id >= size()) throw ArgumentError("token", sentence("a number below ", size()), sentence(id));
    return model_->tokens[id];
}
SIGMA_IMPL bool SubwordTokenizer::is_special(std::size_t id) const { return id < size() && model_->special[id]; }

SIGMA_IMPL std::vector<std::size_t> SubwordTokenizer::encode(std::string_view text,
                                                             const EncodeOptions& options) const {
    detail::require_utf8(text, "text", 0);
    std::vector<std::size_t> ids;
    if (options.special) ids = model_->front;
    detail::WordCache cache;
    bool begins = true;
    detail::encode_text(*model_, text, begins, cache, ids);
    if (options.special) ids.insert(ids.end(), model_->back.begin(), model_->back.end());
    return ids;
}

SIGMA_IMPL std::string SubwordTokenizer::decode(std::span<const std::size_t> ids, const DecodeOptions& options) const {
    std::string text;
    bool first = true;
    std::vector<std::string_view> tokens;
    for (const std::size_t id : ids) {
        const std::string& known = token(id);
        if (is_special(id) && !options.special) continue;
        if (model_->by_characters) {
            tokens.push_back(known);
            continue;
        }
        if (model_->word_pieces) detail::append_piece(*model_, text, known, std::exchange(first, false));
        else if (model_->as_written[id]) text += known;
        else detail::append_bytes_of_letters(text, known);
    }
    detail::append_characters(*model_, text, tokens);
    return text;
}
SIGMA_IMPL std::string SubwordTokenizer::decode(std::span<const float> ids, const DecodeOptions& options) const {
    std::vector<std::size_t> numbers;
    for (const float id : ids) {
        if (!(id >= 0 && id < static_cast<float>(size()) && std::floor(id) == id))
            throw ArgumentError("token", sentence("a whole number below ", size()), sentence(id));
        numbers.push_back(static_cast<std::size_t>(id));
    }
    return decode(numbers, options);
}

SIGMA_IMPL std::string SubwordTokenizer::text() const { return detail::tokenizer_text(*model_); }
SIGMA_IMPL void SubwordTokenizer::save(const std::string& path) const {
    const std::string all = text();
    write_file_atomically(path, std::as_bytes(std::span(all)));
}

namespace detail {
/// The limit of a file that is read, in bytes. Published files have 10 to 40 MB.
inline constexpr std::size_t largest_tokenizer = std::size_t{1} << 28;
}  // namespace detail

SIGMA_IMPL SubwordTokenizer SubwordTokenizer::load(const Source& source) {
    return parse(read_text(source, detail::largest_tokenizer), source.name());
}
SIGMA_IMPL SubwordTokenizer SubwordTokenizer::load(const std::string& path) {
    return parse(read_text(file(storage::placed(path)), detail::largest_tokenizer), path);
}
SIGMA_IMPL SubwordTokenizer SubwordTokenizer::parse(std::string_view text, const std::string& name) {
    return {detail::parse_tokenizer(text, name), name};
}
SIGMA_IMPL SubwordTokenizer SubwordTokenizer::word_pieces(const Source& vocabulary, const WordPieceOptions& options) {
    const std::string name = vocabulary.name();
    return {detail::parse_word_pieces(read_text(vocabulary, detail::largest_tokenizer), name, options), name};
}

}  // namespace sigma::data
