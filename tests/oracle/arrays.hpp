// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/xtensor.hpp>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <tuple>
#include <type_traits>
#include <vector>

namespace sigma::test {

/// Numbers from Python and back (oracle.py): one file each, of doubles, array after array, row after row.
class Arrays {
public:
    Arrays(const char* from, const char* to) : from_(std::fopen(from, "rb")), to_(std::fopen(to, "wb")) {
        if (!from_ || !to_) fail("a file does not open");
    }
    ~Arrays() {
        if (std::fgetc(from_.get()) != EOF) fail("numbers are left over");
    }
    Arrays(const Arrays&) = delete;
    Arrays& operator=(const Arrays&) = delete;

    template <class T>
    std::vector<T> take(std::size_t count) {
        std::vector<double> numbers(count);
        if (std::fread(numbers.data(), sizeof(double), count, from_.get()) != count) fail("numbers are missing");
        return std::vector<T>(numbers.begin(), numbers.end());
    }
    template <class T>
    xt::xarray<T> take_array(const std::vector<std::size_t>& shape) {
        xt::xarray<T> array(shape);
        const std::vector<T> numbers = take<T>(array.size());
        std::copy(numbers.begin(), numbers.end(), array.begin());
        return array;
    }

    /// A number, an array or a tuple of them.
    template <class R>
    void give(const R& result) {
        if constexpr (std::is_arithmetic_v<R>) {
            const double number = static_cast<double>(result);
            if (std::fwrite(&number, sizeof number, 1, to_.get()) != 1) fail("a number cannot be written");
        } else if constexpr (requires { result.shape(); }) {
            for (const auto v : result) give(v);
        } else {
            std::apply([&](const auto&... part) { (give(part), ...); }, result);
        }
    }

private:
    struct Close {
        void operator()(std::FILE* f) const { std::fclose(f); }
    };
    std::unique_ptr<std::FILE, Close> from_, to_;

    [[noreturn]] static void fail(const char* what) {
        std::fprintf(stderr, "arrays: %s\n", what);
        std::exit(1);
    }
};

}  // namespace sigma::test
