// SPDX-License-Identifier: BSL-1.0
#include "support/allocations.hpp"
#include "support/sanitized.hpp"

#include <sigma/device/cpu/chosen_kernels.hpp>
#include <sigma/device/cpu/product_scratch.hpp>
#include <sigma/device/cpu/thread_pool.hpp>

#include <catch2/catch.hpp>

#include <pthread.h>
#include <algorithm>
#include <atomic>
#include <climits>
#include <cstddef>
#include <optional>
#include <thread>
#include <vector>

using namespace sigma::on_cpu;

namespace {

/// A product with copied parts: strips of B, and A if it is large.
struct CopiedProduct {
    static constexpr std::ptrdiff_t m = 1024, n = 256, k = 200;
    std::vector<float> a = std::vector<float>(m * k), b = std::vector<float>(k * n), c = std::vector<float>(m * n);

    CopiedProduct() {
        for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 7) - 3;
        for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i % 5) - 2;
    }
    void run() {
        kernels<float>().product(ProductArguments<float>{m, n, k, a.data(), k, 1, b.data(), n, c.data(), n, 1, false});
    }
    bool is_right() const {
        for (std::ptrdiff_t i = 0; i < m; i += 31)
            for (std::ptrdiff_t j = 0; j < n; j += 17) {
                float sum = 0;  // small integers: exact in every order
                for (std::ptrdiff_t l = 0; l < k; ++l)
                    sum += a[static_cast<std::size_t>(i * k + l)] * b[static_cast<std::size_t>(l * n + j)];
                if (c[static_cast<std::size_t>(i * n + j)] != sum) return false;
            }
        return true;
    }
};

}  // namespace

TEST_CASE("threads with small stacks start, and compute products", "[product]") {
#ifndef SIGMA_TEST_IS_SANITIZED  // sanitizers need more
    CopiedProduct product;
    for (const std::size_t kilobytes : {64u, 256u, 352u, 384u, 8192u}) {
        CAPTURE(kilobytes);
        std::fill(product.c.begin(), product.c.end(), 0.f);
        pthread_attr_t small;
        REQUIRE(pthread_attr_init(&small) == 0);
        REQUIRE(pthread_attr_setstacksize(&small, kilobytes * 1024) == 0);
        pthread_t thread;
        REQUIRE(pthread_create(
                    &thread, &small,
                    [](void* p) -> void* {
                        static_cast<CopiedProduct*>(p)->run();
                        return nullptr;
                    },
                    &product) == 0);
        pthread_attr_destroy(&small);
        REQUIRE(pthread_join(thread, nullptr) == 0);
        CHECK(product.is_right());
    }
#endif
}

TEST_CASE("each thread has a scratch, made once", "[product]") {
    ProductScratch* const own = &product_scratch();
    CHECK(&product_scratch() == own);
    CHECK(reinterpret_cast<std::size_t>(own->a) % 64 == 0);
    CHECK(reinterpret_cast<std::size_t>(own->b) % 64 == 0);
    std::thread([own] {
        ProductScratch* const other = &product_scratch();
        if (other == own || &product_scratch() != other) throw 1;
    }).join();

    CopiedProduct product;
    product.run();
    CHECK(product.is_right());
#ifdef SIGMA_COUNTS_ALLOCATIONS
    const long before = sigma::test::allocations;
    product.run();
    CHECK(sigma::test::allocations == before);
    long first = 0, later = 0;
    std::thread([&] {
        const long begin = sigma::test::allocations;
        product.run();
        const long between = sigma::test::allocations;
        product.run();
        first = between - begin;
        later = sigma::test::allocations - between;
    }).join();
    CHECK(first == 1);
    CHECK(later == 0);
#endif
}

TEST_CASE("the threads of a pool have theirs from the beginning", "[product]") {
    constexpr int threads = 3;
    ThreadPool pool(threads);
    std::vector<CopiedProduct> products(threads);
    product_scratch();
    std::atomic<int> arrived{0};
    std::vector<ProductScratch*> scratches(threads);
    const auto each = [&](int i) noexcept {
        ++arrived;
        while (arrived < threads) std::this_thread::yield();  // so that each runs on another thread
        scratches[static_cast<std::size_t>(i)] = &product_scratch();
        products[static_cast<std::size_t>(i)].run();
    };
#ifdef SIGMA_COUNTS_ALLOCATIONS
    const long before = sigma::test::allocations;
    pool.run(threads, each);
    CHECK(sigma::test::allocations == before);
#else
    pool.run(threads, each);
#endif
    for (const CopiedProduct& p : products) CHECK(p.is_right());
    std::sort(scratches.begin(), scratches.end());
    CHECK(std::adjacent_find(scratches.begin(), scratches.end()) == scratches.end());
}

TEST_CASE("a product in a destructor, after the thread's scratch is gone", "[product]") {
#ifndef SIGMA_TEST_IS_SANITIZED  // this scratch memory is never freed, which LeakSanitizer reports
    static std::atomic<int> right{0};
    struct AtEnd {
        CopiedProduct product;
        ~AtEnd() {
            product.run();
            right += product.is_right();
        }
    };
    std::thread([] {
        thread_local AtEnd first;  // made before the scratch, hence destroyed after it
        first.product.run();
        right += first.product.is_right();
    }).join();
    CHECK(right == 2);
#endif
}
