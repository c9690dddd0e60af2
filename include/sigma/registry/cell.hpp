// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/registry/value.hpp>

namespace sigma {

/// A number of a registry for code that is in a hurry: writing and reading are one atomic access and never wait.
/// It keeps its value when its name is removed from the registry; then nobody else sees it. Watches are told of each
/// store; where nobody watches, that costs two reads of atomics. An empty cell takes and gives nothing (T{}).
template <class T>
class Cell {
    static_assert(detail::AtomicNumber<T>, "cells hold numbers and truth values");

public:
    Cell() = default;
    explicit Cell(std::shared_ptr<detail::NumberLeaf<T>> leaf) : leaf_(std::move(leaf)) {}

    void store(T value) const {
        if (!leaf_) return;
        leaf_->value.store(value, std::memory_order_release);
        detail::announce(*leaf_);
    }
    T load() const { return leaf_ ? leaf_->value.load(std::memory_order_acquire) : T{}; }

    /// Is it still in its registry?
    bool attached() const { return leaf_ && leaf_->attached.load(std::memory_order_acquire); }

private:
    std::shared_ptr<detail::NumberLeaf<T>> leaf_;
};

}  // namespace sigma
