// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_network_has_more_than_16_named_sizes
#include <sigma/layer/dense.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

#ifdef TWIN
struct Net : Network<Input(dim<"a">) + Dense(dim<"b">) + Dense(dim<"c">) + Dense(dim<"d">) + Dense(dim<"e">) + Dense(dim<"f">) + Dense(dim<"g">) + Dense(dim<"h">) + Dense(dim<"i">) + Dense(dim<"j">) + Dense(dim<"k">) + Dense(dim<"l">) + Dense(dim<"m">) + Dense(dim<"n">) + Dense(dim<"o">) + Dense(dim<"p">) + SquaredDiff()> {};
#else
struct Net : Network<Input(dim<"a">) + Dense(dim<"b">) + Dense(dim<"c">) + Dense(dim<"d">) + Dense(dim<"e">) + Dense(dim<"f">) + Dense(dim<"g">) + Dense(dim<"h">) + Dense(dim<"i">) + Dense(dim<"j">) + Dense(dim<"k">) + Dense(dim<"l">) + Dense(dim<"m">) + Dense(dim<"n">) + Dense(dim<"o">) + Dense(dim<"p">) + Dense(dim<"q">) + SquaredDiff()> {};
#endif
Net net{};
