// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstddef>
#include <cstdint>

// Products of integers, compiled for several instruction sets; see quantize.cpp.
namespace sigma::int8 {

/// The number of columns of a block of B. A block stores pairs of rows: for each column the numbers of both rows.
inline constexpr std::ptrdiff_t block_columns = 16;

/// A product c[i][j] (+)= scales[j] · Σ a[i][k]·b[k][j], exact up to the scaling. A row of A consists of runs of
/// numbers. One number may be read behind a run, where B has zeros.
struct Product {
    std::ptrdiff_t rows, columns;
    std::ptrdiff_t runs, pairs;    ///< Pairs of rows of B in each run.
    const std::int16_t* const* a;  ///< The begin of each row; numbers from -127 to 127.
    const std::ptrdiff_t* run_at;  ///< The begin of each run in a row.
    const std::int8_t* b;          ///< Packed; a block has 2·runs·pairs·block_columns bytes.
    const float* scales;           ///< One for each column of the blocks.
    float* c;
    std::ptrdiff_t c_row;
    bool accumulate;
};
using ProductFunction = void(const Product&);
/// Computes to[i] = from[i]·scale, rounded to the nearest even and clipped to ± 127. Returns false if a number is NaN.
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
