// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/number_text.hpp>
#include <sigma/hook/value.hpp>

#include <cstddef>
#include <string_view>

namespace sigma {

// No constants: a layout that does not fit its values does not compile, and the compiler names one of these.
[[noreturn]] void error_layout_has_other_number_of_braces_than_values(int braces, int values);
[[noreturn]] void error_layout_has_a_brace_that_is_not_closed(std::string_view layout);
[[noreturn]] void error_layout_is_none_of_width_digits_and_d_f_e_g_or_percent(std::string_view layout);
[[noreturn]] void error_layout_writes_a_count_by_d(std::string_view layout);
[[noreturn]] void error_layout_writes_a_number_that_is_no_count_by_f_e_g_or_percent(std::string_view layout);
[[noreturn]] void error_report_with_a_layout_takes_values_only(std::string_view layout);

namespace detail {

/// A text between values, or how the next value is written.
struct LayoutPart {
    std::string_view text{};
    bool is_value = false, is_closed = true, is_known = true;
    NumberFormat format{};
};

/// [<>][+][0][width][.digits][letter], or nothing.
constexpr bool read_format(std::string_view text, NumberFormat& f) {
    const auto next = [&](std::string_view any) {
        if (text.empty() || any.find(text.front()) == any.npos) return '\0';
        const char c = text.front();
        text.remove_prefix(1);
        return c;
    };
    const auto number = [&](int most) {
        int n = -1;
        while (const char c = next("0123456789")) n = (n < 0 ? 0 : n > most ? most : n) * 10 + (c - '0');
        return n;
    };
    if (const char side = next("<>")) f.side = side;
    f.plus = next("+") != 0;
    f.zeros = next("0") != 0;
    if (const int n = number(100); n >= 0) f.width = n;
    if (next(".") != 0 && (f.digits = number(100)) < 0) return false;
    f.letter = next("dfeg%");
    if (f.letter == 0 && f.digits >= 0) f.letter = 'g';
    return text.empty() && f.width <= 100 && f.digits <= 17 && !(f.letter == 'd' && f.digits >= 0);
}

/// Takes the next part away from a layout: "{}", "{:8.4f}", or a text, in which "{{" and "}}" are braces.
constexpr LayoutPart next_part(std::string_view& layout) {
    LayoutPart part;
    const std::size_t brace = layout.find_first_of("{}");
    if (brace != 0) {
        part.text = layout.substr(0, brace);
        layout.remove_prefix(part.text.size());
    } else if (layout.size() > 1 && layout[1] == layout[0]) {
        part.text = layout.substr(0, 1);
        layout.remove_prefix(2);
    } else if (const std::size_t end = layout.find('}'); layout[0] == '}' || end == layout.npos) {
        part.is_closed = false;
        layout = {};
    } else {
        const std::string_view format = layout.substr(1, end - 1);
        part.is_value = true;
        part.is_known = format.empty() || (format[0] == ':' && read_format(format.substr(1), part.format));
        layout.remove_prefix(end + 1);
    }
    return part;
}

template <class V>
constexpr bool is_count_value() {
    if constexpr (AnyValue<V>) return describe_value<V>().is_count;
    else return false;
}

/// A text that stands before values, or that says how they are written: "epoch {:2}  loss {:.4f}".
template <class... Values>
class layout_for {
public:
    template <std::size_t n>
    consteval layout_for(const char (&layout)[n]) : text_(static_cast<const char*>(layout)) {
        if (!has_braces()) return;
        if (!(AnyValue<Values> && ...)) error_report_with_a_layout_takes_values_only(text_);
        constexpr bool counts[] = {is_count_value<Values>()..., false};
        constexpr int values = sizeof...(Values);
        int braces = 0;
        for (std::string_view rest = text_; !rest.empty();) {
            const LayoutPart part = next_part(rest);
            if (!part.is_closed) error_layout_has_a_brace_that_is_not_closed(text_);
            if (!part.is_known) error_layout_is_none_of_width_digits_and_d_f_e_g_or_percent(text_);
            if (!part.is_value) continue;
            const char letter = part.format.letter;
            if (braces < values && counts[braces] && letter != 0 && letter != 'd')
                error_layout_writes_a_count_by_d(text_);
            if (braces < values && !counts[braces] && letter == 'd')
                error_layout_writes_a_number_that_is_no_count_by_f_e_g_or_percent(text_);
            ++braces;
        }
        if (braces != values) error_layout_has_other_number_of_braces_than_values(braces, values);
    }
    constexpr std::string_view text() const { return text_; }
    constexpr bool has_braces() const { return text_.find_first_of("{}") != text_.npos; }

private:
    std::string_view text_;
};

}  // namespace detail
}  // namespace sigma
