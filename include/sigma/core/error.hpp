// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Exceptions: Error and its types, and `sentence`, which makes their texts. Included by `<sigma/sigma.hpp>`.
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

/// A text or a number that `sentence` appends. It refers to the text, so it must not outlive the call.
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

/// @cond internal
std::string joined(const detail::TextPart* parts, std::size_t count);
/// @endcond

/// Returns texts and numbers joined to one text.
///
/// Numbers are written exactly and independently of the locale, so that texts can be compared.
///
/// @param parts  texts, characters and numbers, in order
/// @return the joined text
///
/// @par Example
/// @code
/// std::string place = sentence("byte ", 16);  // "byte 16"
/// @endcode
template <class... Parts>
std::string sentence(const Parts&... parts) {
    const detail::TextPart all[]{detail::TextPart(parts)...};
    return joined(all, sizeof...(parts));
}

namespace detail {

/// Returns extents as a text: "(10, 4)".
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

/// The base class of all exceptions that this library throws.
///
/// `what()` returns the text: where the error occurred, what was expected and what was found, or what could not be
/// done and why.
///
/// @par Example
/// @code
/// try {
///     trainer.run(cpu());
/// } catch (const Error& error) {
///     std::fprintf(stderr, "%s\n", error.what());
/// }
/// @endcode
///
/// @see MismatchError, NumericError, HookError, DeviceError, CanceledError, run_main
struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// An error about a value that differs from what was expected. The base class of DataError, ShapeError, ArgumentError,
/// MemoryError and StorageError.
///
/// @see Error
struct MismatchError : Error {
    std::string expected;  ///< The expected value, such as "60000 labels".
    std::string found;     ///< The value found instead, such as "59999".

    /// Constructs an error with the text "WHERE: expected EXPECTED, found FOUND".
    /// @param where      the place: a function, an argument, a file
    /// @param expected_  what was expected
    /// @param found_     what was found instead
    MismatchError(const std::string& where, std::string expected_, std::string found_);

protected:
    /// @cond internal
    /// The complete text of an error that does not have the form "expected …, found …".
    struct Whole {
        std::string text;
    };
    MismatchError(const Whole& whole, std::string expected_, std::string found_);
    /// Returns "WHERE: cannot TRIED: WHY", without the quotes that may surround the reason.
    static Whole cannot(std::string_view where, std::string_view tried, std::string_view why);
    /// @endcond
};

/// An error in data: a file that cannot be read, or records that do not fit.
///
/// Readers of files throw it, and so do functions that combine data sets, trainers that are given data, and losses that
/// find an invalid target. Example of a text: "file 'labels.gz', byte 16: expected 60000 labels, found 59999".
///
/// @par Example
/// @code
/// try {
///     auto iris = data::csv(data::file("iris.data")) >>
///                 data::sections(data::inputs = data::columns(0, 3), data::targets = data::labels(4));
///     auto set = iris >> data::dataset("iris");
/// } catch (const DataError& error) {
///     std::fprintf(stderr, "%s at %s\n", error.file.c_str(), error.place.c_str());
/// }
/// @endcode
///
/// @see Error, StorageError (a file that cannot be written)
struct DataError : MismatchError {
    std::string file;  ///< The file or directory, or the name of the data set or section.
    std::string
        place;  ///< "byte 16", "line 3, column 2" or "record 7, feature 4"; empty if it concerns the whole file.

    /// Constructs an error about a file: "file 'FILE', PLACE: expected EXPECTED, found FOUND".
    /// @param file_      path of the file
    /// @param place_     place in the file; may be empty
    /// @param expected_  what was expected
    /// @param found_     what was found instead
    DataError(std::string file_, std::string place_, std::string expected_, std::string found_);

    /// Returns an error about a data set: "dataset 'NAME', PLACE: expected EXPECTED, found FOUND".
    /// @param name      name of the data set
    /// @param place     place in the data set; may be empty
    /// @param expected  what was expected
    /// @param found     what was found instead
    /// @return an error to throw
    static DataError in_dataset(std::string name, std::string place, std::string expected, std::string found);

    /// Returns an error about a directory: "directory 'NAME': expected EXPECTED, found FOUND".
    /// @param name      path of the directory
    /// @param expected  what was expected
    /// @param found     what was found instead
    /// @return an error to throw
    static DataError in_directory(std::string name, std::string expected, std::string found);

    /// Returns an error about a file that cannot be read: "file 'a.csv': cannot read it: No such file or directory".
    /// @param file_   path of the file
    /// @param place_  place in the file; may be empty
    /// @param why     reason. Single quotes around it are removed in the text.
    /// @return an error to throw
    static DataError unreadable(std::string file_, std::string place_, std::string why);

    /// Returns an error about a section of a file: "section 'NAME', PLACE: expected EXPECTED, found FOUND".
    /// @param name      name of the section
    /// @param place     place in the section; may be empty
    /// @param expected  what was expected
    /// @param found     what was found instead
    /// @return an error to throw
    static DataError in_section(std::string name, std::string place, std::string expected, std::string found);

protected:
    /// @cond internal
    DataError(const char* kind, std::string file_, std::string place_, std::string expected_, std::string found_);
    DataError(const Whole& whole, std::string file_, std::string place_, std::string expected_, std::string found_);
    /// @endcond
};

/// An error about an array of the wrong shape.
///
/// Functions that take arrays throw it: predictions, tensor functions, constructors of arrays and data sets. Example of
/// a text: "argument 'x': expected shape (10, 4), found (10, 3)".
///
/// @par Example
/// @code
/// try {
///     (void)model.predict(Array<float>({1, 28, 27}, std::vector<float>(28 * 27)));
/// } catch (const ShapeError& error) {
///     std::puts(error.what());
/// }
/// @endcode
///
/// @see Error
struct ShapeError : MismatchError {
    using MismatchError::MismatchError;
};

/// An error about an argument that is out of range or that names something unknown.
///
/// Any function may throw it. Example of a text: "minibatches of dataset 'iris': expected a batch size from 1 to 150,
/// found 0".
///
/// @par Example
/// @code
/// try {
///     (void)cpu(0);
/// } catch (const ArgumentError& error) {
///     std::puts(error.what());  // cpu: expected 1 thread or more, found 0
/// }
/// @endcode
///
/// @see Error
struct ArgumentError : MismatchError {
    using MismatchError::MismatchError;

    /// Returns an error with a sentence as its text, for mistakes that "expected X, found Y" does not describe.
    /// @param text      the sentence, with the value, what exists, and the remedy
    /// @param expected  what was expected
    /// @param found     what was found instead
    /// @return an error to throw
    /// @see ArgumentError
    static ArgumentError with_text(std::string text, std::string expected, std::string found);

private:
    ArgumentError(const Whole& whole, std::string expected_, std::string found_);
};

/// An error about host memory that could not be allocated.
///
/// Functions that allocate arrays and work memory throw it. Memory of an accelerator has DeviceMemoryError. Example of
/// a text: "array of shape (100000, 1000000): cannot allocate 400000000000 bytes for 100000000000 elements: not enough
/// memory".
///
/// @see Error, DeviceMemoryError
struct MemoryError : MismatchError {
    /// Constructs an error with the text "WHERE: cannot allocate WANTED: not enough memory".
    /// @param where   what the memory is for
    /// @param wanted  amount of memory
    MemoryError(const std::string& where, const std::string& wanted);
};

/// An error about a NaN or infinite result of a computation.
///
/// A trainer throws it if the loss is not finite. Run the step on `debug()` to get an OperationError, which names the
/// first operation that caused it. Example of a text: "iteration 17, layer '2-dense': the loss became NaN".
///
/// @see Error, OperationError, debug
struct NumericError : Error {
    std::uint64_t iteration;  ///< The iteration in which it occurred, from 1.
    std::string layer;        ///< The name of the layer; empty if it is not known.

    /// Constructs an error with the text "iteration ITERATION, layer 'LAYER': WHAT".
    /// @param iteration_  iteration in which it occurred
    /// @param layer_      name of the layer; may be empty
    /// @param what        what happened
    NumericError(std::uint64_t iteration_, std::string layer_, const std::string& what);
};

/// An error in a hook.
///
/// The exception that the hook threw is nested in it: call `std::rethrow_if_nested`. A trainer throws it at the end of
/// the run that the exception stopped. Example of a text: "hook 'when(every(1, epoch)).then(save("a"))', iteration 90:
/// …".
///
/// @par Example
/// @code
/// try {
///     trainer.run(cpu());
/// } catch (const HookError& error) {
///     std::fprintf(stderr, "hook %s failed\n", error.hook.c_str());
/// }
/// @endcode
///
/// @see Error, OnError
struct HookError : Error {
    std::string hook;         ///< The name of the hook, or its source form if it has no name.
    std::uint64_t iteration;  ///< The iteration in which the hook fired.

    /// Constructs an error with the text "hook 'HOOK', iteration ITERATION: WHAT".
    /// @param hook_       name of the hook
    /// @param iteration_  iteration in which the hook fired
    /// @param what        what happened
    HookError(const std::string& hook_, std::uint64_t iteration_, const std::string& what);
};

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/core/impl/error.ipp>
#endif
