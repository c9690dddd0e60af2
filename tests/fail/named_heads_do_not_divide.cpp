// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_Attention_heads_do_not_divide_the_width, .*dim_is<.*text_is<.*(width\"|'w', 'i', 'd', 't', 'h'>)
#include <sigma/layer/attention.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Net : Network<Input(5, 4 * dim<"part">) + Attention(4) + SquaredDiff()> {};
#else
struct Net : Network<Input(5, dim<"width">) + Attention(4) + SquaredDiff()> {};
#endif
Net net{};
