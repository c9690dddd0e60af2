// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_shared_layers_have_different_parameters, .*first_is, 4, 6>, .*second_is, 3, 6>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Graph : Network<(Input(4) & Input(4)) + Parallel(shared("tower", Dense(6)), shared("tower", Dense(6))) + Add() + SquaredDiff()> {};
#else
struct Graph : Network<(Input(4) & Input(3)) + Parallel(shared("tower", Dense(6)), shared("tower", Dense(6))) + Add() + SquaredDiff()> {};
#endif
static_assert(Graph::output.rank > 0);
