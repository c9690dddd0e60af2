// SPDX-License-Identifier: BSL-1.0
#pragma once
// All transforms.
#include <sigma/data/transform/apply.hpp>
#include <sigma/data/transform/clamp.hpp>
#include <sigma/data/transform/impute.hpp>
#include <sigma/data/transform/map_values.hpp>
#include <sigma/data/transform/min_max.hpp>
#include <sigma/data/transform/normalize.hpp>
#include <sigma/data/transform/normalize_each.hpp>
#include <sigma/data/transform/on_datasets.hpp>
#include <sigma/data/transform/one_hot.hpp>
#include <sigma/data/transform/permute.hpp>
#include <sigma/data/transform/preprocessing.hpp>
#include <sigma/data/transform/reshape.hpp>
#include <sigma/data/transform/standardize.hpp>
#include <sigma/data/transform/transform.hpp>
