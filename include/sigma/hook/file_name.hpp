// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/digits.hpp>
#include <sigma/core/error.hpp>
#include <sigma/core/path_text.hpp>
#include <sigma/hook/value.hpp>

#include <string>
#include <tuple>
#include <utility>

namespace sigma {

namespace detail {

/// Whole numbers with all their digits, others with six significant ones; "nan", "inf" and "-inf".
std::string file_name_text(double x);
template <class V>
std::string file_name_part(const V& v, const auto& context) {
    return file_name_text(context.get(v));
}
inline std::string file_name_part(const std::string& text, const auto&) { return text; }
template <class V>
std::string file_name_word(const V& v) {
    return v.text();
}
inline std::string file_name_word(const std::string& text) { return sentence("\"", text, "\""); }

template <class Part>
struct FileNameReads {
    using type = Types<Part>;
};
template <>
struct FileNameReads<std::string> {
    using type = Types<>;
};
}  // namespace detail

template <class Name>
class SaveFile;

/// A file's name of texts and values, put together each time it is used; see `file`. Texts may name folders, which must
/// exist.
template <class... Parts>
class FileName {
public:
    using Reads = detail::JoinedTypes<typename detail::FileNameReads<Parts>::type...>;

    explicit FileName(Parts... parts) : parts_(std::move(parts)...) {}

    /// A name without values.
    const std::string& fixed() const
        requires(sizeof...(Parts) == 1 && Reads::count == 0)
    {
        return std::get<0>(parts_);
    }
    std::string operator()(const auto& context) const {
        std::string all;
        std::apply([&](const auto&... part) { ((all += detail::file_name_part(part, context)), ...); }, parts_);
        return all;
    }
    void visit_values(auto f) {
        std::apply([&](auto&... part) { (visit(part, f), ...); }, parts_);
    }
    std::string text() const {
        if constexpr (sizeof...(Parts) == 1 && Reads::count == 0) {
            return detail::file_name_word(std::get<0>(parts_));
        } else {
            std::string all;
            std::apply([&](const auto&... part) { ((all += (all.empty() ? "" : ", ") + detail::file_name_word(part)), ...); }, parts_);
            return sentence("file(", all, ")");
        }
    }

    /// sigma::save, where that namespace is not in use.
    friend auto save(FileName name) { return SaveFile<FileName>(std::move(name)); }

private:
    std::tuple<Parts...> parts_;

    template <class V>
    static void visit(V& v, auto& f) {
        if constexpr (!std::is_same_v<V, std::string>) f(v);
    }
};

namespace detail {
template <class P>
auto file_part(P part) {
    if constexpr (AnyValue<P>) return part;
    else return path_text(std::move(part));
}
}  // namespace detail

/// file("digits-", epoch, "-", accuracy, ".sigma") is "digits-12-0.9375.sigma": texts and values.
template <class... Parts>
    requires(sizeof...(Parts) > 0) && ((AnyValue<Parts> || detail::PathText<Parts>) && ...)
auto file(Parts... parts) {
    return FileName<decltype(detail::file_part(std::move(parts)))...>(detail::file_part(std::move(parts))...);
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/file_name.ipp>
#endif
