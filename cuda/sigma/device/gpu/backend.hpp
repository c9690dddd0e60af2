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

namespace sigma {

/// The precision of products of `float` on a GPU.
///
/// @see GpuOptions
enum class Precision : std::uint8_t {
    full,  ///< `float` throughout.
    tf32,  ///< Operands are rounded to 10 bits of fraction, sums are in `float`.
    bf16,  ///< Operands are rounded to 7 bits of fraction, sums are in `float`.
};

}  // namespace sigma

namespace sigma::on_gpu {

/// A row-major product C = alpha · A · B [+ C], `rows` × `columns` over `inner`. Transposed operands have element (i,
/// k) at a[k · a_row + i] and element (k, j) at b[j · b_row + k]. There are count[0] · count[1] such products, at the
/// given strides.
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
    const void* scalar = nullptr;  ///< a factor in device memory, used instead of alpha
    long long count[2] = {1, 1};
    long long a_stride[2] = {}, b_stride[2] = {}, c_stride[2] = {};  ///< elements
    sigma::detail::ProductEpilogue epilogue{};
    const void* bias = nullptr;  ///< `columns` elements, added to each row
};

/// A set of compiled kernels.
class Module {
public:
    virtual ~Module() = default;
    /// Returns a handle of the kernel of this name, for `launch`.
    virtual void* function(const std::string& kernel) = 0;
};

struct Launch {
    void* function = nullptr;
    long long blocks = 1;
    int threads = 256;
    std::span<const std::uint64_t> words;  ///< read before `launch` returns
    const char* operation = "";            ///< operation that errors name
};

/// The interface of GPUs beyond memory: kernels that are compiled from text at run time, and products.
class Backend : public sigma::detail::ComputeDevice {
public:
    /// Compiles a text in the language of kernels/language.hpp, which the device puts before the text. Throws
    /// KernelError with the compiler's error.
    virtual std::unique_ptr<Module> compile(const std::string& text) = 0;
    virtual void launch(const Launch& launch) = 0;
    /// Returns the number of threads that a block gets if `wanted` are requested.
    virtual int threads(int wanted) const = 0;
    /// Returns the number of blocks above which a grid gains nothing.
    virtual long long most_blocks() const = 0;
    /// Computes a product by a library. Returns false if the library does not offer it (an epilogue, an alignment). The
    /// caller then uses a kernel. C may have changed, unless the product adds to it.
    virtual bool product(const Product& product) = 0;
    /// Returns whether `product` is probably faster than our own kernel for these extents.
    virtual bool product_pays(const Product& product) const = 0;
    /// Returns whether the split kernel (see kernels/product.hpp) is probably faster than the other kernel, and in a
    /// loop faster than the library.
    virtual bool split_pays(const Product& product) const = 0;
    /// Sorts stably by key, in the order of other work. A capture may contain it.
    virtual void sort(const algorithms::Pairs& pairs) = 0;
    /// Returns whether it can sort and sorting is probably faster than kernels without it, which holds from `least`
    /// pairs.
    virtual bool sort_pays(long long pairs, long long least) const = 0;

    /// Returns a mark in the order of work, whose time `seconds_between` knows. Marks are numbered from 0 after
    /// `forget_times`, and must not be captured. Returns a negative number if the device measures no times.
    virtual int mark_time() { return -1; }
    /// Returns the seconds between two marks. Waits for the second one.
    virtual double seconds_between(int /*from*/, int /*to*/) { return 0; }
    /// Forgets all marks, so that later ones use their memory.
    virtual void forget_times() {}

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
