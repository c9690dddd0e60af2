// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/field.hpp>
#include <sigma/hook/hook.hpp>
#include <sigma/hook/optimizer_check.hpp>
#include <sigma/hook/values.hpp>
#include <sigma/optimizer/check.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace sigma {

/// What is wrong with `set` and `multiply`. Declared only.
template <class Value>
struct error_value_cannot_be_set;

namespace detail {

template <class V>
concept SettableValue = AnyValue<V> && requires(const V& v, int& any_trainer) { v.write(any_trainer, 0.1); };

/// What `set` changes: a value, or a member of the optimizer.
template <SettableValue V>
struct ValueTarget {
    V value;
    double read(auto& trainer) const { return value.read(trainer); }
    void write(auto& trainer, double x) const { value.write(trainer, x); }
    std::string text() const { return value.text(); }
    template <class O>
    static constexpr auto check() {
        if constexpr (std::is_same_v<V, LearningRateValue>) return check_learning_rate<O>();
        else return Verdict<>{};
    }
};
template <class Optimizer, class X>
struct MemberTarget {
    X Optimizer::*member;
    double read(auto& trainer) const { return static_cast<double>(trainer.optimizer.*member); }
    void write(auto& trainer, double x) const { trainer.optimizer.*member = static_cast<X>(x); }
    /// "beta2 of adam"
    std::string text() const {
        Optimizer some{};
        std::string found = "a number";
        for_each_field(some, [&](std::string_view field, double& x) {
            if constexpr (std::is_same_v<X, double>)
                if (&x == &(some.*member)) found = field;
        });
        return sentence(found, " of ", Optimizer::name.view());
    }
    template <class O>
    static constexpr auto check() {
        if constexpr (std::is_base_of_v<Optimizer, O>) return Verdict<>{};
        else return Verdict<error_optimizer_has_no_such_member<O, X Optimizer::*>>{};
    }
};

}  // namespace detail

/// Sets a number of the trainer, or multiplies it. One that the optimizer cannot take is an ArgumentError.
template <class Target, bool multiplies>
class SetValue : public Action<SetValue<Target, multiplies>> {
public:
    template <class O>
    static constexpr auto check_optimizer() {
        return Target::template check<O>();
    }

    SetValue(Target target, double x) : target_(target), x_(x) {
        if (!std::isfinite(x)) throw ArgumentError(word(), "a finite number", sentence(x));
    }
    /// The result stays within these bounds.
    SetValue at_least(double bound) const { return bounded(bound, most_); }
    SetValue at_most(double bound) const { return bounded(least_, bound); }

    void run(auto& context) const {
        context.change([target = target_, x = x_, least = least_, most = most_](auto& trainer) {
            target.write(trainer, std::clamp(multiplies ? x * target.read(trainer) : x, least, most));
            detail::check_numbers(trainer.optimizer);
        });
    }
    std::string text() const {
        return sentence(word(), "(", target_.text(), ", ", x_, ")",
                        least_ > -infinity ? sentence(".at_least(", least_, ")") : "",
                        most_ < infinity ? sentence(".at_most(", most_, ")") : "");
    }

private:
    static constexpr double infinity = std::numeric_limits<double>::infinity();
    Target target_;
    double x_, least_ = -infinity, most_ = infinity;

    static const char* word() { return multiplies ? "multiply" : "set"; }
    SetValue bounded(double least, double most) const {
        if (!(least <= most))
            throw ArgumentError(sentence("bounds of ", word()), "a lower bound that is at most the upper one", sentence(least, " and ", most));
        SetValue s = *this;
        s.least_ = least, s.most_ = most;
        return s;
    }
};

/// set(learning_rate, 0.01)
template <detail::SettableValue V>
auto set(V v, double x) {
    return SetValue<detail::ValueTarget<V>, false>({v}, x);
}
/// multiply(learning_rate, 0.5).at_least(1e-6)
template <detail::SettableValue V>
auto multiply(V v, double factor) {
    return SetValue<detail::ValueTarget<V>, true>({v}, factor);
}
/// set(&Adam::beta1, 0.8): any number of the optimizer
template <class O, class X>
    requires std::is_arithmetic_v<X>
auto set(X O::*member, double x) {
    return SetValue<detail::MemberTarget<O, X>, false>({member}, x);
}
template <class O, class X>
    requires std::is_arithmetic_v<X>
auto multiply(X O::*member, double factor) {
    return SetValue<detail::MemberTarget<O, X>, true>({member}, factor);
}
template <AnyValue V>
    requires(!detail::SettableValue<V>)
error_value_cannot_be_set<V> set(V, double);
template <AnyValue V>
    requires(!detail::SettableValue<V>)
error_value_cannot_be_set<V> multiply(V, double);

}  // namespace sigma
