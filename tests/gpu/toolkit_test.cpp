// SPDX-License-Identifier: BSL-1.0
// The libraries of the toolkit match its headers, and can be called without a driver.
#include <cublasLt.h>
#include <cuda_runtime_api.h>
#include <nvrtc.h>
#include <catch2/catch.hpp>

TEST_CASE("the linked CUDA runtime and NVRTC are those of the headers") {
    int linked = 0;
    REQUIRE(cudaRuntimeGetVersion(&linked) == cudaSuccess);
    CHECK(linked / 1000 == CUDART_VERSION / 1000);
    CHECK(linked >= CUDART_VERSION);

    int major = 0, minor = 0;
    REQUIRE(nvrtcVersion(&major, &minor) == NVRTC_SUCCESS);
    CHECK(major == CUDART_VERSION / 1000);
}

TEST_CASE("the linked cuBLASLt is that of the headers") {
    CHECK(cublasLtGetVersion() / 10000 == CUBLAS_VERSION / 10000);
    CHECK(cublasLtGetVersion() >= CUBLAS_VERSION);
}
