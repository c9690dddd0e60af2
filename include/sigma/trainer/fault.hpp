// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/network/parameter_rows.hpp>
#include <sigma/worker/layer_outputs.hpp>
#include <sigma/worker/step.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace sigma {

/// What it takes to say afterwards where a run first left the finite numbers: the state at the beginning of the epoch, or
/// where the run began within it, and the hyper-parameters of each step since.
template <AnyNetwork N, AnyOptimizer O, class T>
class Fault {
public:
    void reserve(std::size_t steps) { optimizers_.reserve(steps); }
    /// Before the step on this batch, the first after so many iterations.
    void begin(std::uint64_t first_batch, std::uint64_t iterations, std::span<const T> parameters, std::span<const T> states) {
        first_batch_ = first_batch;
        iterations_ = iterations;
        parameters_.assign(parameters.begin(), parameters.end());
        states_.assign(states.begin(), states.end());
        optimizers_.clear();
    }
    void note(const O& optimizer) { optimizers_.push_back(optimizer); }
    const O& optimizer(std::uint64_t of_batch) const { return optimizers_[static_cast<std::size_t>(of_batch - first_batch_)]; }
    std::uint64_t first_batch() const { return first_batch_; }
    std::uint64_t iterations_before() const { return iterations_; }
    void restore(std::span<T> parameters, std::span<T> states) const {
        std::ranges::copy(parameters_, parameters.begin());
        std::ranges::copy(states_, states.begin());
    }
    /// Are all parameters finite? What lies between their rows does not count.
    static bool finite(const Model<N, T>& model) { return find_parameter(model).empty(); }
    /// The first layer with a parameter that is not.
    static std::string find_parameter(const Model<N, T>& model) {
        for (int p = 0; p < Model<N, T>::parameter_count; ++p)
            if (!finite(model, p)) {
                const std::string_view name = Model<N, T>::records.parameters[p].name.view();
                return std::string(name.substr(0, name.find('.')));
            }
        return "";
    }
    /// The first layer whose parameters or output are not finite on this batch; empty where all are, so that only the
    /// loss is to blame.
    static std::string find(const Model<N, T>& model, const T* inputs, std::ptrdiff_t count) {
        const auto outputs = layer_outputs(model, inputs, count);
        for (int i = 0; i < Model<N, T>::layer_count; ++i) {
            const std::string name(Model<N, T>::records.layers[i].name.view());
            for (int p = 0; p < Model<N, T>::parameter_count; ++p)
                if (Model<N, T>::records.parameters[p].name.view().starts_with(name + ".") && !finite(model, p))
                    return name;
            if (!all_finite(std::span<const T>(outputs[static_cast<std::size_t>(i)]))) return name;
        }
        return "";
    }

private:
    std::vector<T> parameters_, states_;
    std::vector<O> optimizers_;
    std::uint64_t first_batch_ = 0, iterations_ = 0;

    static bool all_finite(std::span<const T> values) {
        bool all = true;  // without an early end, so that it can become vector code
        for (const T x : values) all &= std::abs(x) <= std::numeric_limits<T>::max();
        return all;
    }
    static bool finite(const Model<N, T>& model, int parameter) {
        const auto rows = parameter_rows(model, parameter);
        for (std::size_t r = 0; r < rows.count; ++r)
            if (!all_finite(rows[r])) return false;
        return true;
    }
};

}  // namespace sigma
