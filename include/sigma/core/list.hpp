// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace sigma::detail {

/// A growable array for constant evaluation and run time. It costs the compiler's evaluator about a third of a
/// std::vector, so that networks of a hundred layers compile quickly. Reserve memory if the length is known, because
/// growing costs most.
template <class T>
class List {
public:
    constexpr List() = default;
    constexpr List(int count, T value) {
        reserve(count);
        for (int i = 0; i < count; ++i) data_[i] = value;
        size_ = count;
    }
    constexpr List(const List& other) {
        reserve(other.size_);
        for (int i = 0; i < other.size_; ++i) data_[i] = other.data_[i];
        size_ = other.size_;
    }
    constexpr List(List&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)),
          capacity_(std::exchange(other.capacity_, 0)) {}
    constexpr List& operator=(List other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
        return *this;
    }
    constexpr ~List() { delete[] data_; }

    constexpr void reserve(int capacity) {
        if (capacity <= capacity_) return;
        T* const fresh = made(static_cast<std::size_t>(capacity));
        for (int i = 0; i < size_; ++i) fresh[i] = static_cast<T&&>(data_[i]);
        delete[] data_;
        data_ = fresh;
        capacity_ = capacity;
    }
    /// Appends and returns the position of the new element.
    constexpr int push(T value) {
        if (size_ == capacity_) reserve(capacity_ ? 2 * capacity_ : 8);
        data_[size_] = static_cast<T&&>(value);  // a call of std::move would cost the evaluator one call more
        return size_++;
    }
    constexpr T pop() { return std::move(data_[--size_]); }
    constexpr void clear() { size_ = 0; }
    /// Removes one element in constant time; the last one takes its place.
    constexpr void remove_unordered(int i) {
        data_[i] = std::move(data_[size_ - 1]);
        --size_;
    }
    constexpr bool contains(const T& value) const {
        for (int i = 0; i < size_; ++i)
            if (data_[i] == value) return true;
        return false;
    }

    constexpr int size() const { return size_; }
    constexpr bool empty() const { return size_ == 0; }
    constexpr T& operator[](int i) { return data_[i]; }
    constexpr const T& operator[](int i) const { return data_[i]; }
    constexpr T* begin() { return data_; }
    constexpr T* end() { return data_ + size_; }
    constexpr const T* begin() const { return data_; }
    constexpr const T* end() const { return data_ + size_; }

private:
    T* data_ = nullptr;
    int size_ = 0, capacity_ = 0;

    /// Allocates elements. Numbers are not set to zero, because they are written before they are read.
    static constexpr T* made(std::size_t capacity) {
        if constexpr (std::is_scalar_v<T>) return new T[capacity];
        else return new T[capacity]{};
    }
};

/// A view of elements that another object owns, with the interface of a constant List.
template <class T>
struct ListView {
    const T* data = nullptr;
    int count = 0;

    constexpr int size() const { return count; }
    constexpr bool empty() const { return count == 0; }
    constexpr const T& operator[](int i) const { return data[i]; }
    constexpr const T* begin() const { return data; }
    constexpr const T* end() const { return data + count; }
};

/// A fixed array that may have no elements.
template <class T, int n>
struct StaticArray {
    T data[n > 0 ? n : 1]{};
    static constexpr int size() { return n; }
    constexpr const T& operator[](int i) const { return data[i]; }
    constexpr const T* begin() const { return data; }
    constexpr const T* end() const { return data + n; }
};

}  // namespace sigma::detail
