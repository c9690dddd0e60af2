// SPDX-License-Identifier: BSL-1.0
#pragma once

// What `trainer.registry()` takes. Not part of sigma.hpp: a program that never looks for a name at run time need not
// read it.

#include <sigma/registry/registry.hpp>
#include <sigma/trainer/trainer.hpp>
#include <sigma/trainer/trainer_registry.hpp>
