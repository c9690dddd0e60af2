// SPDX-License-Identifier: BSL-1.0
#if __has_include(<sigma/sigma.hpp>)
#include <sigma/sigma.hpp>
#endif
#include <sigma/core/philox.hpp>
#include <sigma/data/iris.hpp>
#include <sigma/data/mnist.hpp>

#include <cstdio>

// Runs only where the installed headers, libraries and data sets are found.
int main() {
    const sigma::Dataset digits = sigma::data::mnist();
    const sigma::Dataset flowers = sigma::data::iris();
    std::printf("%zu digits, %zu flowers\n", digits.size(), flowers.size());
    return digits.size() > 0 && flowers.size() == 150 ? 0 : 1;
}
