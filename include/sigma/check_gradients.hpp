// SPDX-License-Identifier: BSL-1.0
#pragma once

// Gradients beside central differences, for tests of layers, losses and functions of one's own.
#include <sigma/execution/check_gradients.hpp>
#include <sigma/function/check_gradients.hpp>
