// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/array.hpp>
#include <sigma/network/runner.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sigma::detail {

/// Gradients where the network only matters as data: the program's outputs are those in the trained parameters, in
/// order.
template <class T>
class GradientsCore {
public:
    GradientsCore(const ModelStore<T>& model, const CompiledProgram<T>& program);
    ~GradientsCore();

    /// On `count` records, with the random numbers of the step of this number. Allocates only when the batch outgrows
    /// every earlier one.
    void run(std::uint64_t number, Rows<T> inputs, Rows<T> targets, std::ptrdiff_t count, simd::Pool* pool = nullptr);
    /// Elements of one, dense, in row-major order; none where the parameter is not trained.
    std::span<const T> values(int parameter) const;

protected:
    ArrayView<T> array_of(int parameter);

private:
    const NetworkTable& network_;
    Runner<T> runner_;
    std::vector<std::vector<T>> values_;  ///< of each parameter
};

}  // namespace sigma::detail

#ifdef SIGMA_COMPILED
extern template class sigma::detail::GradientsCore<float>;
extern template class sigma::detail::GradientsCore<double>;
#else
#include <sigma/worker/impl/gradients_core.ipp>
#endif
