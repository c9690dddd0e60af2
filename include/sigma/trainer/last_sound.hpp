// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/network/model_store.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sigma::detail {

/// Parameters and states where a run was sound for the last time, for going back there; and which are finite.
template <class T>
class LastSound {
public:
    ~LastSound();
    /// Before the step on this batch, the first after so many iterations.
    void begin(std::uint64_t first_batch, std::uint64_t iterations, std::span<const T> parameters,
               std::span<const T> states);
    std::uint64_t first_batch() const { return first_batch_; }
    std::uint64_t iterations_before() const { return iterations_; }
    void restore(std::span<T> parameters, std::span<T> states) const;
    /// Are all parameters finite? What lies between their rows does not count.
    static bool finite(const ModelStore<T>& model) { return find_parameter(model).empty(); }
    /// The first layer with a parameter that is not.
    static std::string find_parameter(const ModelStore<T>& model);
    /// The first layer whose parameters or output are not; empty where all are.
    static std::string find_layer(const ModelStore<T>& model, const std::vector<std::vector<T>>& outputs);

private:
    std::vector<T> parameters_, states_;
    std::uint64_t first_batch_ = 0, iterations_ = 0;

    static bool all_finite(std::span<const T> values);
    static bool finite(const ModelStore<T>& model, int parameter);
};

}  // namespace sigma::detail

#ifdef SIGMA_COMPILED
extern template class sigma::detail::LastSound<float>;
extern template class sigma::detail::LastSound<double>;
#else
#include <sigma/trainer/impl/last_sound.ipp>
#endif
