// SPDX-License-Identifier: BSL-1.0
// The number of threads of a run.
#include <sigma/sigma.hpp>
#include <sigma/storage/process.hpp>

#include <catch2/catch.hpp>
#include <support/thrown.hpp>

#include <cmath>
#include <thread>

#ifdef __linux__
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

using namespace sigma;

TEST_CASE("cores: all that the process may use, a share of them, or a number") {
    const int cores = sigma::detail::usable_cores();
    CHECK(cores >= 1);
    CHECK(cores <= static_cast<int>(std::thread::hardware_concurrency()));
    CHECK(cpu().threads == cores);
    CHECK(cpu(1.0).threads == cores);
    CHECK(cpu(0.5).threads == std::max(1, cores / 2));
    CHECK(cpu(1e-9).threads == 1);
    CHECK(cpu(1).threads == 1);
    CHECK(cpu(1u).threads == 1);
    CHECK(cpu(1000).threads == std::min(cores, 1000));
    CHECK(cpu(5'000'000'000).threads == std::min(cores, 1024));
    CHECK(cpu({.threads = 3}).threads == 3);
    for (const double wrong : {0.0, -0.5, 1.5, std::nan("")}) CHECK_THROWS_AS(cpu(wrong), ArgumentError);
    CHECK_THROWS_AS(cpu(-1L), ArgumentError);
    CHECK(error_text([] { cpu(0); }) == "cpu: expected 1 thread or more, found 0");
    CHECK(error_text([] { cpu({.threads = 0}); }) == "cpu: expected 1 to 1024 threads, found 0");
}

TEST_CASE("cores: a device says what it got") {
    CHECK(Device(cpu(1)).text() == "cpu");
    CHECK(Device(cpu({.threads = 3})).text() == "cpu, 3 threads");
    if (const int cores = sigma::detail::usable_cores(); cores > 1 && cores < 1000)
        CHECK(Device(cpu(1000)).text() == sentence("cpu, ", cores, " threads (1000 requested)"));
}

TEST_CASE("cores: a quota is worth whole cores, rounded up") {
    using sigma::detail::cores_of_quota;
    CHECK(cores_of_quota("max 100000\n", 8) == 8);
    CHECK(cores_of_quota("150000 100000\n", 8) == 2);
    CHECK(cores_of_quota("50000 100000", 8) == 1);
    CHECK(cores_of_quota("3200000 100000\n", 8) == 8);
    CHECK(cores_of_quota("", 8) == 8);
    CHECK(cores_of_quota("100000", 8) == 8);
    CHECK(cores_of_quota("0 0", 8) == 8);
    CHECK(cores_of_quota("nonsense here\n", 8) == 8);
}

#ifdef __linux__
TEST_CASE("cores: affinity counts") {
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(static_cast<unsigned>(sched_getcpu()), &one);
        if (sched_setaffinity(0, sizeof one, &one) != 0) _exit(2);
        _exit(sigma::detail::count_usable_cores() == 1 ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(WEXITSTATUS(status) == 0);
}
#endif
