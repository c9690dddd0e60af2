// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <utility>

namespace sigma::detail {

/// A guard that calls f at the end of its scope.
template <class F>
class AtExit {
public:
    explicit AtExit(F f) : f_(std::move(f)) {}
    ~AtExit() { f_(); }
    AtExit(const AtExit&) = delete;
    AtExit& operator=(const AtExit&) = delete;

private:
    F f_;
};

/// A guard that sets a variable to a value, and to X{} at the end of its scope.
template <class X>
class Restore {
public:
    template <class Y>
    Restore(X& place, Y&& value) : place_(place) {
        place = std::forward<Y>(value);
    }
    ~Restore() { place_ = X{}; }
    Restore(const Restore&) = delete;
    Restore& operator=(const Restore&) = delete;

private:
    X& place_;
};

}  // namespace sigma::detail
