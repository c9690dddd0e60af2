// SPDX-License-Identifier: BSL-1.0
#pragma once
// Minibatches, what `>>` adds to them, and loops over them.
#include <sigma/data/batches/options.hpp>
#include <sigma/data/iterate.hpp>
#include <sigma/data/minibatches.hpp>
