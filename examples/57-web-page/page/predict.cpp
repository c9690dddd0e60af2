// SPDX-License-Identifier: BSL-1.0
// The network of digits.hpp, which example 57 has written, for a web page:
//     em++ -O2 -msimd128 -fno-slp-vectorize -std=c++17 -sSTANDALONE_WASM --no-entry predict.cpp -o digits.wasm
#include "digits.hpp"

#include <emscripten.h>

// [page]
static float in[digits::inputs], out[digits::outputs];
static digits::Workspace workspace;

extern "C" EMSCRIPTEN_KEEPALIVE float* input() { return in; }  // the page writes the numbers here
extern "C" EMSCRIPTEN_KEEPALIVE float* predict() {             // and reads the prediction there
    digits::predict(in, out, workspace);
    return out;
}
// [page]
