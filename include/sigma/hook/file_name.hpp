// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Names of files that contain values: `file("run-", epoch, ".sigma")`. Included by `<sigma/sigma.hpp>`.
#include <sigma/core/arguments.hpp>
#include <sigma/core/error.hpp>
#include <sigma/hook/criterion.hpp>

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace sigma {

namespace detail {

/// A value, or a text between values.
struct TextOrValue {
    std::string text;
    ValueHandle value{};

    TextOrValue(std::string text_, const ValueHandle& value_ = {});
    TextOrValue(const TextOrValue&);
    TextOrValue& operator=(const TextOrValue&);
    ~TextOrValue();
};
template <class Item>
using ReadsOfItem =
    typename std::conditional_t<AnyValue<Item>, std::type_identity<Types<Item>>, std::type_identity<Types<>>>::type;
template <class... Item>
using ReadsOfItems = JoinedTypes<ReadsOfItem<Item>...>;

/// Returns a number as text: whole numbers in full, others with six significant digits; "nan", "inf" or "-inf".
std::string file_name_text(double x);
/// Returns the name with the present numbers of the values.
std::string file_name_of(const std::vector<TextOrValue>& parts, const HookContext& context);
/// Returns a name without values.
std::string fixed_file_name(const std::vector<TextOrValue>& parts);
/// Returns the arguments as text: "\"a\"", or "file(\"a\", epoch)".
std::string file_name_words(const std::vector<TextOrValue>& parts);
/// Returns whether these parts could have made this name.
bool could_name(const std::vector<TextOrValue>& parts, std::string_view file);
/// Returns the text of hooks without names of files and folders, which a resumed run may choose again.
std::string without_file_names(std::string_view hooks);

template <class P>
TextOrValue file_part(P part) {
    if constexpr (AnyValue<P>) return {part.text(), value_of(part)};
    else return {path_text(std::move(part))};
}

}  // namespace detail

template <class Reads>
class SaveFile;

/// The name of a file, made of texts and values each time that it is used: the type of `file(…)`.
///
/// @tparam Reads_  the values in the name
///
/// @see file
template <class Reads_>
class FileName {
public:
    /// @cond internal
    using Reads = Reads_;
    /// Constructs a name. `file` does that for you.
    /// @param parts_  texts and values
    explicit FileName(std::vector<detail::TextOrValue> parts_) : parts(std::move(parts_)) {}
    /// @endcond

    /// Returns the name, if it contains no values.
    /// @return the name
    std::string fixed() const
        requires(Reads::count == 0)
    {
        return detail::fixed_file_name(parts);
    }
    /// Returns `sigma::save(name)`, for programs that do not use namespace sigma.
    /// @param name  name of the file
    /// @return the action, for `then`
    friend auto save(FileName name) { return SaveFile<Reads>(std::move(name)); }

    /// @cond internal
    std::vector<detail::TextOrValue> parts;  ///< texts and values
    /// @endcond
};

/// Returns the name of a file, made of texts and values: `file("digits-", epoch, "-", accuracy, ".sigma")` is
/// "digits-12-0.9375.sigma".
///
/// Whole numbers are written in full, other numbers with six significant digits. Folders in the name must exist.
/// @param parts  texts, paths and values
/// @return the name, for `save(…)` and `report(…).to(…)`
///
/// @par Example
/// @code
/// trainer.add(every(1, epoch).then(save(file("digits-", epoch, ".sigma"))));
/// @endcode
template <class... Parts>
    requires(sizeof...(Parts) > 0) && ((AnyValue<Parts> || detail::PathText<Parts>) && ...)
auto file(Parts... parts) {
    return FileName<detail::ReadsOfItems<Parts...>>({detail::file_part(std::move(parts))...});
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/file_name.ipp>
#endif
