// SPDX-License-Identifier: BSL-1.0
#pragma once

/// @file
/// Profiles: time, bytes, operations and share of the machine's peak of each kernel. Include it yourself.
#include <sigma/trainer/profile.hpp>
