// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/data/text/tokenizer.hpp>
#include <sigma/data/text/tokenizer_model.hpp>
#include <sigma/data/text/vocabulary.hpp>
#include <sigma/storage/json.hpp>
#include <sigma/storage/utf8.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// A `tokenizer.json` of Hugging Face's tokenizers 0.20 and earlier: an object with the members added_tokens,
// normalizer, pre_tokenizer, post_processor, decoder and model. Other members (truncation, padding) are ignored.

namespace sigma::data::detail {

/// A small part of the file: a value and the values in it.
struct JsonValue {
    enum class Kind : char { nothing, no, yes, number, other_number, text, list, object };
    Kind kind = Kind::nothing;
    std::size_t byte = 0;  ///< position of its first byte
    std::uint64_t number = 0;
    std::string text{};
    std::vector<std::pair<std::string, JsonValue>> members{};  ///< members, or elements of a list, without names

    const JsonValue* find(std::string_view name) const {
        for (const auto& [member, value] : members)
            if (member == name && kind == Kind::object) return &value;
        return nullptr;
    }
    bool nothing() const { return kind == Kind::nothing; }
};
/// The names of the kinds in errors.
inline constexpr std::array<std::string_view, 8> json_kinds{"null",     "false",  "true",   "a whole number",
                                                            "a number", "a text", "a list", "an object"};

/// The names of Cut::Matches.
inline constexpr std::string_view cut_names[] = {"Removed", "Isolated", "MergedWithPrevious", "MergedWithNext",
                                                 "Contiguous"};

class TokenizerReader {
public:
    TokenizerReader(std::string_view text, const std::string& name) : name_(name), in_(text, name, 0, "the text") {}

    TokenizerModel read() {
        JsonValue parts[5];
        constexpr std::string_view names[] = {"added_tokens", "normalizer", "pre_tokenizer", "post_processor",
                                              "decoder"};
        bool has_model = false;
        members([&](const std::string& member) {
            if (const auto at = std::ranges::find(names, member); at != std::end(names)) {
                parts[at - names] = value(1);
            } else if (member == "model") {
                has_model = true;
                read_model();
            } else {
                value(1);
            }
        });
        in_.skip_blanks();
        if (!in_.at_end()) in_.refuse("the end of the text");
        if (!has_model) throw DataError(name_, "", "a model of a tokenizer", "none");
        number_tokens(parts[0]);
        normalizer(parts[1]);
        pre_tokenizer(parts[2]);
        post_processor(parts[3], true);
        decoder(parts[4]);
        return std::move(model_);
    }

private:
    // The text is read once. Values are at most most_deep deep, and most_values of them are kept.
    static constexpr int most_deep = 32;
    static constexpr std::size_t most_values = std::size_t{1} << 20;
    // The limits ensure that no file makes encoding excessively slow.
    static constexpr std::size_t longest_added = 1024, longest_word_in_pieces = 1000;

    template <class F>
    void members(F f) {
        in_.take('{');
        if (in_.take_if('}')) return;
        do {
            const std::string member = in_.string("a name in quotes");
            in_.take(':');
            f(member);
        } while (in_.take_if(','));
        in_.take('}');
    }
    template <class F>
    void elements(F f) {
        in_.take('[');
        if (in_.take_if(']')) return;
        do f();
        while (in_.take_if(','));
        in_.take(']');
    }
    JsonValue value(int depth) {
        if (depth > most_deep) in_.refuse(sentence("values within values at most ", most_deep, " deep"));
        if (++values_ > most_values) in_.refuse(sentence("at most ", most_values, " values beside the vocabulary"));
        in_.skip_blanks();
        JsonValue v;
        v.byte = in_.position();
        const char next = in_.at_end() ? '\0' : in_.rest()[0];
        if (next == '{') {
            v.kind = JsonValue::Kind::object;
            members([&](const std::string& member) { v.members.emplace_back(member, value(depth + 1)); });
        } else if (next == '[') {
            v.kind = JsonValue::Kind::list;
            elements([&] { v.members.emplace_back("", value(depth + 1)); });
        } else if (next == '"') {
            v.kind = JsonValue::Kind::text;
            v.text = in_.string("a text");
        } else if (next == '-' || (next >= '0' && next <= '9')) {
            number(v);
        } else {
            std::size_t word = 0;
            while (word < 3 && !in_.rest().starts_with(json_kinds[word])) ++word;
            if (word == 3) in_.refuse("a value");
            v.kind = static_cast<JsonValue::Kind>(word);
            for (const char c : json_kinds[word]) in_.take(c);
        }
        return v;
    }
    void number(JsonValue& v) {
        const std::string_view digits = in_.rest().substr(0, in_.rest().find_first_not_of("+-.0123456789eE"));
        if (digits.find_first_of("+-.eE") == digits.npos) {
            v.kind = JsonValue::Kind::number;
            v.number = in_.number();
            return;
        }
        v.kind = JsonValue::Kind::other_number;
        for (const char c : digits) in_.take(c);
    }

    void read_model() {
        bool has_vocabulary = false, has_merges = false;
        JsonValue options;
        options.kind = JsonValue::Kind::object;
        members([&](const std::string& member) {
            in_.skip_blanks();
            const char next = in_.at_end() ? '\0' : in_.rest()[0];
            if (member == "vocab" && next == '{') {
                has_vocabulary = true;
                members([&](const std::string& token) {
                    const std::size_t at = in_.position();
                    const std::uint64_t id = in_.number();
                    if (id >= largest_vocabulary)
                        in_.refuse(at, sentence("a number below ", largest_vocabulary), sentence(id));
                    add_token(token, static_cast<std::size_t>(id), at);
                });
            } else if (member == "merges" && next == '[') {
                has_merges = true;
                elements([&] { merges_.push_back(read_merge()); });
            } else {
                options.members.emplace_back(member, value(2));
            }
        });
        if (const JsonValue* const type = options.find("type")) {
            constexpr std::string_view known[] = {"BPE", "WordPiece"};
            model_.word_pieces = one_of(*type, "a model BPE or WordPiece", known) == 1;
        } else {
            model_.word_pieces = !has_merges;
        }
        if (!has_vocabulary || has_merges == model_.word_pieces)
            throw DataError(name_, "", model_.word_pieces ? "a vocabulary without merges" : "a vocabulary and merges",
                            !has_vocabulary ? "no vocabulary"
                            : has_merges    ? "merges"
                                            : "no merges");
        if (const JsonValue* const unknown = options.find("unk_token"))
            if (!unknown->nothing()) model_.unknown = text(*unknown);
        if (model_.word_pieces) {
            if (const JsonValue* const prefix = options.find("continuing_subword_prefix"))
                model_.prefix = text(*prefix);
            if (const JsonValue* const most = options.find("max_input_chars_per_word"))
                model_.most_characters = characters_of(*most);
            if (model_.unknown.empty()) throw DataError(name_, "", "a token for unknown text", "none");
            return;
        }
        for (const std::string_view option : {"dropout", "continuing_subword_prefix", "end_of_word_suffix"})
            refuse_use(options, option);
        model_.by_characters = flag(options, "byte_fallback", false);
        model_.one_unknown = model_.by_characters && flag(options, "fuse_unk", false);
        if (!model_.by_characters) refuse_use(options, "fuse_unk");
        model_.whole_words_first = flag(options, "ignore_merges", false);
    }
    std::size_t characters_of(const JsonValue& most) const {
        if (expect(most, JsonValue::Kind::number).number > longest_word_in_pieces)
            refuse(most, sentence("words of at most ", longest_word_in_pieces, " characters"));
        return static_cast<std::size_t>(most.number);
    }
    std::pair<std::string, std::string> read_merge() {
        in_.skip_blanks();
        const std::size_t at = in_.position();
        std::vector<std::string> both;
        if (in_.rest().starts_with('[')) {
            elements([&] {
                both.push_back(in_.string("a token"));
                if (both.size() > 2) in_.refuse(at, "two tokens", "more");
            });
        } else {
            const std::string pair = in_.string("two tokens");
            const std::size_t space = pair.find(' ');
            if (space != pair.npos && pair.find(' ', space + 1) == pair.npos)
                both = {pair.substr(0, space), pair.substr(space + 1)};
        }
        if (both.size() != 2 || both[0].empty() || both[1].empty())
            in_.refuse(at, "two tokens with one space between them",
                       both.empty() ? "a text of another form" : "an empty token");
        return {std::move(both[0]), std::move(both[1])};
    }
    void add_token(const std::string& token, std::size_t id, std::size_t at) {
        if (const auto [first, fresh] = model_.ids.try_emplace(token, id); !fresh)
            in_.refuse(at, "each token once", sentence(storage::quotation(token), " again"));
    }

    // The meaning of the values.
    [[noreturn]] void refuse(const JsonValue& v, std::string expected) const {
        in_.refuse(v.byte, std::move(expected),
                   v.kind == JsonValue::Kind::text     ? storage::quotation(v.text)
                   : v.kind == JsonValue::Kind::number ? sentence(v.number)
                                                       : std::string(json_kinds[static_cast<std::size_t>(v.kind)]));
    }
    const JsonValue& expect(const JsonValue& v, JsonValue::Kind kind) const {
        if (v.kind != kind) refuse(v, std::string(json_kinds[static_cast<std::size_t>(kind)]));
        return v;
    }
    const std::string& text(const JsonValue& v) const { return expect(v, JsonValue::Kind::text).text; }
    const JsonValue& member(const JsonValue& v, std::string_view name) const {
        const JsonValue* const found = expect(v, JsonValue::Kind::object).find(name);
        if (found == nullptr) in_.refuse(v.byte, sentence("a member '", name, "'"), "none");
        return *found;
    }
    bool flag(const JsonValue& v, std::string_view name, bool otherwise) const {
        const JsonValue* const found = v.find(name);
        if (found == nullptr) return otherwise;
        if (found->kind != JsonValue::Kind::yes && found->kind != JsonValue::Kind::no)
            refuse(*found, sentence("true or false as ", name));
        return found->kind == JsonValue::Kind::yes;
    }
    template <std::size_t n>
    std::size_t one_of(const JsonValue& v, const char* expected, const std::string_view (&known)[n]) const {
        const auto at = std::ranges::find(known, v.kind == JsonValue::Kind::text ? std::string_view(v.text) : "");
        if (at == std::end(known)) refuse(v, expected);
        return static_cast<std::size_t>(at - known);
    }
    void refuse_use(const JsonValue& v, std::string_view option) const {
        const JsonValue* const found = v.find(option);
        if (found == nullptr || found->nothing() || found->kind == JsonValue::Kind::no) return;
        if (found->kind == JsonValue::Kind::text && found->text.empty()) return;
        refuse(*found, sentence("no ", option));
    }

    void number_tokens(const JsonValue& added) {
        for (const auto& [none, token] : added.members) {
            AddedToken a;
            a.content = text(member(token, "content"));
            a.id = static_cast<std::size_t>(expect(member(token, "id"), JsonValue::Kind::number).number);
            a.single_word = flag(token, "single_word", false);
            a.lstrip = flag(token, "lstrip", false);
            a.rstrip = flag(token, "rstrip", false);
            a.special = flag(token, "special", false);
            a.normalized = flag(token, "normalized", !a.special);
            const auto known = model_.ids.find(a.content);
            a.in_vocabulary = known != model_.ids.end();
            if (a.content.empty() || a.content.size() > longest_added)
                refuse(member(token, "content"), sentence("an added token of 1 to ", longest_added, " bytes"));
            if (a.in_vocabulary && known->second != a.id)
                refuse(member(token, "id"), sentence("number ", known->second, ", as in the vocabulary"));
            model_.added.push_back(std::move(a));
        }
        for (const AddedToken& a : model_.added)
            if (const auto [first, fresh] = model_.ids.try_emplace(a.content, a.id); !fresh && !a.in_vocabulary)
                throw DataError(name_, "", "each added token once", sentence(storage::quotation(a.content), " again"));
        const std::size_t count = model_.ids.size();
        std::vector<bool> seen(count, false);
        model_.tokens.resize(count);
        for (const auto& [token, id] : model_.ids) {
            if (id >= count || seen[id])
                throw DataError(name_, "", sentence("each of the numbers 0 to ", count - 1, " for one token"),
                                sentence(id, seen.size() > id ? " for two" : ""));
            seen[id] = true;
            model_.tokens[id] = token;
        }
        for (std::size_t i = 0; i < merges_.size(); ++i) {
            const auto& [a, b] = merges_[i];
            const auto left = model_.ids.find(a), right = model_.ids.find(b);
            if (left == model_.ids.end() || right == model_.ids.end())
                throw DataError(name_, sentence("merge ", i), "tokens of the vocabulary",
                                storage::quotation(left == model_.ids.end() ? a : b));
            model_.pairs.emplace_back(left->second, right->second);
        }
    }
    void normalizer(const JsonValue& v) {
        if (v.nothing()) return;
        const JsonValue& type = member(v, "type");
        if (model_.word_pieces) {
            constexpr std::string_view known[] = {"BertNormalizer"};
            one_of(type, "a BertNormalizer", known);
            TextRules& rules = model_.rules;
            rules.clean = flag(v, "clean_text", true);
            rules.space_chinese = flag(v, "handle_chinese_chars", true);
            rules.lower_case = flag(v, "lowercase", true);
            const JsonValue* const strip = v.find("strip_accents");
            rules.strip_accents =
                strip == nullptr || strip->nothing() ? rules.lower_case : flag(v, "strip_accents", false);
            return;
        }
        if (model_.by_characters) {
            if (type.text != "Sequence") return spelling(v);
            for (const auto& [none, one] : expect(member(v, "normalizers"), JsonValue::Kind::list).members)
                spelling(one);
            return;
        }
        constexpr std::string_view known[] = {"NFC", "NFD", "NFKC", "NFKD"};
        model_.rules.form = known[one_of(type, "no normalizer, or a form of Unicode", known)].data();
    }
    /// Reads the normalizer of tokens that are texts: what is put in front, then the replacement of spaces.
    void spelling(const JsonValue& v) {
        constexpr std::string_view known[] = {"Prepend", "Replace"};
        TextRules& rules = model_.rules;
        if (one_of(member(v, "type"), "a normalizer Prepend or Replace", known) == 1)
            return rules.replaced.push_back(replacement(v));
        if (!rules.replaced.empty() || !rules.prepended.empty()) refuse(v, "one Prepend, before each Replace");
        rules.prepended = text(member(v, "prepend"));
    }
    std::pair<std::string, std::string> replacement(const JsonValue& v) const {
        const JsonValue& what = member(member(v, "pattern"), "String");
        if (text(what).empty()) refuse(what, "a non-empty text");
        return {text(what), text(member(v, "content"))};
    }
    /// Reads the decoders Replace, ByteFallback, Fuse and Strip, in this order.
    void decoder_of_characters(const JsonValue& v) {
        constexpr std::string_view sequence[] = {"Sequence"}, known[] = {"Replace", "ByteFallback", "Fuse", "Strip"};
        one_of(member(v, "type"), "a decoder Sequence", sequence);
        std::size_t last = 0;
        bool bytes = false;
        for (const auto& [none, one] : expect(member(v, "decoders"), JsonValue::Kind::list).members) {
            const std::size_t kind =
                one_of(member(one, "type"), "a decoder Replace, ByteFallback, Fuse or Strip", known);
            if (kind < last) refuse(one, "decoders Replace, ByteFallback, Fuse and Strip in this order");
            last = kind;
            bytes = bytes || kind == 1;
            if (kind == 0) model_.decoded.push_back(replacement(one));
            if (kind != 3) continue;
            const JsonValue &start = member(one, "start"), &stop = member(one, "stop");
            if (text(member(one, "content")) != " ") refuse(one, "a Strip of spaces");
            if (expect(stop, JsonValue::Kind::number).number != 0) refuse(stop, "0");
            model_.stripped = static_cast<std::size_t>(expect(start, JsonValue::Kind::number).number);
        }
        if (!bytes) refuse(v, "a decoder ByteFallback in it");
    }
    void pre_tokenizer(const JsonValue& v) {
        if (model_.by_characters) {
            if (!v.nothing()) refuse(v, "no pre-tokenizer beside byte_fallback");
            model_.words_by_rule = false;
            return;
        }
        constexpr std::string_view bert[] = {"BertPreTokenizer"};
        if (model_.word_pieces) {
            one_of(v.nothing() ? v : member(v, "type"), "a BertPreTokenizer", bert);
            return;
        }
        if (!v.nothing() && member(v, "type").text == "Sequence") {
            const auto& all = expect(member(v, "pretokenizers"), JsonValue::Kind::list).members;
            for (std::size_t i = 0; i + 1 < all.size(); ++i) cut(all[i].second);
            if (all.empty()) refuse(v, "pre-tokenizers with ByteLevel at the end");
            return byte_level(all.back().second);
        }
        byte_level(v);
    }
    void byte_level(const JsonValue& v) {
        constexpr std::string_view bytes[] = {"ByteLevel"};
        one_of(v.nothing() ? v : member(v, "type"), "a pre-tokenizer ByteLevel", bytes);
        model_.add_prefix_space = flag(v, "add_prefix_space", true);
        model_.words_by_rule = flag(v, "use_regex", true);
    }
    void cut(const JsonValue& v) {
        constexpr std::string_view known[] = {"Split", "Digits"};
        if (one_of(member(v, "type"), "pre-tokenizers Split and Digits before ByteLevel", known) == 1) {
            const bool single = flag(v, "individual_digits", false);
            model_.cuts.push_back({.pattern = Pattern("\\p{N}", name_),
                                   .matches = single ? Cut::Matches::isolated : Cut::Matches::contiguous,
                                   .digits = true});
            return;
        }
        const JsonValue& pattern = member(v, "pattern");
        const JsonValue* const literal = pattern.find("String");
        const std::string of = literal != nullptr ? text(*literal) : text(member(pattern, "Regex"));
        if (literal != nullptr && of.empty()) refuse(*literal, "a non-empty text");
        const std::size_t matches = one_of(member(v, "behavior"), "a behavior of Split", cut_names);
        model_.cuts.push_back({.pattern = Pattern(literal != nullptr ? escaped(of) : of, name_),
                               .matches = static_cast<Cut::Matches>(matches),
                               .inverted = flag(v, "invert", false),
                               .literal = literal != nullptr ? of : ""});
    }
    /// Returns a pattern that matches this text.
    static std::string escaped(const std::string& literal) {
        std::string pattern;
        for (const char c : literal) {
            if (std::string_view("\\^$.|?*+()[]{}").find(c) != std::string_view::npos) pattern += '\\';
            pattern += c;
        }
        return pattern;
    }
    void decoder(const JsonValue& v) {
        if (model_.by_characters) return decoder_of_characters(v);
        if (v.nothing()) return;
        constexpr std::string_view pieces[] = {"WordPiece"}, bytes[] = {"ByteLevel"};
        if (!model_.word_pieces) {
            one_of(member(v, "type"), "a decoder ByteLevel", bytes);
            return;
        }
        one_of(member(v, "type"), "a decoder WordPiece", pieces);
        model_.cleanup = flag(v, "cleanup", true);
        if (const JsonValue* const prefix = v.find("prefix"); prefix != nullptr && text(*prefix) != model_.prefix)
            refuse(*prefix, sentence("the model's prefix ", storage::quotation(model_.prefix)));
    }
    void post_processor(const JsonValue& v, bool may_be_several) {
        if (v.nothing()) return;
        constexpr std::string_view known[] = {"ByteLevel", "BertProcessing", "RobertaProcessing", "TemplateProcessing",
                                              "Sequence"};
        const std::size_t type = one_of(member(v, "type"), "a post-processor ByteLevel, BERT's or a template", known);
        if (type == 1 || type == 2) {
            model_.front = {around(member(v, "cls"))};
            model_.back = {around(member(v, "sep"))};
        } else if (type == 3) {
            fill_template(v);
        } else if (type == 4 && may_be_several) {
            for (const auto& [none, one] : expect(member(v, "processors"), JsonValue::Kind::list).members)
                post_processor(one, false);
        }
    }
    std::size_t checked(const JsonValue& id) const {
        if (expect(id, JsonValue::Kind::number).number >= model_.tokens.size())
            refuse(id, sentence("a number below ", model_.tokens.size()));
        return static_cast<std::size_t>(id.number);
    }
    /// Reads a token and its number: ["[SEP]", 102].
    std::size_t around(const JsonValue& pair) const {
        if (expect(pair, JsonValue::Kind::list).members.size() != 2) refuse(pair, "a token and its number");
        return checked(pair.members[1].second);
    }
    void fill_template(const JsonValue& v) {
        model_.front.clear();
        model_.back.clear();
        int texts = 0;
        for (const auto& [none, piece] : expect(member(v, "single"), JsonValue::Kind::list).members) {
            if (piece.find("Sequence") != nullptr) {
                ++texts;
                continue;
            }
            const std::string& id = text(member(member(piece, "SpecialToken"), "id"));
            const JsonValue& ids = member(member(member(v, "special_tokens"), id), "ids");
            for (const auto& [unnamed, one] : expect(ids, JsonValue::Kind::list).members)
                (texts == 0 ? model_.front : model_.back).push_back(checked(one));
        }
        if (texts != 1) refuse(member(v, "single"), "a template with one text in it");
    }

    const std::string& name_;
    storage::JsonTokens in_;
    TokenizerModel model_;
    std::vector<std::pair<std::string, std::string>> merges_;
    std::size_t values_ = 0;
};

SIGMA_IMPL TokenizerModel parse_tokenizer(std::string_view text, const std::string& name) {
    return TokenizerReader(text, name).read();
}

SIGMA_IMPL TokenizerModel parse_word_pieces(std::string_view text, const std::string& name,
                                            const WordPieceOptions& options) {
    require_utf8(text, name, 0);
    TokenizerModel model;
    model.word_pieces = true;
    model.unknown = "[UNK]";
    model.rules = {options.clean_text, options.space_chinese, options.strip_accents.value_or(options.lower_case),
                   options.lower_case, nullptr};
    for (std::size_t line = 1; !text.empty(); ++line) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string token(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (token.ends_with('\r')) token.pop_back();
        if (model.tokens.size() == largest_vocabulary)
            throw DataError(name, sentence("line ", line), sentence("at most ", largest_vocabulary, " tokens"), "more");
        if (!model.ids.try_emplace(token, model.tokens.size()).second)
            throw DataError(name, sentence("line ", line), "each token once",
                            sentence(storage::quotation(token), " again"));
        model.tokens.push_back(std::move(token));
    }
    for (const std::string_view special : {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"})
        if (const auto at = model.ids.find(special); at != model.ids.end())
            model.added.push_back(
                {.content = at->first, .id = at->second, .normalized = false, .special = true, .in_vocabulary = true});
    const auto cls = model.ids.find("[CLS]"), sep = model.ids.find("[SEP]");
    if (cls != model.ids.end() && sep != model.ids.end()) {
        model.front = {cls->second};
        model.back = {sep->second};
    }
    return model;
}

/// Writes members of an object, one after the other.
class JsonObject {
public:
    explicit JsonObject(std::string& to) : to_(to) { to_ += '{'; }
    JsonObject(const JsonObject&) = delete;
    JsonObject& operator=(const JsonObject&) = delete;
    ~JsonObject() { to_ += '}'; }

    std::string& member(std::string_view name) {
        if (!std::exchange(first_, false)) to_ += ',';
        storage::append_json_string(to_, name);
        return to_ += ':';
    }
    JsonObject& text(std::string_view name, std::string_view x) {
        return storage::append_json_string(member(name), x), *this;
    }
    JsonObject& flag(std::string_view name, bool x) { return member(name) += x ? "true" : "false", *this; }
    JsonObject& number(std::string_view name, std::uint64_t x) { return member(name) += sentence(x), *this; }
    JsonObject& nothing(std::string_view name) { return member(name) += "null", *this; }

private:
    std::string& to_;
    bool first_ = true;
};
/// Writes f(element) of each element, with commas between them.
template <class All, class F>
void write_list(std::string& to, const All& all, F f) {
    to += '[';
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (i > 0) to += ',';
        f(all[i]);
    }
    to += ']';
}

SIGMA_IMPL void write_template(const TokenizerModel& model, std::string& to) {
    const auto piece = [&](std::string_view kind, std::string_view id) {
        JsonObject(JsonObject(to).member(kind)).text("id", id).number("type_id", 0);
    };
    JsonObject all(to);
    all.text("type", "TemplateProcessing");
    const auto template_of = [&](bool twice) {
        std::vector<std::pair<std::string_view, std::string_view>> parts;
        const auto add = [&](const std::vector<std::size_t>& ids) {
            for (const std::size_t id : ids) parts.emplace_back("SpecialToken", model.tokens[id]);
        };
        add(model.front);
        parts.emplace_back("Sequence", "A");
        add(model.back);
        if (twice) parts.emplace_back("Sequence", "B");
        if (twice) add(model.back);
        write_list(to, parts, [&](const auto& p) { piece(p.first, p.second); });
    };
    all.member("single");
    template_of(false);
    all.member("pair");
    template_of(true);
    JsonObject tokens(all.member("special_tokens"));
    std::vector<std::size_t> ids(model.front);
    ids.insert(ids.end(), model.back.begin(), model.back.end());
    std::ranges::sort(ids);
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    for (const std::size_t id : ids) {
        JsonObject one(tokens.member(model.tokens[id]));
        one.text("id", model.tokens[id]).member("ids") += sentence("[", id, "]");
        write_list(one.member("tokens"), std::vector{id},
                   [&](std::size_t i) { storage::append_json_string(to, model.tokens[i]); });
    }
}

SIGMA_IMPL void write_model(const TokenizerModel& model, std::string& to) {
    JsonObject all(to);
    all.text("type", model.word_pieces ? "WordPiece" : "BPE");
    if (model.unknown.empty()) all.nothing("unk_token");
    else all.text("unk_token", model.unknown);
    if (model.word_pieces) {
        all.text("continuing_subword_prefix", model.prefix).number("max_input_chars_per_word", model.most_characters);
    } else {
        for (const char* const none : {"dropout", "continuing_subword_prefix", "end_of_word_suffix"}) all.nothing(none);
        all.flag("fuse_unk", model.one_unknown).flag("byte_fallback", model.by_characters);
        all.flag("ignore_merges", model.whole_words_first);
    }
    {
        JsonObject vocabulary(all.member("vocab"));
        for (std::size_t id = 0; id < model.tokens.size(); ++id)
            if (model.of_vocabulary(model.tokens[id]) == id) vocabulary.number(model.tokens[id], id);
    }
    if (model.word_pieces) return;
    write_list(all.member("merges"), model.pairs, [&](const auto& pair) {
        write_list(to, std::array{pair.first, pair.second},
                   [&](std::size_t id) { storage::append_json_string(to, model.tokens[id]); });
    });
}

SIGMA_IMPL void write_byte_level(const TokenizerModel& model, std::string& to) {
    JsonObject(to)
        .text("type", "ByteLevel")
        .flag("add_prefix_space", model.add_prefix_space)
        .flag("trim_offsets", true)
        .flag("use_regex", model.words_by_rule);
}
SIGMA_IMPL void write_replacement(const std::pair<std::string, std::string>& of, std::string& to) {
    JsonObject one(to);
    one.text("type", "Replace");
    JsonObject(one.member("pattern")).text("String", of.first);
    one.text("content", of.second);
}
SIGMA_IMPL void write_spelling(const TokenizerModel& model, std::string& to) {
    JsonObject all(to);
    all.text("type", "Sequence").member("normalizers") += '[';
    const char* between = "";
    const auto next = [&] { to += std::exchange(between, ","); };
    if (!model.rules.prepended.empty()) {
        next();
        JsonObject(to).text("type", "Prepend").text("prepend", model.rules.prepended);
    }
    for (const auto& each : model.rules.replaced) next(), write_replacement(each, to);
    to += ']';
}
SIGMA_IMPL void write_decoder_of_characters(const TokenizerModel& model, std::string& to) {
    JsonObject all(to);
    all.text("type", "Sequence").member("decoders") += '[';
    for (const auto& each : model.decoded) write_replacement(each, to), to += ',';
    to += R"({"type":"ByteFallback"},{"type":"Fuse"})";
    if (model.stripped > 0) {
        to += ',';
        JsonObject(to).text("type", "Strip").text("content", " ").number("start", model.stripped).number("stop", 0);
    }
    to += ']';
}
SIGMA_IMPL void write_cut(const Cut& cut, std::string& to) {
    JsonObject one(to);
    one.text("type", cut.digits ? "Digits" : "Split");
    if (cut.digits) {
        one.flag("individual_digits", cut.matches == Cut::Matches::isolated);
        return;
    }
    const bool literal = !cut.literal.empty();
    JsonObject(one.member("pattern")).text(literal ? "String" : "Regex", literal ? cut.literal : cut.pattern.text());
    one.text("behavior", cut_names[static_cast<std::size_t>(cut.matches)]).flag("invert", cut.inverted);
}
SIGMA_IMPL void write_cuts(const TokenizerModel& model, std::string& to) {
    JsonObject all(to);
    all.text("type", "Sequence").member("pretokenizers") += '[';
    for (const Cut& cut : model.cuts) {
        write_cut(cut, to);
        to += ',';
    }
    write_byte_level(model, to);
    to += ']';
}

SIGMA_IMPL std::string tokenizer_text(const TokenizerModel& model) {
    std::string to;
    {
        JsonObject all(to);
        all.text("version", "1.0").nothing("truncation").nothing("padding");
        write_list(all.member("added_tokens"), model.added, [&](const AddedToken& a) {
            JsonObject(to)
                .number("id", a.id)
                .text("content", a.content)
                .flag("single_word", a.single_word)
                .flag("lstrip", a.lstrip)
                .flag("rstrip", a.rstrip)
                .flag("normalized", a.normalized)
                .flag("special", a.special);
        });
        const TextRules& rules = model.rules;
        const auto byte_level = [&](const char* name) { write_byte_level(model, all.member(name)); };
        if (!rules.prepended.empty() || !rules.replaced.empty()) write_spelling(model, all.member("normalizer"));
        else if (rules.form != nullptr) JsonObject(all.member("normalizer")).text("type", rules.form);
        else if (!model.word_pieces) all.nothing("normalizer");
        else
            JsonObject(all.member("normalizer"))
                .text("type", "BertNormalizer")
                .flag("clean_text", rules.clean)
                .flag("handle_chinese_chars", rules.space_chinese)
                .flag("strip_accents", rules.strip_accents)
                .flag("lowercase", rules.lower_case);
        if (model.word_pieces) JsonObject(all.member("pre_tokenizer")).text("type", "BertPreTokenizer");
        else if (model.by_characters) all.nothing("pre_tokenizer");
        else if (model.cuts.empty()) byte_level("pre_tokenizer");
        else write_cuts(model, all.member("pre_tokenizer"));
        if (!model.front.empty() || !model.back.empty()) write_template(model, all.member("post_processor"));
        else if (model.word_pieces || model.by_characters) all.nothing("post_processor");
        else byte_level("post_processor");
        if (model.word_pieces)
            JsonObject(all.member("decoder"))
                .text("type", "WordPiece")
                .text("prefix", model.prefix)
                .flag("cleanup", model.cleanup);
        else if (model.by_characters) write_decoder_of_characters(model, all.member("decoder"));
        else byte_level("decoder");
        write_model(model, all.member("model"));
    }
    return to += '\n';
}

}  // namespace sigma::data::detail
