// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_maximise_needs_a_network_with_one_input<.*Pair, 2>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/branches.hpp>
#include <sigma/execution/maximise.hpp>
using namespace sigma;

#ifdef TWIN
struct Pair : Network<Input(2) + Dense(1) + SquaredDiff()> {};
#else
struct Pair : Network<(Input(2) & Input(2)) + Add() + Dense(1) + SquaredDiff()> {};
#endif
auto search(Model<Pair>& model) { return maximise(model, 1); }
