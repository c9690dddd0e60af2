// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstddef>
#include <cstdint>

/// Products of whole numbers, compiled for several sets of instructions; see quantize.cpp.
namespace sigma::int8 {

/// B is cut into blocks of so many columns. A block holds two rows after the other: of each column the numbers of both.
inline constexpr std::ptrdiff_t block_columns = 16;

/// c[i][j] (+)= scales[j] · Σ a[i][k]·b[k][j], exact up to the scaling. A row of A is several runs of numbers, one of
/// which may be read beyond the last, where B has zeros.
struct Product {
    std::ptrdiff_t rows, columns;
    std::ptrdiff_t runs, pairs;    ///< pairs of rows of B in each run
    const std::int16_t* const* a;  ///< where each row begins; numbers from -127 to 127
    const std::ptrdiff_t* run_at;  ///< where each run begins in a row
    const std::int8_t* b;          ///< packed; blocks are 2·runs·pairs·block_columns bytes
    const float* scales;           ///< of each column of the blocks
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
