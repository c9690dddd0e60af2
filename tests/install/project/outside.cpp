// SPDX-License-Identifier: BSL-1.0
#if __has_include(<sigma/sigma.hpp>)
#include <sigma/sigma.hpp>
#endif
#include <sigma/core/philox.hpp>
#include <sigma/core/version.hpp>
#include <sigma/data/image/image.hpp>
#include <sigma/data/mnist.hpp>
#include <sigma/data/ready.hpp>

#include <cstddef>
#include <cstdio>
#include <span>
#include <string_view>

// Runs only where the installed headers, libraries and data sets are found.
int main() {
#ifdef EXPECTED_VERSION
    if (std::string_view(sigma::version()) != EXPECTED_VERSION ||
        std::string_view(SIGMA_VERSION_TEXT) != EXPECTED_VERSION)
        return 1;
#endif
    const sigma::Dataset digits = sigma::data::mnist().training;
    const sigma::Dataset flowers = sigma::data::iris();
    const sigma::data::Image grey = sigma::data::decode_image(std::as_bytes(std::span("P2 1 1 255 7", 12)));
    std::printf("%zu digits, %zu flowers\n", digits.size(), flowers.size());
    return digits.size() > 0 && flowers.size() == 150 && grey.values[0] == 7 ? 0 : 1;
}
