// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Values of registries, and cells for fast access. Included by `<sigma/registry/registry.hpp>`.

#include <sigma/core/error.hpp>
#include <sigma/registry/tree.hpp>

#include <array>
#include <optional>
#include <typeinfo>
#include <vector>

namespace sigma::detail {

template <class T>
constexpr auto signature_of() {
    return std::string_view(__PRETTY_FUNCTION__);
}

/// Returns T as the compiler writes it: "[with T = X]" of g++, "[T = X]" of clang.
template <class T>
constexpr std::string_view compiler_name() {
    std::string_view text = signature_of<T>();
    text.remove_prefix(text.find("T = ") + 4);
    return text.substr(0, text.rfind(']'));
}

template <class T>
concept HasShape = requires(const T& x) {
    typename T::value_type;
    x.shape();
    x.dimension();
};

template <class T>
concept NumberSequence = requires(const T& x) {
    requires std::is_arithmetic_v<typename T::value_type>;
    x.begin();
    x.end();
};

template <class T>
inline constexpr bool is_character =
    std::is_same_v<T, char> || std::is_same_v<T, wchar_t> || std::is_same_v<T, char8_t> ||
    std::is_same_v<T, char16_t> || std::is_same_v<T, char32_t>;

/// A whole number: neither a truth value nor a character.
template <class T>
concept WholeNumber = std::is_integral_v<T> && !std::is_same_v<T, bool> && !is_character<T>;

template <class T>
inline constexpr bool is_std_vector = false;
template <class T, class A>
inline constexpr bool is_std_vector<std::vector<T, A>> = true;
template <class T>
inline constexpr bool is_std_array = false;
template <class T, std::size_t n>
inline constexpr bool is_std_array<std::array<T, n>> = true;

/// Returns the name of a type for messages and reports: "double", "int", "uint64", "string", "vector of float", "array
/// of float" (anything with a shape, of any rank). Other types are named as the compiler writes them.
template <class T>
std::string type_name() {
    if constexpr (detail::WholeNumber<T>) {
        const std::string name = std::is_signed_v<T> ? "int" : "uint";
        return sizeof(T) == sizeof(int) ? name : sentence(name, 8 * sizeof(T));
    } else if constexpr (std::is_same_v<T, std::string>) {
        return "string";
    } else if constexpr (detail::is_std_vector<T>) {
        return sentence("vector of ", type_name<typename T::value_type>());
    } else if constexpr (detail::HasShape<T> || detail::is_std_array<T>) {
        return sentence("array of ", type_name<typename T::value_type>());
    } else {
        return std::string(detail::compiler_name<T>());
    }
}

/// Returns a value as text for reports: numbers and texts in full, arrays by their shape and first elements ("(784, 10)
/// [0.1, -0.2, 0.05, ...]"), types with a text() by that. Other types have an empty text.
template <class T>
std::string value_text(const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
        return value ? "true" : "false";
    } else if constexpr (std::is_same_v<T, char>) {
        return std::string(1, value);
    } else if constexpr (std::is_arithmetic_v<T>) {
        return sentence(value);
    } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
        return std::string(std::string_view(value));
    } else if constexpr (detail::NumberSequence<T>) {
        constexpr int most = 8;
        std::string text;
        if constexpr (detail::HasShape<T>) text = shape_text(value.shape()) + " ";
        text += '[';
        int count = 0;
        for (auto i = value.begin(); i != value.end(); ++i, ++count) {
            if (count > 0) text += ", ";
            if (count == most) {
                text += "...";
                break;
            }
            text += value_text(static_cast<typename T::value_type>(*i));
        }
        return text + "]";
    } else if constexpr (requires { std::string(value.text()); }) {
        return value.text();
    } else {
        return "";
    }
}

/// The type in which a T is stored: texts as std::string, `long long` as the std::int64_t of its size.
template <class T>
struct StoredType {
    using type = T;
};
template <class T>
    requires(WholeNumber<T> && sizeof(T) == 8)
struct StoredType<T> {
    using type = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
};
template <class T>
    requires(std::is_same_v<T, char*> || std::is_same_v<T, const char*> || std::is_same_v<T, std::string_view>)
struct StoredType<T> {
    using type = std::string;
};
template <class T>
using stored = typename StoredType<std::decay_t<T>>::type;

/// A number that is stored in an atomic without a lock.
template <class T>
concept AtomicNumber = std::is_arithmetic_v<T> && std::atomic<T>::is_always_lock_free;

template <class T>
AnyNumber any_number(T x) {
    AnyNumber n{.value = static_cast<double>(x)};
    if constexpr (std::is_floating_point_v<T>) {
        n.kind = std::is_same_v<T, float> ? AnyNumber::single : AnyNumber::real;
    } else if (x < T{}) {
        n.kind = AnyNumber::negative;
        n.below = static_cast<std::int64_t>(x);
    } else {
        n.kind = std::is_same_v<T, bool> ? AnyNumber::truth : AnyNumber::natural;
        n.whole = static_cast<std::uint64_t>(x);
    }
    return n;
}

template <class T>
struct LeafOf : Leaf {
    using Leaf::Leaf;
    const std::type_info& type() const final { return typeid(T); }
    std::string type_text() const final { return type_name<T>(); }
    std::string_view type_spelling() const final { return compiler_name<T>(); }
    std::string text() const final {
        const auto value = share();
        return value ? value_text(*value) : "";
    }

    AnyNumber number() const final {
        if constexpr (std::is_arithmetic_v<T> && !is_character<T>) {
            const auto value = load();
            return value ? any_number(*value) : AnyNumber{.kind = AnyNumber::gone};
        } else {
            return {};
        }
    }

    /// Returns the value; null if it was removed in the meantime.
    virtual std::shared_ptr<const T> share() const = 0;
    virtual std::optional<T> load() const {
        const auto value = share();
        return value ? std::optional<T>(*value) : std::nullopt;
    }
    /// Sets the value without notifying watches. Returns false if it was removed in the meantime.
    virtual bool store(T value) = 0;
};

template <class T>
struct ObjectLeaf final : LeafOf<T> {
    Published<T> value;

    ObjectLeaf(std::weak_ptr<Branch> owner_, std::string_view name_, std::shared_ptr<const T> value_)
        : LeafOf<T>(std::move(owner_), name_), value(std::move(value_)) {}
    std::shared_ptr<const T> share() const override { return value.load(); }
    bool store(T fresh) override {
        value.store(std::make_shared<const T>(std::move(fresh)));
        return true;
    }
    std::shared_ptr<Leaf> copy(std::weak_ptr<Branch> owner_) const override {
        return std::make_shared<ObjectLeaf>(std::move(owner_), this->name, value.load());
    }
};

template <class T>
struct NumberLeaf final : LeafOf<T> {
    std::atomic<T> value;

    NumberLeaf(std::weak_ptr<Branch> owner_, std::string_view name_, T value_)
        : LeafOf<T>(std::move(owner_), name_), value(value_) {}
    std::shared_ptr<const T> share() const override { return std::make_shared<const T>(*load()); }
    std::optional<T> load() const override { return value.load(std::memory_order_acquire); }
    bool store(T fresh) override {
        value.store(fresh, std::memory_order_release);
        return true;
    }
    std::shared_ptr<Leaf> copy(std::weak_ptr<Branch> owner_) const override {
        return std::make_shared<NumberLeaf>(std::move(owner_), this->name, *load());
    }
};

template <class T>
std::shared_ptr<Leaf> make_leaf(std::weak_ptr<Branch> owner, std::string_view name, T value) {
    if constexpr (AtomicNumber<T>) {
        return std::make_shared<NumberLeaf<T>>(std::move(owner), name, value);
    } else {
        return std::make_shared<ObjectLeaf<T>>(std::move(owner), name, std::make_shared<const T>(std::move(value)));
    }
}

struct NoSetter {};

/// A value that the user's function computes when it is read.
template <class T, class Getter, class Setter>
struct LinkLeaf final : LeafOf<T> {
    LinkLeaf(std::weak_ptr<Branch> owner_, std::string_view name_, Getter getter, Setter setter)
        : LeafOf<T>(std::move(owner_), name_), getter_(std::move(getter)), setter_(std::move(setter)) {}
    std::shared_ptr<const T> share() const override {
        auto value = load();
        return value ? std::make_shared<const T>(std::move(*value)) : nullptr;
    }
    std::optional<T> load() const override {
        const Gate::Pass pass(gate_);
        return pass ? std::optional<T>(getter_()) : std::nullopt;
    }
    bool store(T fresh) override {
        const Gate::Pass pass(gate_);
        if constexpr (!std::is_same_v<Setter, NoSetter>)
            if (pass) setter_(std::move(fresh));
        return static_cast<bool>(pass);
    }
    bool writable() const override { return !std::is_same_v<Setter, NoSetter>; }
    std::shared_ptr<Leaf> copy(std::weak_ptr<Branch> owner_) const override {
        auto value = load();
        return value ? make_leaf<T>(std::move(owner_), this->name, std::move(*value)) : nullptr;
    }
    void close() override { gate_.close(); }

private:
    mutable Gate gate_;
    mutable Getter getter_;
    Setter setter_;
};

/// Throws the error of a wrong type, "expected a value of type double, found int". Types with the same short name are
/// named as the compiler writes them.
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
    throw RegistryError(std::move(full), "a value", found ? "a registry" : "an unknown name");
}

/// Returns the number as a Real: whole numbers that it holds exactly, and floats as doubles.
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

/// Returns the value as a T, of the leaf's type. A floating T also reads whole numbers and floats that it holds
/// exactly. Returns nothing if the leaf was removed in the meantime.
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

/// Stores a value of the leaf's type, or a whole number that a floating leaf holds exactly. Throws without storing
/// otherwise. Only checks if `really` is false. Returns false if the leaf was removed in the meantime.
template <class T, class Name>
bool write(Leaf& leaf, T value, const Name& full, bool really = true) {
    if (!leaf.writable()) throw RegistryError(full(), "a value that can be set", "a read-only value");
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
    // The leaf has the expected type, the value the found one.
    std::string wanted = leaf.type_text(), given = type_name<T>();
    if (wanted == given) {
        wanted = leaf.type_spelling();
        given = compiler_name<T>();
    }
    throw RegistryError(full(), sentence("a value of type ", wanted), given);
}

}  // namespace sigma::detail

namespace sigma {

/// A handle of a number in a registry, for fast code: reading and writing are one atomic access and never wait.
///
/// The cell keeps its number when the name is removed from the registry, but nothing else sees the number then. Each
/// `store` notifies watches, which costs two atomic reads if there are none. An empty cell ignores `store` and returns
/// T{}.
///
/// @tparam T  type of the number
///
/// @par Example
/// @code
/// Registry registry;
/// const Cell<double> cell = registry.cell<double>("shared.accuracy");
/// cell.store(0.97);
/// @endcode
template <class T>
class Cell {
    static_assert(detail::AtomicNumber<T>, "a cell must hold a number or a truth value");

public:
    /// Constructs an empty cell.
    Cell() = default;
    /// @cond internal
    explicit Cell(std::shared_ptr<detail::NumberLeaf<T>> leaf) : leaf_(std::move(leaf)) {}
    /// @endcond

    /// Sets the number and notifies watches.
    /// @param value  the new number
    void store(T value) const {
        if (!leaf_) return;
        leaf_->value.store(value, std::memory_order_release);
        detail::announce(*leaf_);
    }
    /// Returns the number; T{} for an empty cell.
    /// @return the number
    T load() const { return leaf_ ? leaf_->value.load(std::memory_order_acquire) : T{}; }

    /// Returns whether the number is still in its registry.
    /// @return true if so
    bool attached() const { return leaf_ && leaf_->attached.load(std::memory_order_acquire); }

private:
    std::shared_ptr<detail::NumberLeaf<T>> leaf_;
};

}  // namespace sigma
