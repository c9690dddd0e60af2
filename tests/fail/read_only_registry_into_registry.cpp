// SPDX-License-Identifier: BSL-1.0
// expected-first-error-g++: conversion from .*ReadOnlyRegistry.* to non-scalar type .*Registry
// expected-first-error-clang: no viable conversion from .*ReadOnlyRegistry.* to .*Registry
#include <sigma/registry/registry.hpp>
using namespace sigma;

void snapshot([[maybe_unused]] ReadOnlyRegistry view) {
#ifdef TWIN
    Registry own = view.copy();
#else
    Registry own = view;
#endif
    own.set("shared.accuracy", 0.5);
}
