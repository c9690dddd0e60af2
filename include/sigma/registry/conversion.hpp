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

[[noreturn]] inline void refuse_missing(std::string full, const Item* found = nullptr) {
    throw RegistryError(std::move(full), "a value", found ? "a registry" : "none");
}

/// The whole number as a floating one, if that can hold it exactly.
template <class Real, class Whole>
std::optional<Real> exact(Whole whole) {
    const Real real = static_cast<Real>(whole);
    // rounded up to the first number beyond Whole, it could not be converted back
    constexpr Real beyond = static_cast<Real>(Whole{1} << (8 * sizeof(Whole) - 2)) * (std::is_signed_v<Whole> ? 2 : 4);
    if (real < beyond && static_cast<Whole>(real) == whole) return real;
    return std::nullopt;
}

/// Calls visit(value) if the leaf is a number, with none if it was removed meanwhile.
template <class... Ts, class Visit>
bool visit_number_of(const Leaf& leaf, const Visit& visit) {
    const auto one = [&]<class T>(T*) {
        if (leaf.type() != typeid(T)) return false;
        visit(static_cast<const LeafOf<T>&>(leaf).load());
        return true;
    };
    return (one(static_cast<Ts*>(nullptr)) || ...);
}
template <class Visit>
bool visit_number(const Leaf& leaf, const Visit& visit) {
    return visit_number_of<double, float, int, std::int64_t, std::uint64_t, unsigned, short, unsigned short,
                           signed char, unsigned char, bool>(leaf, visit);
}

/// The value as a T: exactly the leaf's type; a floating T also from whole numbers and floats it can hold exactly.
/// None if the leaf was removed meanwhile.
template <class T, class Name>
std::optional<T> read(const Leaf& leaf, const Name& full) {
    if (leaf.type() == typeid(T)) return static_cast<const LeafOf<T>&>(leaf).load();
    if constexpr (std::is_floating_point_v<T>) {
        std::optional<T> result;
        bool convertible = false;
        visit_number(leaf, [&](auto value) {
            using V = typename decltype(value)::value_type;
            if constexpr (WholeNumber<V>) {
                convertible = true;
                if (!value) return;
                result = exact<T>(*value);
                if (!result)
                    throw RegistryError(full(), sentence("a value of type ", type_name<T>()),
                                        sentence(type_name<V>(), " ", *value, ", which it cannot hold exactly"));
            } else if constexpr (std::is_same_v<V, float>) {
                convertible = true;
                if (value) result = static_cast<T>(*value);
            }
        });
        if (convertible) return result;
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
            const auto real = exact<Real>(value);
            if (!real)
                throw RegistryError(full(), sentence("a value of type ", type_name<Real>()),
                                    sentence(type_name<T>(), " ", value, ", which it cannot hold exactly"));
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
