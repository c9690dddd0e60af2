// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// The types of `trainer.registry()`, which finds values by name at run time. Include it yourself:
/// `<sigma/trainer/registry.hpp>`.

#include <sigma/registry/registry.hpp>
#include <sigma/trainer/trainer.hpp>
#include <sigma/trainer/trainer_registry.hpp>
