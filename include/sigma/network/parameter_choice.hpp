// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// A choice of parameters by their names: ParameterChoice. Included by `<sigma/sigma.hpp>`.
#include <sigma/core/any_function.hpp>

#include <concepts>
#include <string>
#include <string_view>
#include <utility>

namespace sigma {

namespace detail {
struct NetworkTable;
}  // namespace detail

/// A choice of parameters by their names: a pattern or a function.
///
/// @par Example
/// @code
/// load_parameters(model, "digits.safetensors", [](std::string_view name) { return name.ends_with(".weights"); });
/// @endcode
///
/// @see load_parameters, save_parameters, transfer, restore_parameters
class ParameterChoice {
public:
    /// Constructs the choice of all parameters with a matching name.
    /// @param pattern  pattern of names; `*` stands for any characters
    template <std::convertible_to<std::string_view> P>
    ParameterChoice(const P& pattern) : pattern_(std::string_view(pattern)) {}
    /// Constructs the choice of all parameters for which a function returns true.
    /// @param function  called with the name of a parameter, such as "1-dense.weights"
    template <std::predicate<std::string_view> F>
        requires(!std::convertible_to<F, std::string_view>)
    ParameterChoice(F function) : function_(std::move(function)) {}

    /// Returns whether the choice contains a parameter.
    /// @param name  name of the parameter
    bool operator()(std::string_view name) const;
    /// @cond internal
    bool everything() const { return !function_ && pattern_ == "*"; }
    /// Returns the choice in the text of a hook: "\"1-*\"" or "a function".
    std::string text() const;
    /// Throws MismatchError because no parameter was chosen.
    [[noreturn, gnu::cold]] void refuse(const std::string& where, const detail::NetworkTable& network) const;
    /// @endcond

private:
    std::string pattern_{};
    detail::AnyFunction<bool(std::string_view)> function_{};
};

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/network/impl/parameter_choice.ipp>
#endif
