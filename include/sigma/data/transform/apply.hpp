// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/transform/named_function.hpp>
#include <sigma/data/transform/transforming.hpp>

namespace sigma::data {

namespace detail {

TransformPointer user_transform(const std::string& called, UserFunction function);

}  // namespace detail

/// A function of the user's: of each number, apply(inputs, "log", [](float x) { return std::log1p(x); }), or of the
/// numbers of one record, which it changes in place, [](std::span<float> record) { … }. It may be called from several
/// threads. Caches and files know it by its name: another function needs another one.
template <Text name, Role role, detail::FunctionOfNumbers F>
auto apply(SectionName<name, role>, const std::string& called, F function) {
    return Transforming<detail::KeepsExtents, name>{detail::user_transform(called, std::move(function))};
}
template <Text name, Role role, class F>
    requires(!detail::FunctionOfNumbers<F>)
error_function_takes_neither_a_float_nor_a_span_of_float<F, section<name>> apply(SectionName<name, role>,
                                                                                 const std::string&, F);
/// All sections.
template <detail::FunctionOfNumbers F>
auto apply(const std::string& called, F function) {
    return Transforming<detail::KeepsExtents>{detail::user_transform(called, std::move(function))};
}

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/impl/apply.ipp>
#endif
