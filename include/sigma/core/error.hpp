// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/config.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace sigma {

namespace detail {

/// A part of a sentence: a text or a number. It refers to the text and is made for one call.
class TextPart {
public:
    TextPart(std::string_view text) : text_(text) {}
    TextPart(const std::string& text) : text_(text) {}
    TextPart(const char* text) : text_(text) {}
    TextPart(char x) : kind_(Kind::character), integer_(x) {}
    TextPart(float x) : kind_(Kind::single), real_(x) {}
    TextPart(double x) : kind_(Kind::real), real_(x) {}
    template <std::integral X>
    TextPart(X x) : kind_(std::is_signed_v<X> ? Kind::integer : Kind::natural), integer_(static_cast<long long>(x)) {}

    void append_to(std::string& to) const;

private:
    enum class Kind : char { text, character, integer, natural, single, real };
    Kind kind_ = Kind::text;
    std::string_view text_;
    union {
        long long integer_ = 0;
        double real_;
    };
};

}  // namespace detail

std::string joined(const detail::TextPart* parts, std::size_t count);

/// Its parts, texts and numbers, one after the other: sentence("byte ", 16). Numbers are exact and the same in every
/// locale, since sentences are also compared.
template <class... Parts>
std::string sentence(const Parts&... parts) {
    const detail::TextPart all[]{detail::TextPart(parts)...};
    return joined(all, sizeof...(parts));
}

namespace detail {

/// "(10, 4)"
template <class Extents>
std::string shape_text(const Extents& extents) {
    std::string text = "(";
    for (const auto extent : extents) {
        if (text.size() > 1) text += ", ";
        text += sentence(extent);
    }
    return text + ")";
}

}  // namespace detail

/// Every exception this library throws is an Error. Its text is one sentence: where, what was expected, what was found.
struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// An Error about a value: `expected` and `found` are the two halves of its sentence.
struct MismatchError : Error {
    std::string expected;
    std::string found;

    MismatchError(const std::string& where, std::string expected_, std::string found_);

protected:
    /// With a sentence of its own.
    struct Whole {
        std::string text;
    };
    MismatchError(const Whole& whole, std::string expected_, std::string found_);
    /// "WHERE: cannot TRIED: WHY"; quotes around the reason are left out.
    static Whole cannot(std::string_view where, std::string_view tried, std::string_view why);
};

/// Data that cannot be used: a file or the records of a dataset.
/// "file 'labels.gz', byte 16: expected 60000 labels, found 59999"
struct DataError : MismatchError {
    std::string file;   // the file, the directory, or the name of the dataset or section
    std::string place;  // "byte 16", "line 3, column 2", "record 7, feature 4"; empty for the file as a whole

    DataError(std::string file_, std::string place_, std::string expected_, std::string found_);

    static DataError in_dataset(std::string name, std::string place, std::string expected, std::string found);

    static DataError in_directory(std::string name, std::string expected, std::string found);

    /// "file 'a.csv': cannot read it: No such file or directory"
    static DataError unreadable(std::string file_, std::string place_, std::string why);

    static DataError in_section(std::string name, std::string place, std::string expected, std::string found);

protected:
    DataError(const char* kind, std::string file_, std::string place_, std::string expected_, std::string found_);
    DataError(const Whole& whole, std::string file_, std::string place_, std::string expected_, std::string found_);
};

/// An array whose shape does not fit. "argument 'x': expected shape (10, 4), found (10, 3)"
struct ShapeError : MismatchError {
    using MismatchError::MismatchError;
};

/// An argument out of its range. "minibatches of dataset 'iris': expected a batch size from 1 to 150, found 0"
struct ArgumentError : MismatchError {
    using MismatchError::MismatchError;
};

/// Memory that there is not. "array of shape (100000, 1000000): cannot allocate 400000000000 bytes for 100000000000
/// elements: not enough memory"
struct MemoryError : MismatchError {
    MemoryError(const std::string& where, const std::string& wanted);
};

/// A computation that left the finite numbers. "iteration 17, layer '2-dense': the loss became NaN"
struct NumericError : Error {
    std::uint64_t iteration;
    std::string layer;

    NumericError(std::uint64_t iteration_, std::string layer_, const std::string& what);
};

/// A hook that failed; what it failed of is nested in it. "hook 'when(every(1, epoch)).then(save("a"))', iteration 90:
/// …"
struct HookError : Error {
    std::string hook;
    std::uint64_t iteration;

    HookError(const std::string& hook_, std::uint64_t iteration_, const std::string& what);
};

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/core/impl/error.ipp>
#endif
