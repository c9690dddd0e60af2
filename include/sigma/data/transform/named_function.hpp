// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_function.hpp>

#include <concepts>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

namespace sigma::data {

namespace detail {

template <class F>
concept FunctionOfNumbers = std::is_invocable_r_v<float, F, float> || std::is_invocable_v<F, std::span<float>>;

/// A function of the user's on the numbers of one record.
class UserFunction {
public:
    /// From float(float), for each number, or void(std::span<float>), for the numbers of a record.
    template <class F>
        requires(!std::same_as<std::remove_cvref_t<F>, UserFunction> && FunctionOfNumbers<F>)
    UserFunction(F f) {
        if constexpr (std::is_invocable_r_v<float, F, float>)
            function_ = [f = std::move(f)](std::span<float> record) {
                for (float& x : record) x = static_cast<float>(f(x));
            };
        else function_ = std::move(f);
    }
    void operator()(std::span<float> record) const { function_(record); }

private:
    sigma::detail::AnyFunction<void(std::span<float>)> function_;
};

}  // namespace detail

/// A function under the name that it has in files: Preprocessing::load(file, {{"log", f}}).
struct NamedFunction {
    std::string name;
    detail::UserFunction function;
};

}  // namespace sigma::data
