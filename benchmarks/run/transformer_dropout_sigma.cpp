// SPDX-License-Identifier: BSL-1.0
// The same step with libtorch's default dropout; a program of its own, so that each compiles as fast as it can.
#define TRANSFORMER_DROPOUT 0.1
#include "transformer_sigma.cpp"
