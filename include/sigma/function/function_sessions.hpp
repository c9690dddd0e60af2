// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owners.hpp>
#include <sigma/device/session.hpp>
#include <sigma/function/made_calls.hpp>

#include <utility>
#include <vector>

namespace sigma::detail {

/// The programs of functions with their memory: a Session of a compiled program, MadeCalls of a function that is traced
/// at run time. It is not thread-safe.
class FunctionSessions {
public:
    /// Returns the object of a key, made of the arguments at the first call. A key has one type.
    template <class X, class... A>
    X& of(const void* key, const A&... arguments) {
        for (const auto& [known, object] : all_)
            if (known == key) return *static_cast<X*>(object.get());
        return *static_cast<X*>(all_.emplace_back(key, SharedOwner<X>::make(arguments...)).second.get());
    }

private:
    std::vector<std::pair<const void*, SharedOwner<void>>> all_;
};

/// Returns the programs of the functions that the calling thread runs by itself.
FunctionSessions& functions_of_thread();

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/function/impl/function_sessions.ipp>
#endif
