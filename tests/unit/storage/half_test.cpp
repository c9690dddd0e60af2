// SPDX-License-Identifier: BSL-1.0
#include <sigma/storage/dtype.hpp>

#include <catch2/catch.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

using namespace sigma;
using namespace sigma::storage;

TEST_CASE("Every binary16 is the number that IEEE 754 says") {
    for (unsigned bits = 0; bits < 0x10000; ++bits) {
        const int exponent = static_cast<int>(bits >> 10 & 31);
        const double fraction = bits & 1023, sign = bits & 0x8000 ? -1 : 1;
        const double wanted =
            exponent == 0 ? sign * std::ldexp(fraction, -24) : sign * std::ldexp(1024 + fraction, exponent - 25);
        const float found = from_f16(static_cast<std::uint16_t>(bits));
        if (exponent == 31) {
            if (fraction != 0 ? !std::isnan(found) : found != sign * std::numeric_limits<double>::infinity())
                FAIL(bits);
        } else if (found != wanted || std::signbit(found) != (sign < 0)) {
            FAIL(bits);
        }
    }
    CHECK(from_f16(0x3C00) == 1.0f);
    CHECK(from_f16(0x7BFF) == 65504.0f);
}

TEST_CASE("A bfloat16 is half a float") {
    CHECK(from_bf16(0x3F80) == 1.0f);
    CHECK(from_bf16(0xC049) == -3.140625f);
    CHECK(std::isinf(from_bf16(0x7F80)));
    CHECK(std::isnan(from_bf16(0x7FC0)));
}

TEST_CASE("A float becomes the nearest number of 16 bits, of two the even one") {
    const auto examine = [](auto from, auto to, unsigned infinite, const char* what) {
        INFO(what);
        const auto as_bits = [](unsigned bits) { return static_cast<std::uint16_t>(bits); };
        const auto becomes = [&](float x, unsigned wanted) {
            if (to(x) != wanted || to(-x) != (wanted | 0x8000u)) FAIL(x << ": " << to(x) << ", expected " << wanted);
        };
        // Between two neighbors; the neighbor of the greatest number is the next power of two.
        for (unsigned bits = 0; bits < infinite; ++bits) {
            const double low = from(as_bits(bits));
            const double high =
                bits + 1 < infinite ? double{from(as_bits(bits + 1))} : 2 * low - double{from(as_bits(bits - 1))};
            const auto middle = static_cast<float>((low + high) / 2);  // exact: a float has more bits
            becomes(static_cast<float>(low), bits);
            becomes(middle, bits + bits % 2);
            becomes(std::nextafter(middle, 0.0f), bits);
            becomes(std::nextafter(middle, std::numeric_limits<float>::infinity()), bits + 1);
        }
        becomes(std::numeric_limits<float>::infinity(), infinite);
        CHECK(std::isnan(from(to(std::numeric_limits<float>::quiet_NaN()))));
        CHECK(std::isnan(from(to(std::bit_cast<float>(0x7F800001u)))));
    };
    examine(from_f16, to_f16, 0x7C00, "F16");
    examine(from_bf16, to_bf16, 0x7F80, "BF16");
}

TEST_CASE("Types of elements have names and sizes") {
    for (std::size_t i = 0; i < dtypes.size(); ++i) {
        const auto dtype = static_cast<Dtype>(i);
        CHECK(sigma::detail::dtype_named(sigma::detail::name_of(dtype)) == dtype);
        const std::string name(sigma::detail::name_of(dtype));
        const std::size_t digit = name.find_first_of("1346825");
        const std::size_t bits = digit == name.npos ? 8 : static_cast<std::size_t>(std::stoi(name.substr(digit)));
        CHECK(sigma::detail::size_of(dtype) * 8 == bits);
    }
    CHECK(!sigma::detail::dtype_named("F128"));
    CHECK(!sigma::detail::dtype_named("f32"));
    CHECK(sigma::detail::dtype_of<float> == Dtype::f32);
    CHECK(sigma::detail::dtype_of<double> == Dtype::f64);
    CHECK(sigma::detail::dtype_of<bool> == Dtype::boolean);
    CHECK(sigma::detail::dtype_of<signed char> == Dtype::i8);
    CHECK(sigma::detail::dtype_of<unsigned char> == Dtype::u8);
    CHECK(sigma::detail::dtype_of<short> == Dtype::i16);
    CHECK(sigma::detail::dtype_of<unsigned short> == Dtype::u16);
    CHECK(sigma::detail::dtype_of<int> == Dtype::i32);
    CHECK(sigma::detail::dtype_of<unsigned> == Dtype::u32);
    CHECK(sigma::detail::dtype_of<long long> == Dtype::i64);
    CHECK(sigma::detail::dtype_of<std::uint64_t> == Dtype::u64);
    CHECK(!StoredElement<char>);
    CHECK(!StoredElement<long double>);
}
