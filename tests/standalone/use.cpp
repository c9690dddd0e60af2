// SPDX-License-Identifier: BSL-1.0
// A program of C++17 over the headers that example 41 has written, and over no library of Sigma.
#include "digits.hpp"
#include "digits_int8.hpp"

// [use]
struct Picture {
    float pixels[digits::inputs];
};
constexpr auto stroke() {
    Picture p{};
    for (int row = 5; row < 23; ++row) p.pixels[row * 28 + 13] = p.pixels[row * 28 + 14] = 0.95f;
    return p;
}
constexpr Picture one = stroke();
static_assert(digits::classify(one.pixels) == 1);  // the compiler reads it

float certainty(const float pixels[784], digits::Workspace& workspace) {  // the workspace is not on the stack
    float probabilities[digits::outputs];
    digits::predict(pixels, probabilities, workspace);
    return probabilities[digits::classify(pixels)];
}
// [use]

int main() {
    static digits::Workspace workspace;
    static_assert(digits_int8::classify(one.pixels) == 1);
    return certainty(one.pixels, workspace) > 0.3f ? 0 : 1;
}
