// SPDX-License-Identifier: BSL-1.0
#pragma once

/// @file
/// Gradient checks against central differences, for layers, losses and functions of your own: check_gradients. Include
/// it yourself.
#include <sigma/execution/check_gradients.hpp>
#include <sigma/function/check_gradients.hpp>
