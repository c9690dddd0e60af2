// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/dataset.hpp>

// How a dataset is made and records are chosen; included by dataset.hpp.
namespace sigma {



// Cold: it runs once, and most of it is texts of errors.




















}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/dataset_construction.ipp>
#endif
