// SPDX-License-Identifier: BSL-1.0
#include <sigma/device/cpu/product_blas.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <string>
#include <vector>

using namespace sigma::simd;

TEST_CASE("the report is one readable line", "[blas]") {
    const std::string report = blas_report();
    INFO(report);
    CHECK(report.find('\n') == std::string::npos);
    CHECK(report.find("BLAS") != std::string::npos);
    if (openblas_get_corename != nullptr) {
        CHECK(report.substr(0, 9) == "OpenBLAS ");
        CHECK(report.find(", kernels " + std::string(openblas_get_corename())) != std::string::npos);
        CHECK(report.find(", 1 thread") == report.size() - 10);
    }
}

TEST_CASE("kernels that are too old for the machine are replaced", "[blas]") {
    if (openblas_get_corename == nullptr || gotoblas_dynamic_init == nullptr) return;
    prepare_blas();
    const std::string usual = openblas_get_corename();
    CHECK(better_blas_kernels("Zen").empty());
    CHECK(better_blas_kernels("Haswell").empty());
    CHECK(better_blas_kernels("SkylakeX").empty());
    const std::string better{better_blas_kernels("Prescott")};
    const auto force = [](const char* kernels) {  // what a misdetected processor looks like
        setenv("OPENBLAS_CORETYPE", kernels, 1);
        gotoblas_dynamic_quit();
        gotoblas_dynamic_init();
    };
    force("Prescott");
    REQUIRE(std::string(openblas_get_corename()) == "Prescott");
    SECTION("unless the user wants them") {
        const BlasState state = choose_blas_kernels();
        CHECK(state.used == "Prescott");
        CHECK(std::string(openblas_get_corename()) == "Prescott");
    }
    SECTION("when nobody asked for them") {
        unsetenv("OPENBLAS_CORETYPE");
        const BlasState state = choose_blas_kernels();
        CHECK(state.chosen == "Prescott");
        CHECK(state.used == (better.empty() ? "Prescott" : better));
        CHECK(std::getenv("OPENBLAS_CORETYPE") == nullptr);
    }
    force(usual.c_str());
    unsetenv("OPENBLAS_CORETYPE");
    CHECK(std::string(openblas_get_corename()) == usual);
}

TEMPLATE_TEST_CASE("blas_product means the same as product", "[blas]", float, double) {
    using T = TestType;
    constexpr int m = 13, n = 7, k = 29;
    for (const bool transposed : {false, true})
        for (const bool accumulate : {false, true}) {
            std::vector<T> a(m * k), b(k * n), c(m * n, T(2)), d(m * n, T(2));
            for (std::size_t i = 0; i < a.size(); ++i) a[i] = T(i % 5) - T(2);
            for (std::size_t i = 0; i < b.size(); ++i) b[i] = T(i % 7) - T(3);
            ProductArguments<T> p{
                m, n,      k,          a.data(), transposed ? 1 : k, transposed ? m : 1, b.data(), n, c.data(),
                n, T(0.5), accumulate, false};
            product(p);
            p.c = d.data();
            blas_product(p);
            CHECK(c == d);  // small integers: exact in any order
        }
}

TEST_CASE("only large products go to BLAS", "[blas]") {
    CHECK_FALSE(product_uses_blas<float>(10, 12, 12));
    CHECK_FALSE(product_uses_blas<float>(100, 1024, 1024));
    CHECK_FALSE(product_uses_blas<double>(1024, 1024, 100));
    CHECK(product_uses_blas<float>(2048, 2048, 2048));
}
