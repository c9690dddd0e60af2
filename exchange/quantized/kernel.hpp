// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstddef>
#include <cstdint>

/// Products of whole numbers, compiled for several sets of instructions; see quantize.cpp.
namespace sigma::int8 {

/// B is cut into blocks of so many columns. A block holds two rows after the other: of each column the numbers of both.
inline constexpr std::ptrdiff_t block_columns = 16;

/// c[i][j] (+)= scales[j] · Σ a[i][k]·b[k][j], exact up to the scaling.
struct Product {
    std::ptrdiff_t rows, columns, pairs;  ///< pairs of rows of B
    const std::int16_t* a;                ///< from -127 to 127, rows of 2·pairs numbers
    const std::int8_t* b;                 ///< packed; blocks are 2·pairs·block_columns bytes
    const float* scales;                  ///< of each column of the blocks
    float* c;
    std::ptrdiff_t c_row;
    bool accumulate;
};
using ProductFunction = void(const Product&);
/// to[i] = from[i]·scale, rounded to the nearest even, no further from 0 than 127; false where one is NaN.
using RoundFunction = bool(const float* from, std::ptrdiff_t count, float scale, std::int16_t* to);

struct Functions {
    ProductFunction* product;
    RoundFunction* round;
    const char* instructions;
};
namespace plain {
extern const Functions functions;
}
namespace avx2 {
extern const Functions functions;
}
namespace avx512 {
extern const Functions functions;
}
namespace vnni {
extern const Functions functions;
}

}  // namespace sigma::int8
