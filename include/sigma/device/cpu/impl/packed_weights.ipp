// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/arena.hpp>
#include <sigma/device/cpu/chosen_kernels.hpp>
#include <sigma/device/cpu/packed.hpp>
#include <sigma/device/cpu/packed_weights.hpp>

#include <atomic>
#include <memory>
#include <mutex>

namespace sigma::on_cpu {

template <class T>
class PackedWeights final : public OtherProducts<T> {
public:
    explicit PackedWeights(int parameters) : packed_(new Packed[static_cast<std::size_t>(parameters)]) {}

    std::ptrdiff_t least_rows() const override { return few; }
    bool product(int parameter, const ProductArguments<T>& p) const override {
        if (p.m < few || p.n < most_lanes<T> || p.k < 32) return false;
        const T* const weights = of(packed_[static_cast<std::size_t>(parameter)], p);
        if (weights == nullptr) return false;
        ProductArguments<T> with = p;
        with.packed = weights;
        kernels_.product(with);
        return true;
    }
    bool convolve(int, const ConvolutionArguments<T>&, const T*, T*) const override { return false; }

private:
    static constexpr std::ptrdiff_t few = 6;  // with fewer rows it is faster to read B in place

    struct Packed {
        std::atomic<const T*> weights{nullptr};
        sigma::detail::Arena<T> memory{};
        ProductArguments<T> of{};  ///< the product for which it was packed; others may use a part of it
    };
    const T* of(Packed& x, const ProductArguments<T>& p) const {
        if (x.weights.load(std::memory_order_acquire) == nullptr) {
            const std::lock_guard lock(mutex_);
            if (x.weights.load(std::memory_order_relaxed) == nullptr) {
                const std::ptrdiff_t columns = (p.n + most_lanes<T> - 1) / most_lanes<T> * most_lanes<T>;
                x.memory = sigma::detail::Arena<T>(static_cast<std::size_t>(columns * p.k), "packed weights");
                kernels_.pack_whole(p.b, p.b_row, p.n, p.k, p.padded, x.memory.data());
                x.of = p;
                x.weights.store(x.memory.data(), std::memory_order_release);
            }
        }
        return x.of.b == p.b && x.of.n == p.n && x.of.k == p.k && x.of.b_row == p.b_row && x.of.padded == p.padded
                   ? x.weights.load(std::memory_order_relaxed)
                   : nullptr;
    }

    const Kernels<T>& kernels_ = kernels<T>();
    const std::unique_ptr<Packed[]> packed_;
    mutable std::mutex mutex_{};
};

template <class T>
sigma::detail::SharedOwner<const OtherProducts<T>> packed_weights(int parameters) {
    return sigma::detail::SharedOwner<const PackedWeights<T>>::make(parameters);
}

#ifdef SIGMA_COMPILED
template sigma::detail::SharedOwner<const OtherProducts<float>> packed_weights(int);
template sigma::detail::SharedOwner<const OtherProducts<double>> packed_weights(int);
#endif

}  // namespace sigma::on_cpu
