// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <support/scratch.hpp>
#include <support/thrown.hpp>
