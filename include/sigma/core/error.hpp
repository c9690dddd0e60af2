// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/digits.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace sigma {

/// Its parts, texts and numbers, one after the other: sentence("byte ", 16). Numbers are exact and the same in every
/// locale, since sentences are also compared.
template <class... Parts>
std::string sentence(const Parts&... parts) {
    std::string text;
    const auto add = [&](const auto& part) {
        using Part = std::remove_cvref_t<decltype(part)>;
        if constexpr (std::is_same_v<Part, char>) {
            text += part;
        } else if constexpr (std::is_integral_v<Part>) {
            text += std::to_string(part);
        } else if constexpr (std::is_floating_point_v<Part>) {
            detail::append_number_text(text, part);
        } else {
            text += std::string_view(part);
        }
    };
    (add(parts), ...);
    return text;
}

/// "(10, 4)"
template <class Extents>
std::string shape_text(const Extents& extents) {
    std::string text = "(";
    for (const auto extent : extents) {
        if (text.size() > 1) text += ", ";
        text += std::to_string(extent);
    }
    return text + ")";
}

/// Every exception this library throws is an Error. Its text is one sentence: where, what was expected, what was found.
struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// An Error about a value: `expected` and `found` are the two halves of its sentence.
struct MismatchError : Error {
    std::string expected;
    std::string found;

    MismatchError(const std::string& where, std::string expected_, std::string found_)
        : Error(sentence(where, ": expected ", expected_, ", found ", found_)), expected(std::move(expected_)),
          found(std::move(found_)) {}
};

/// Data that cannot be used: a file or the records of a dataset.
/// "file 'labels.gz', byte 16: expected 60000 labels, found 59999"
struct DataError : MismatchError {
    std::string file;   // the file, the directory, or the name of the dataset or section
    std::string place;  // "byte 16", "line 3, column 2", "record 7, feature 4"; empty for the file as a whole

    DataError(std::string file_, std::string place_, std::string expected_, std::string found_)
        : DataError("file", std::move(file_), std::move(place_), std::move(expected_), std::move(found_)) {}

    static DataError in_dataset(std::string name, std::string place, std::string expected, std::string found) {
        return {"dataset", std::move(name), std::move(place), std::move(expected), std::move(found)};
    }

    static DataError in_directory(std::string name, std::string expected, std::string found) {
        return {"directory", std::move(name), "", std::move(expected), std::move(found)};
    }

    static DataError in_section(std::string name, std::string place, std::string expected, std::string found) {
        return {"section", std::move(name), std::move(place), std::move(expected), std::move(found)};
    }

protected:
    DataError(const char* kind, std::string file_, std::string place_, std::string expected_, std::string found_)
        : MismatchError(sentence(kind, " '", file_, "'", place_.empty() ? "" : ", ", place_), std::move(expected_),
                        std::move(found_)),
          file(std::move(file_)), place(std::move(place_)) {}
};

/// An array whose shape does not fit. "argument 'x': expected shape (10, 4), found (10, 3)"
struct ShapeError : MismatchError {
    using MismatchError::MismatchError;
};

/// An argument out of its range. "minibatches of dataset 'iris': expected a batch size from 1 to 150, found 0"
struct ArgumentError : MismatchError {
    using MismatchError::MismatchError;
};

/// A computation that left the finite numbers. "iteration 17, layer '2-dense': the loss became NaN"
struct NumericError : Error {
    std::uint64_t iteration;
    std::string layer;

    NumericError(std::uint64_t iteration_, std::string layer_, const std::string& what)
        : Error(sentence("iteration ", iteration_, layer_.empty() ? "" : ", layer '", layer_,
                         layer_.empty() ? ": " : "': ", what)),
          iteration(iteration_), layer(std::move(layer_)) {}
};

/// A hook that failed; what it failed of is nested in it. "hook 'when(every(1, epoch)).then(save("a"))', iteration 90: …"
struct HookError : Error {
    std::string hook;
    std::uint64_t iteration;

    HookError(const std::string& hook_, std::uint64_t iteration_, const std::string& what)
        : Error(sentence("hook '", hook_, "', iteration ", iteration_, ": ", what)), hook(hook_), iteration(iteration_) {}
};

}  // namespace sigma
