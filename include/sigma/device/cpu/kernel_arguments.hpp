// SPDX-License-Identifier: BSL-1.0
// The arguments of kernels, the same for all sets of instructions.
#pragma once
#include <sigma/device/cpu/instructions.hpp>

#include <cstddef>

namespace sigma::on_cpu {

// C = alpha * A * B, or C + alpha * A * B; row-major. C must not overlap A or B.
template <class T>
struct ProductArguments {
    std::ptrdiff_t m, n, k;
    const T* a;  // A(i,k) = a[i * a_row + k * a_column]: plain (a_column = 1) or transposed (a_row = 1)
    std::ptrdiff_t a_row, a_column;
    const T* b;  // B(k,j) = b[k * b_row + j]
    std::ptrdiff_t b_row;
    T* c;  // C(i,j) = c[i * c_row + j]
    std::ptrdiff_t c_row;
    T alpha = 1;
    bool accumulate = false;  // adds to C; otherwise C is not read
    bool padded =
        false;  // rows of B and C reach to the next multiple of the kernel's lanes; the surplus of C gets any values
    const T* packed = nullptr;  // all of B, packed by pack_whole, for frequent products
    bool b_transposed = false;  // B(k,j) = b[j * b_row + k]; `padded` speaks of C only then
};

// An image has `channels` at each pixel; pixels are `pixel` elements apart, at least `channels`. Rows of weights are
// `weights_row` apart. Positions of the result follow one another without gaps, `y_pixel` apart. The memory in between
// may be read and written.
template <class T>
struct ConvolutionArguments {
    std::ptrdiff_t images, height, width, channels;       // of x
    std::ptrdiff_t result_height, result_width, outputs;  // of y
    std::ptrdiff_t kernel_height, kernel_width;
    std::ptrdiff_t stride[2], dilation[2], groups;
    std::ptrdiff_t pixel, y_pixel, weights_row;
    std::ptrdiff_t before[2]{};  // rows and columns of zeros above and left of x that windows cover

    SIGMA_INLINE std::ptrdiff_t row() const { return width * pixel; }
    SIGMA_INLINE std::ptrdiff_t image() const { return height * row(); }
    SIGMA_INLINE std::ptrdiff_t positions() const { return result_height * result_width; }
    SIGMA_INLINE std::ptrdiff_t group_channels() const { return channels / groups; }
    SIGMA_INLINE std::ptrdiff_t group_outputs() const { return outputs / groups; }
    SIGMA_INLINE bool one_each() const { return groups > 1 && groups == channels && groups == outputs; }
};

// An interface for products and convolutions by parameters that replace the kernels, for instance with numbers of fewer
// bits. Several threads call it at the same time.
template <class T>
class OtherProducts {
public:
    virtual ~OtherProducts() = default;
    // Returns the least number of rows. The kernels compute products with fewer rows.
    virtual std::ptrdiff_t least_rows() const { return 1; }
    // Multiplies by a parameter, all of which is B, or the weights. Returns false to leave it to the kernels.
    virtual bool product(int parameter, const ProductArguments<T>&) const = 0;
    virtual bool convolve(int parameter, const ConvolutionArguments<T>&, const T* x, T* y) const = 0;
    // Returns whether it computes all products by a parameter of k rows and n columns, so that nothing else needs it.
    virtual bool replaces(int /*parameter*/, std::ptrdiff_t /*k*/, std::ptrdiff_t /*n*/) const { return false; }
    // Returns whether it has the numbers of a parameter. `write` stores them in rows that are `pitch` elements apart.
    virtual bool has(int /*parameter*/) const { return false; }
    virtual void write(int /*parameter*/, T* /*to*/, std::ptrdiff_t /*pitch*/) const {}
};

// Windows are cut off at the edges of the image; each holds at least one pixel.
struct PoolingArguments {
    std::ptrdiff_t images, height, width, channels, windows_high, windows_wide;
    std::ptrdiff_t window[2], stride[2], before[2];

    // `apart`: no pixel lies in two windows. `tiles`: also each pixel lies in one.
    SIGMA_INLINE bool apart() const { return stride[0] >= window[0] && stride[1] >= window[1]; }
    SIGMA_INLINE bool tiles() const {
        return stride[0] == window[0] && stride[1] == window[1] && windows_high * stride[0] - before[0] >= height &&
               windows_wide * stride[1] - before[1] >= width;
    }
};

// Pixels one after the other, `pixel` elements apart.
template <class T>
struct Pixels {
    T* data;
    std::ptrdiff_t pixel;
};

// Row numbers, `ids_each` side by side in rows `ids_row` apart.
template <class T>
struct LookupArguments {
    std::ptrdiff_t count, width, rows;  // number of ids and elements of a row; rows of the table
    const T* ids;
    std::ptrdiff_t ids_row, ids_each;

    // Returns the row of the table for id `i`, or -1: an invalid number is never used as an address.
    SIGMA_INLINE std::ptrdiff_t row(std::ptrdiff_t i) const {
        const T id = ids[i / ids_each * ids_row + i % ids_each];
        return id >= 0 && id < static_cast<T>(rows) ? static_cast<std::ptrdiff_t>(id) : -1;
    }
};

}  // namespace sigma::on_cpu
