// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/registry/error.hpp>
#include <sigma/registry/value_text.hpp>
#include <sigma/registry/watch.hpp>

#include <optional>
#include <typeinfo>

namespace sigma::detail {

/// The type under which a T is kept: texts as std::string, `long long` as the std::int64_t of its size.
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

/// Numbers that are kept in atomics without a lock.
template <class T>
concept AtomicNumber = std::is_arithmetic_v<T> && std::atomic<T>::is_always_lock_free;

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

    /// Null if it was removed meanwhile.
    virtual std::shared_ptr<const T> share() const = 0;
    virtual std::optional<T> load() const {
        const auto value = share();
        return value ? std::optional<T>(*value) : std::nullopt;
    }
    /// Without telling those who watch. False if it was removed meanwhile.
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

/// Computed by the user's function when read.
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

}  // namespace sigma::detail
