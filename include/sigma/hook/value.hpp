// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owners.hpp>
#include <sigma/hook/moment.hpp>

#include <concepts>
#include <string>
#include <string_view>

namespace sigma {

class TrainerView;

/// A number that a running trainer has: `loss`, `accuracy`, `learning_rate`. Its type says how it is called, when it is
/// new, and whether a hook computes it.
template <class V>
concept AnyValue = requires(const V& v) {
    { V::moment } -> std::convertible_to<Moment>;
    { V::computed } -> std::convertible_to<bool>;
    { v.text() } -> std::convertible_to<std::string>;
    typename V::Sources;
};

namespace detail {

/// The comparisons that values offer; see criterion.hpp, which defines them.
template <class V>
struct Comparisons;

class Derived;

template <class V>
inline constexpr bool is_derived = requires { V::derived; };
/// Does the value count how often it was newly computed?
template <class V>
inline constexpr bool is_versioned = V::computed || requires { V::versioned; };

/// What a type of values says, as data. Its address is what tells values apart.
struct ValueRecord {
    enum class Kind : unsigned char { live, computed, derived };
    Kind kind;
    Moment moment;
    bool versioned, larger_is_better;
    bool is_count;                       ///< of epochs or iterations
    std::string_view name;               ///< of those that are not derived
    double (*read)(const TrainerView&);  ///< of live ones; those of one's own are read by who knows the trainer's type
};

template <class V>
inline constexpr bool is_read_by_view = false;
template <class V>
    requires requires {
        { &V::read } -> std::same_as<double (*)(const TrainerView&)>;
    }
inline constexpr bool is_read_by_view<V> = true;

template <class V>
constexpr ValueRecord describe_value() {
    using Kind = ValueRecord::Kind;
    ValueRecord r{V::computed     ? Kind::computed
                  : is_derived<V> ? Kind::derived
                                  : Kind::live,
                  V::moment, is_versioned<V>, V::larger_is_better, requires {V::scale;
}
, {}, nullptr
};  // namespace detail
if constexpr (!is_derived<V>) r.name = V::name.view();
if constexpr (is_read_by_view<V>) r.read = &V::read;
return r;
}  // namespace sigma
template <class V>
inline constexpr ValueRecord value_record = describe_value<V>();

/// A value without its type.
class ValueHandle {
public:
    ValueHandle() = default;  ///< none
    ValueHandle(const ValueRecord& record, detail::SharedOwner<Derived> derived = {})
        : record_(&record), derived_(std::move(derived)) {}

    explicit operator bool() const { return record_ != nullptr; }
    const ValueRecord& record() const { return *record_; }
    /// Of a value that is made of others.
    Derived* derived() const { return derived_.get(); }
    const void* id() const { return derived_ ? static_cast<const void*>(derived_.get()) : record_; }
    std::string text() const;  // derived.hpp has it
    void set(detail::SharedOwner<Derived> derived) { derived_ = std::move(derived); }

private:
    const ValueRecord* record_ = nullptr;
    detail::SharedOwner<Derived> derived_;
};

template <AnyValue V>
ValueHandle value_of(const V& v) {
    if constexpr (is_derived<V>) return v.handle;
    else return value_record<V>;
}

}  // namespace detail

}  // namespace sigma
