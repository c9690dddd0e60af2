// SPDX-License-Identifier: BSL-1.0
#include "generated_kernels.hpp"

#include <sigma/device/cpu/move.hpp>
#include <sigma/device/cpu/random.hpp>
#include <sigma/device/cpu/transpose.hpp>
#include <sigma/device/gpu/generate/movement.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

using namespace sigma;
using generated_kernels::devices;
using generated_kernels::Kernels;
using generated_kernels::OneKernel;

namespace {

template <class T>
std::vector<T> numbers(std::size_t n) {
    std::vector<T> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<T>(i + 1);
    return x;
}

struct MoveCase {
    std::vector<int> extents, from, to;
    int from_offset, to_offset, clear;
    long long records;
};

template <class T>
void check_moves() {
    const std::vector<MoveCase> cases = {
        {{}, {}, {}, 3, 5, 0, 1},
        {{7}, {1}, {1}, 0, 0, 0, 1},
        {{-1, 5, 8}, {40, 8, 1}, {48, 8, 1}, 0, 4, -48, 3},  // packs
        {{-1, 5, 8}, {40, 8, 1}, {48, 8, 1}, 1, 4, -48, 3},  // an address without alignment for packs
        {{-1, 3, 5}, {15, 5, 1}, {21, 7, 1}, 0, 7, -21, 4},
        {{-1, 3, 4, 8}, {96, 8, 24, 1}, {96, 32, 8, 1}, 0, 0, 0, 2},  // heads
        {{3, -2, 5}, {5, 15, 1}, {-10, 5, 1}, 0, 0, 0, 3},            // a stride with the batch
        {{2, 3, 4}, {1, 2, 6}, {12, 4, 1}, 0, 0, 0, 1},
        {{1, 4, 1, 6}, {0, 6, 0, 1}, {0, 12, 0, 2}, 0, 2, 60, 1},
    };
    Kernels kernels;
    std::vector<OneKernel> ones;
    for (const MoveCase& c : cases) {
        OneKernel one;
        detail::MoveKernel m;
        m.rank = static_cast<short>(c.extents.size());
        m.clear = c.clear;
        std::copy(c.extents.begin(), c.extents.end(), m.extent);
        one.kernel = detail::Kernel(m);
        one.argument({}, c.from_offset);
        one.argument({}, c.to_offset);
        std::copy(c.from.begin(), c.from.end(), one.arguments[0].stride);
        std::copy(c.to.begin(), c.to.end(), one.arguments[1].stride);
        const detail::PlanView plan = one.view(detail::element_type<T>);
        kernels.add(on_gpu::generate_move(plan, one.kernel));
        ones.push_back(std::move(one));
    }
    for (std::size_t i = 0; i < cases.size(); ++i)
        for (const auto& device : devices()) {
            INFO("case " << i << ", " << device->name() << ", " << device->threads(1024) << " threads");
            const MoveCase& c = cases[i];
            std::vector<T> from = numbers<T>(1000);
            std::vector<T> expected(1000, T(-1)), found = expected;
            std::ptrdiff_t extent[detail::max_rank]{};
            on_cpu::Strides f{}, t{};
            for (int x = 0; x < detail::max_rank; ++x) {
                extent[x] = detail::resolve(ones[i].kernel.move.extent[x], c.records);
                f[x] = detail::resolve(ones[i].arguments[0].stride[x], c.records);
                t[x] = detail::resolve(ones[i].arguments[1].stride[x], c.records);
            }
            std::fill_n(expected.data(), detail::resolve(c.clear, c.records), T(0));
            on_cpu::move(from.data() + c.from_offset, expected.data() + c.to_offset, ones[i].kernel.move.rank, extent,
                         f, t);
            kernels.run<T>(
                *device, i,
                {{from, static_cast<std::size_t>(c.from_offset)}, {found, static_cast<std::size_t>(c.to_offset)}},
                c.records);
            REQUIRE(found == expected);
        }
}

template <class T>
void check_transposes() {
    struct Case {
        int rows, columns, outer, inner;
        long long records;
    };
    const Case cases[] = {{33, 65, 1, 1, 1},  {1, 40, 1, 1, 1}, {40, 3, -1, 2, 3},
                          {31, 32, -2, 1, 2}, {9, 70, 2, 2, 1}, {32, 64, 1, -1, 2}};
    Kernels kernels;
    for (const Case& c : cases) {
        OneKernel one;
        one.kernel = detail::Kernel(detail::TransposeKernel{c.rows, c.columns, {c.outer, c.inner}});
        const int inner = std::abs(c.inner);
        const int from = c.rows * (c.columns + 2), to = c.columns * (c.rows + 1);
        // two counts, the inner one with the batch: the outer one steps over all records
        one.argument({c.columns + 2, c.inner < 0 ? -from : from * inner, from});
        one.argument({c.rows + 1, c.inner < 0 ? -to : to * inner, to});
        kernels.add(on_gpu::generate_transpose(one.view(detail::element_type<T>), one.kernel));
    }
    for (std::size_t i = 0; i < 6; ++i)
        for (const auto& device : devices()) {
            INFO("case " << i << ", " << device->name() << ", " << device->threads(1024) << " threads");
            const Case& c = cases[i];
            const auto matrices =
                static_cast<std::size_t>(detail::resolve(c.outer, c.records) * detail::resolve(c.inner, c.records));
            const auto from_size = static_cast<std::size_t>(c.rows * (c.columns + 2)),
                       to_size = static_cast<std::size_t>(c.columns * (c.rows + 1));
            std::vector<T> from = numbers<T>(matrices * from_size);
            std::vector<T> expected(matrices * to_size, T(-1)), found = expected;
            for (std::size_t m = 0; m < matrices; ++m)
                on_cpu::transpose(from.data() + m * from_size, c.columns + 2, c.rows, c.columns,
                                  expected.data() + m * to_size, c.rows + 1);
            kernels.run<T>(*device, i, {from, found}, c.records);
            REQUIRE(found == expected);
        }
}

template <class T>
void check_argmax() {
    struct Case {
        std::vector<int> extents, from, to;
        long long records;
    };
    const std::vector<Case> cases = {{{-1, 10}, {10, 1}, {1, 0}, 7},
                                     {{100}, {1}, {0}, 1},
                                     {{-1, 3, 37}, {111, 1, 3}, {3, 1, 0}, 2},
                                     {{4, -1}, {1, 4}, {1, 0}, 50},
                                     {{5, 1}, {2, 1}, {3, 0}, 1}};
    Kernels kernels;
    std::vector<OneKernel> ones;
    for (const Case& c : cases) {
        OneKernel one;
        detail::ArgmaxKernel m;
        m.rank = static_cast<short>(c.extents.size());
        std::copy(c.extents.begin(), c.extents.end(), m.extent);
        one.kernel = detail::Kernel(m);
        one.argument({});
        one.argument({});
        std::copy(c.from.begin(), c.from.end(), one.arguments[0].stride);
        std::copy(c.to.begin(), c.to.end(), one.arguments[1].stride);
        const detail::PlanView plan = one.view(detail::element_type<T>);
        kernels.add(on_gpu::generate_argmax(plan, one.kernel));
        ones.push_back(std::move(one));
    }
    const T nan = std::numeric_limits<T>::quiet_NaN(), infinity = std::numeric_limits<T>::infinity();
    for (int kind = 0; kind < 5; ++kind) {
        std::vector<T> from(300);
        for (std::size_t i = 0; i < from.size(); ++i) {
            from[i] = static_cast<T>(i * i * 7919 % 13);  // with many equal numbers
            if (kind == 1 && i % 29 == 11) from[i] = nan;
            if (kind == 2) from[i] = -infinity;
            if (kind == 3) from[i] = i % 2 ? T(0) : -T(0);
            if (kind == 4) from[i] = static_cast<T>(i);
        }
        for (std::size_t i = 0; i < cases.size(); ++i)
            for (const auto& device : devices()) {
                INFO("case " << i << ", numbers " << kind << ", " << device->name() << ", " << device->threads(1024)
                             << " threads");
                std::vector<T> expected(100, T(-1)), found = expected;
                std::ptrdiff_t extent[detail::max_rank]{};
                on_cpu::Strides f{}, t{};
                for (int x = 0; x < detail::max_rank; ++x) {
                    extent[x] = detail::resolve(ones[i].kernel.argmax.extent[x], cases[i].records);
                    f[x] = ones[i].arguments[0].stride[x];
                    t[x] = ones[i].arguments[1].stride[x];
                }
                on_cpu::argmax(from.data(), expected.data(), 0, ones[i].kernel.argmax.rank, extent, f, t);
                kernels.run<T>(*device, i, {from, found}, cases[i].records);
                REQUIRE(found == expected);
            }
    }
}

template <class T>
void check_uniform() {
    const int extents[][3] = {{-1, 100, 104}, {3, 32, 32}, {-2, 7, 8}, {1, 1, 1}, {5, 41, 48}, {1, -1, 64}};
    Kernels kernels;
    for (const auto& e : extents) {
        OneKernel one;
        one.kernel =
            detail::Kernel(detail::FillUniformKernel{e[0], e[1], e[2], 0x1234567ull + static_cast<unsigned>(e[1] & 7)});
        one.argument({});
        kernels.add(on_gpu::generate_uniform(one.view(detail::element_type<T>), one.kernel));
    }
    const detail::StepCounters counters{0xFEDCBA9876543210ull, 0x1'0000'0007ull, 99};
    const detail::RandomKey key{counters.seed, static_cast<std::uint32_t>(counters.step)};
    for (std::size_t i = 0; i < 6; ++i)
        for (const auto& device : devices()) {
            INFO("case " << i << ", " << device->name() << ", " << device->threads(1024) << " threads");
            std::vector<T> expected(2000, T(-1)), found = expected;
            const long long records = 5;
            on_cpu::fill_uniform(expected.data(), 0, detail::resolve(extents[i][0], records),
                                 detail::resolve(extents[i][1], records), extents[i][2],
                                 0x1234567u + static_cast<unsigned>(extents[i][1] & 7), key);
            kernels.run<T>(*device, i, {found}, records, &counters);
            REQUIRE(found == expected);
        }
}

}  // namespace

TEST_CASE("GPU text: moves are those of the processor") {
    check_moves<float>();
    check_moves<double>();
}
TEST_CASE("GPU text: transposition is that of the processor") {
    check_transposes<float>();
    check_transposes<double>();
}
TEST_CASE("GPU text: argmax finds the first greatest, or NaN") {
    check_argmax<float>();
    check_argmax<double>();
}
TEST_CASE("GPU text: uniform numbers have the bits of the processor") {
    check_uniform<float>();
    check_uniform<double>();
}
