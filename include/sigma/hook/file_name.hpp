// SPDX-License-Identifier: BSL-1.0
#pragma once
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

/// Whole numbers with all their digits, others with six significant ones; "nan", "inf" and "-inf".
std::string file_name_text(double x);
/// The name, put together of what values are now.
std::string file_name_of(const std::vector<TextOrValue>& parts, const HookContext& context);
/// A name without values.
std::string fixed_file_name(const std::vector<TextOrValue>& parts);
/// As it was said: "\"a\"", or "file(\"a\", epoch)".
std::string file_name_words(const std::vector<TextOrValue>& parts);
/// Could these parts have made this name?
bool could_name(const std::vector<TextOrValue>& parts, std::string_view file);
/// The text of hooks without the names of files and folders, which a resumed run may choose again.
std::string without_file_names(std::string_view hooks);

template <class P>
TextOrValue file_part(P part) {
    if constexpr (AnyValue<P>) return {part.text(), value_of(part)};
    else return {path_text(std::move(part))};
}

}  // namespace detail

template <class Reads>
class SaveFile;

/// A file's name of texts and values, put together each time it is used; see `file`. Texts may name folders, which must
/// exist.
template <class Reads_>
class FileName {
public:
    using Reads = Reads_;
    explicit FileName(std::vector<detail::TextOrValue> parts_) : parts(std::move(parts_)) {}

    /// A name without values.
    std::string fixed() const
        requires(Reads::count == 0)
    {
        return detail::fixed_file_name(parts);
    }
    /// sigma::save, where that namespace is not in use.
    friend auto save(FileName name) { return SaveFile<Reads>(std::move(name)); }

    std::vector<detail::TextOrValue> parts;
};

/// file("digits-", epoch, "-", accuracy, ".sigma") is "digits-12-0.9375.sigma": texts and values.
template <class... Parts>
    requires(sizeof...(Parts) > 0) && ((AnyValue<Parts> || detail::PathText<Parts>) && ...)
auto file(Parts... parts) {
    return FileName<detail::ReadsOfItems<Parts...>>({detail::file_part(std::move(parts))...});
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/file_name.ipp>
#endif
