// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_function.hpp>
#include <sigma/data/number_list.hpp>

#include <concepts>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

namespace sigma::data {

namespace detail {

template <class F>
concept FunctionOfNumbers = std::is_invocable_r_v<float, F, float> || std::is_invocable_v<F, std::span<float>> ||
                            std::is_invocable_v<F, std::span<double>>;

/// Does it keep the digits of a double?
template <class F>
constexpr bool keeps_doubles() {
    if constexpr (std::is_invocable_r_v<double, F, double>)
        return !std::is_same_v<std::invoke_result_t<F, double>, float>;
    else return std::is_invocable_v<F, std::span<double>>;
}

/// A function of the user's on the numbers of one record.
class UserFunction {
public:
    /// From float(float), for each number, or void(std::span<float>), for the numbers of a record; or the same of
    /// double.
    template <class F>
        requires(!std::same_as<std::remove_cvref_t<F>, UserFunction> && FunctionOfNumbers<F>)
    UserFunction(F f) {
        if constexpr (keeps_doubles<F>()) of_doubles_ = on_records<double>(f);
        if constexpr (std::is_invocable_r_v<float, F, float>) of_floats_ = on_records<float>(std::move(f));
        else if constexpr (std::is_invocable_v<F, std::span<float>>) of_floats_ = std::move(f);
    }
    /// Of records of `size` numbers each. Throws ArgumentError, with this name, for doubles where it is one of floats.
    void operator()(NumberList& values, std::size_t size, const std::string& name) const;

private:
    sigma::detail::AnyFunction<void(std::span<float>)> of_floats_;
    sigma::detail::AnyFunction<void(std::span<double>)> of_doubles_;

    template <class T, class F>
    static auto on_records(F f) {
        if constexpr (std::is_invocable_r_v<T, F, T>)
            return [f = std::move(f)](std::span<T> record) {
                for (T& x : record) x = static_cast<T>(f(x));
            };
        else return f;
    }
};

}  // namespace detail

/// A function under the name that it has in files: Preprocessing::load(file, {{"log", f}}).
struct NamedFunction {
    std::string name;
    detail::UserFunction function;
};

}  // namespace sigma::data
