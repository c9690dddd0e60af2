// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/compute_device.hpp>
#include <sigma/device/gpu/algorithms.hpp>
#include <sigma/plan/product_forms.hpp>

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>

namespace sigma::on_gpu {

/// The precision of products of `float` on a GPU.
///
/// @see GpuOptions
enum class Precision : std::uint8_t {
    full,  ///< `float` throughout.
    tf32,  ///< Operands are rounded to 10 bits of fraction, sums are in `float`.
    bf16,  ///< Operands are rounded to 7 bits of fraction, sums are in `float`.
};

/// C = alpha · A · B [+ C], rows one after the other in memory, `rows` × `columns` over `inner`; A and B are read
/// transposed where asked: element (i, k) at a[k · a_row + i], element (k, j) at b[j · b_row + k]. `count` products one
/// after the other at the given strides, twice.
struct Product {
    sigma::detail::ElementType element = sigma::detail::ElementType::float32;
    long long rows = 0, columns = 0, inner = 0;
    const void* a = nullptr;
    const void* b = nullptr;
    void* c = nullptr;
    long long a_row = 0, b_row = 0, c_row = 0;
    bool transposed = false;  ///< A
    bool transposed_b = false;
    bool accumulate = false;       ///< adds to C
    double alpha = 1;              ///< constant factor
    const void* scalar = nullptr;  ///< or one element in device memory, instead of alpha
    long long count[2] = {1, 1};
    long long a_stride[2] = {}, b_stride[2] = {}, c_stride[2] = {};  ///< elements
    sigma::detail::ProductEpilogue epilogue{};
    const void* bias = nullptr;  ///< `columns` elements, added to each row
};

/// Compiled kernels.
class Module {
public:
    virtual ~Module() = default;
    /// A handle for `launch`; the kernel of this name.
    virtual void* function(const std::string& kernel) = 0;
};

struct Launch {
    void* function = nullptr;
    long long blocks = 1;
    int threads = 256;
    std::span<const std::uint64_t> words;  ///< read before `launch` returns
    const char* operation = "";            ///< for errors
};

/// What a device of this kind must offer besides memory: kernels compiled from text while the program runs, and
/// products.
class Backend : public sigma::detail::ComputeDevice {
public:
    /// Compiles text in the language of kernels/language.hpp, which the device puts before it. Throws KernelError with
    /// what the compiler says.
    virtual std::unique_ptr<Module> compile(const std::string& text) = 0;
    virtual void launch(const Launch& launch) = 0;
    /// Threads that a block really has where `wanted` were asked for.
    virtual int threads(int wanted) const = 0;
    /// Blocks beyond which a grid has nothing to gain.
    virtual long long most_blocks() const = 0;
    /// Returns false where the library offers no such product (an epilogue, an alignment): the caller then takes the
    /// plain path. What C held is gone then too, unless the product adds to it.
    virtual bool product(const Product& product) = 0;
    /// Is `product` likely to be faster than a kernel of our own for such extents?
    virtual bool product_pays(const Product& product) const = 0;
    /// Is the split kernel (see kernels/product.hpp) likely to be faster than the other, and in a loop than the
    /// library?
    virtual bool split_pays(const Product& product) const = 0;
    /// Sorts by key, stably, in the order of the work asked for; a capture may hold it.
    virtual void sort(const algorithms::Pairs& pairs) = 0;
    /// Can it sort, and is that likely to be faster than kernels without, which it is from `least` pairs on?
    virtual bool sort_pays(long long pairs, long long least) const = 0;

    sigma::detail::Owned<sigma::detail::DeviceProgram> make_program(
        const sigma::detail::ProgramSource& source) override;
    void gather(const sigma::detail::GatherRecords& records) override;
    void accumulate_loss(sigma::detail::LossAccumulator* to, sigma::detail::StepCounters* counters,
                         const void* loss_of_step, sigma::detail::ElementType element, std::ptrdiff_t records) override;

private:
    Module& own();

    std::mutex own_turn_;
    std::unique_ptr<Module> own_;  // gather and accumulate_loss, compiled at first use
};

}  // namespace sigma::on_gpu
