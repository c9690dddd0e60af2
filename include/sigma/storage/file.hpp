// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Files that are replaced as a whole: AtomicFile. Include it yourself.

#include <sigma/storage/posix/file.hpp>
