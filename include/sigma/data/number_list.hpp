// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

namespace sigma {

/// Numbers in a row: of float, or of double where a program's arrays are, or a reader is asked for `.doubles = true`.
class NumberList {
public:
    NumberList() = default;
    NumberList(std::vector<float> numbers) : floats_(std::move(numbers)) {}
    NumberList(std::vector<double> numbers) : doubles_(std::move(numbers)), of_double_(true) {}
    NumberList(std::initializer_list<float> numbers) : floats_(numbers) {}

    bool of_double() const { return of_double_; }
    std::size_t size() const { return of_double_ ? doubles_.size() : floats_.size(); }
    bool empty() const { return size() == 0; }

    /// The numbers where they are of that type, else none. To be written: a list of the other type becomes an empty one
    /// of this.
    const std::vector<float>& floats() const& { return floats_; }
    std::vector<float> floats() && { return std::move(floats_); }
    const std::vector<double>& doubles() const& { return doubles_; }
    std::vector<double> doubles() && { return std::move(doubles_); }
    std::vector<float>& floats() &;
    std::vector<double>& doubles() &;

    /// f(vector) of the type that they are of.
    template <class F>
    decltype(auto) visit(F&& f) {
        return of_double_ ? f(doubles_) : f(floats_);
    }
    template <class F>
    decltype(auto) visit(F&& f) const {
        return of_double_ ? f(doubles_) : f(floats_);
    }

    /// Keeps the type.
    void clear() { resize(0); }
    void resize(std::size_t count);
    void reserve(std::size_t count);
    void erase_front(std::size_t count);
    /// `count` times the same number.
    void append(std::size_t count, float number);
    /// Numbers first … first + count - 1 of another list. Doubles behind floats make doubles of all, and an empty list
    /// takes the other's type.
    void append(const NumberList& from, std::size_t first, std::size_t count);
    void append(const NumberList& from) { append(from, 0, from.size()); }

    /// The nearest floats or doubles to some of them.
    template <class T>
    void copy(std::size_t first, std::size_t count, T* to) const;
    std::span<const std::byte> bytes() const&;
    void bytes() && = delete;
    std::span<std::byte> bytes() &;

    friend bool operator==(const NumberList&, const NumberList&) = default;

private:
    std::vector<float> floats_;
    std::vector<double> doubles_;
    bool of_double_ = false;
};

}  // namespace sigma

#ifdef SIGMA_COMPILED
extern template void sigma::NumberList::copy(std::size_t, std::size_t, float*) const;
extern template void sigma::NumberList::copy(std::size_t, std::size_t, double*) const;
#else
#include <sigma/data/impl/number_list.ipp>
#endif
