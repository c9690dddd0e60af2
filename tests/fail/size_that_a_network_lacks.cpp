// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_network_has_no_size<.*text_is<.*(widht\"|'w', 'i', 'd', 'h', 't'>).*text_is<.*(width\"|'w', 'i', 'd', 't', 'h'>)
// first-error-of-clang: in network.hpp, whose line is that of a default argument; the program's line is in its note
#include <sigma/layer/dense.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

struct Net : Network<Input(4) + Dense(dim<"width">) + SquaredDiff()> {};
#ifdef TWIN
Net net{dim<"width"> = 3};
#else
Net net{dim<"widht"> = 3};
#endif
