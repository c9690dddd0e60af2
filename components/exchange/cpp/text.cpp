// SPDX-License-Identifier: BSL-1.0
#include "text.hpp"

#include <sigma/core/number_text.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace sigma::detail {

std::string cpp_number(double x, bool single) {
    const std::string type = single ? "float" : "double";
    if (x != x) return "not_a_number<" + type + ">";
    if (std::isinf(x)) return x < 0 ? "(-infinity<" + type + ">)" : "infinity<" + type + ">";
    std::string text;
    if (single) append_exact(text, static_cast<float>(x));
    else append_exact(text, x);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    if (single) text += "f";
    return text;
}

std::string cpp_identifier(std::string_view text) {
    std::string name;
    for (const char c : text) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (letter) name += c;
        else if (!name.ends_with('_')) name += '_';
    }
    return name.empty() || (name[0] >= '0' && name[0] <= '9') || name[0] == '_' ? "layer_" + name : name;
}

std::string cpp_comment(std::string_view text) {
    std::string line;
    for (const char c : text) line += c == '\\' || static_cast<unsigned char>(c) < 32 ? '?' : c;
    return line;
}

bool is_cpp_name(std::string_view text) {
    static constexpr std::string_view keywords[] = {"alignas",      "alignof",    "and",
                                                    "and_eq",       "asm",        "auto",
                                                    "bitand",       "bitor",      "bool",
                                                    "break",        "case",       "catch",
                                                    "char",         "char16_t",   "char32_t",
                                                    "char8_t",      "class",      "compl",
                                                    "const",        "const_cast", "constexpr",
                                                    "continue",     "decltype",   "default",
                                                    "delete",       "do",         "double",
                                                    "dynamic_cast", "else",       "enum",
                                                    "explicit",     "export",     "extern",
                                                    "false",        "float",      "for",
                                                    "friend",       "goto",       "if",
                                                    "inline",       "int",        "long",
                                                    "mutable",      "namespace",  "new",
                                                    "noexcept",     "not",        "not_eq",
                                                    "nullptr",      "operator",   "or",
                                                    "or_eq",        "private",    "protected",
                                                    "public",       "register",   "reinterpret_cast",
                                                    "return",       "short",      "signed",
                                                    "sizeof",       "static",     "static_assert",
                                                    "static_cast",  "std",        "struct",
                                                    "switch",       "template",   "this",
                                                    "thread_local", "throw",      "true",
                                                    "try",          "typedef",    "typeid",
                                                    "typename",     "union",      "unsigned",
                                                    "using",        "virtual",    "void",
                                                    "volatile",     "wchar_t",    "while",
                                                    "xor",          "xor_eq"};
    return !text.empty() && cpp_identifier(text) == text &&
           std::find(std::begin(keywords), std::end(keywords), text) == std::end(keywords);
}

std::string cpp_quoted(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 32 && byte < 127 && c != '"' && c != '\\' && c != '?') out += c;
        else
            out += {'\\', static_cast<char>('0' + (byte >> 6)), static_cast<char>('0' + (byte >> 3 & 7)),
                    static_cast<char>('0' + (byte & 7))};
    }
    return out + "\"";
}

}  // namespace sigma::detail
