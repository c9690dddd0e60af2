// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_function.hpp>
#include <sigma/data/transform/preprocessing.hpp>
#include <sigma/data/transform/transform.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace sigma::data {

namespace detail {

using BlockVisitor = sigma::detail::AnyFunction<void(Block&)>;

/// "'inputs', 'targets'"
template <class All, class Name>
std::string quoted_names(const All& all, Name name) {
    std::string text;
    for (const auto& one : all) text += sentence(text.empty() ? "'" : ", '", name(one), "'");
    return text;
}

[[noreturn, gnu::cold]] void throw_no_such_section(std::string_view dataset, const std::vector<SectionInfo>& there,
                                                   const std::string& transform, const std::string& name);

/// Learns what transforms need, one after the other, from records with these sections. Throws ArgumentError for a
/// section that is not there, ShapeError where a transform does not fit. `pass(visit)` is called for each time that
/// they must be seen; it gives every block to `visit`, which may change it. `dataset` is its name in errors.
Preprocessing learn(const std::vector<SectionInfo>& sections, const std::vector<TransformStep>& steps,
                    const sigma::detail::AnyFunction<void(const BlockVisitor&)>& pass,
                    std::string_view dataset = "data");

}  // namespace detail

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/impl/learn.ipp>
#endif
