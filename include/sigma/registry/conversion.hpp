// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/registry/value.hpp>

namespace sigma::detail {

/// What "expected a value of type double, found int" says; types of one short name as the compiler writes them.
template <class Wanted>
[[noreturn]] void refuse_type(std::string full, const Leaf& found) {
    std::string wanted = type_name<Wanted>(), present = found.type_text();
    if (wanted == present) {
        wanted = compiler_name<Wanted>();
        present = found.type_spelling();
    }
    throw RegistryError(std::move(full), sentence("a value of type ", wanted), std::move(present));
}

[[noreturn]] void refuse_missing(std::string full, const Item* found = nullptr);

/// The number as a Real: whole numbers that it can hold exactly, and floats as doubles.
template <class Real>
std::optional<Real> exact(const AnyNumber& n) {
    const Real real = static_cast<Real>(n.value);
    switch (n.kind) {
        case AnyNumber::single: return real;
        case AnyNumber::negative:
            if (real >= -0x1p63F && static_cast<std::int64_t>(real) == n.below) return real;
            break;
        case AnyNumber::natural:
            if (real < 0x1p64F && static_cast<std::uint64_t>(real) == n.whole) return real;
            break;
        default: break;
    }
    return std::nullopt;
}

template <class Real>
[[noreturn]] void refuse_rounding(std::string full, const std::string& type, const AnyNumber& n) {
    throw RegistryError(std::move(full), sentence("a value of type ", type_name<Real>()),
                        sentence(type, " ", n.kind == AnyNumber::negative ? "-" : "",
                                 n.kind == AnyNumber::negative ? -static_cast<std::uint64_t>(n.below) : n.whole,
                                 ", which it cannot hold exactly"));
}

/// The value as a T: exactly the leaf's type; a floating T also from whole numbers and floats it can hold exactly.
/// None if the leaf was removed meanwhile.
template <class T, class Name>
std::optional<T> read(const Leaf& leaf, const Name& full) {
    if (leaf.type() == typeid(T)) return static_cast<const LeafOf<T>&>(leaf).load();
    if constexpr (std::is_floating_point_v<T>) {
        const AnyNumber n = leaf.number();
        if (n.kind == AnyNumber::gone) return std::nullopt;
        if (n.kind == AnyNumber::negative || n.kind == AnyNumber::natural || n.kind == AnyNumber::single) {
            if (const auto real = exact<T>(n)) return real;
            refuse_rounding<T>(full(), leaf.type_text(), n);
        }
    }
    refuse_type<T>(full(), leaf);
}

/// Stores a value of the leaf's type, or a whole number that a floating leaf can hold exactly; throws without storing
/// otherwise. `really` false only checks. False if the leaf was removed meanwhile.
template <class T, class Name>
bool write(Leaf& leaf, T value, const Name& full, bool really = true) {
    if (!leaf.writable()) throw RegistryError(full(), "a value that can be set", "one that is read only");
    if (leaf.type() == typeid(T)) return !really || static_cast<LeafOf<T>&>(leaf).store(std::move(value));
    if constexpr (WholeNumber<T>) {
        const auto into = [&]<class Real>(Real*) {
            const AnyNumber n = any_number(value);
            const auto real = exact<Real>(n);
            if (!real) refuse_rounding<Real>(full(), type_name<T>(), n);
            return !really || static_cast<LeafOf<Real>&>(leaf).store(*real);
        };
        if (leaf.type() == typeid(double)) return into(static_cast<double*>(nullptr));
        if (leaf.type() == typeid(float)) return into(static_cast<float*>(nullptr));
    }
    // here the leaf's type is what is expected
    std::string wanted = leaf.type_text(), given = type_name<T>();
    if (wanted == given) {
        wanted = leaf.type_spelling();
        given = compiler_name<T>();
    }
    throw RegistryError(full(), sentence("a value of type ", wanted), given);
}

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/registry/impl/conversion.ipp>
#endif
