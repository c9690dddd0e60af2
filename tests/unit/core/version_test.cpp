// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/version.hpp>

#include <catch2/catch.hpp>

#include <string>

#if SIGMA_VERSION < 100 || SIGMA_VERSION_MAJOR * 10000 > SIGMA_VERSION
#error "expected that the preprocessor can compare versions"
#endif

TEST_CASE("The version is the same in numbers, as text and in the library") {
    CHECK(SIGMA_VERSION == SIGMA_VERSION_MAJOR * 10000 + SIGMA_VERSION_MINOR * 100 + SIGMA_VERSION_PATCH);
    const std::string numbers = std::to_string(SIGMA_VERSION_MAJOR) + "." + std::to_string(SIGMA_VERSION_MINOR) + "." +
                                std::to_string(SIGMA_VERSION_PATCH);
    CHECK(numbers == SIGMA_VERSION_TEXT);
    CHECK(numbers == sigma::version());
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    CHECK(numbers == sigma::library_version);
#pragma GCC diagnostic pop
}
