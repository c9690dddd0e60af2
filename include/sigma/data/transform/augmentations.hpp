// SPDX-License-Identifier: BSL-1.0
#pragma once
// All augmentations.
#include <sigma/data/transform/augment/crop.hpp>
#include <sigma/data/transform/augment/erase.hpp>
#include <sigma/data/transform/augment/flip.hpp>
#include <sigma/data/transform/augment/function.hpp>
#include <sigma/data/transform/augment/noise.hpp>
#include <sigma/data/transform/augment/rotate.hpp>
#include <sigma/data/transform/augment/shift.hpp>
