// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_Add_branches_do_not_fit, .*given_sizes<.*first_value_is, .*extent_is<-1>, .*dim_is<.*text_is<.*(width\"|'w', 'i', 'd', 't', 'h'>).*given_sizes<.*second_value_is
// first-error-of-g++: 399 characters, since each name is a Text
// first-error-of-clang: 402 characters, since each name is spelled by letters
#include <sigma/layer/dense.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Sum : Network<Input(dim<"inputs">) + Add(Dense(4 * dim<"width">), Dense(4 * dim<"width">)) + SquaredDiff()> {};
#else
struct Sum : Network<Input(dim<"inputs">) + Add(Dense(dim<"width">), Dense(4 * dim<"width">)) + SquaredDiff()> {};
#endif
Sum sum_of_branches{};
