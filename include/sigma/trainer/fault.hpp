// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/worker/step.hpp>

#include <algorithm>
#include <vector>

namespace sigma {

/// What it takes to say afterwards where a run first left the finite numbers: the state at the beginning of the epoch,
/// and the hyper-parameters of each step since.
template <AnyNetwork N, AnyOptimizer O, class T>
class Fault {
public:
    void reserve(std::size_t steps) { optimizers_.reserve(steps); }
    void begin_epoch(std::span<const T> parameters, std::span<const T> states) {
        parameters_.assign(parameters.begin(), parameters.end());
        states_.assign(states.begin(), states.end());
        optimizers_.clear();
    }
    void note(const O& optimizer) { optimizers_.push_back(optimizer); }
    const O& optimizer(std::uint64_t step) const { return optimizers_[static_cast<std::size_t>(step)]; }
    void restore(std::span<T> parameters, std::span<T> states) const {
        std::ranges::copy(parameters_, parameters.begin());
        std::ranges::copy(states_, states.begin());
    }
    /// Are all parameters finite?
    static bool finite(Model<N, T>& model) { return all_finite(model.parameter_memory()); }
    /// The first layer with a parameter that is not.
    static std::string find_parameter(Model<N, T>& model) {
        for (int p = 0; p < Model<N, T>::parameter_count; ++p)
            if (!all_finite(model.parameter(p))) {
                const std::string_view name = Model<N, T>::records.parameters[p].name.view();
                return std::string(name.substr(0, name.find('.')));
            }
        return "";
    }
    /// The first layer whose parameters or output are not finite on this batch; the loss where all layers' are.
    static std::string find(Model<N, T>& model, const T* inputs, std::ptrdiff_t count) {
        simd::Executor<Planned<detail::LayersProgram<N>, simd::lanes<T>>, T> executor;
        model.bind(executor);
        executor.bind_input(0, inputs);
        std::vector<T> outputs[Model<N, T>::layer_count];
        for (int i = 0; i < Model<N, T>::layer_count; ++i) {
            outputs[i].resize(static_cast<std::size_t>(Model<N, T>::records.layers[i].output.count() * count));
            executor.bind_output(i, outputs[i].data());
        }
        executor.prepare(count);
        executor.run();
        for (int i = 0; i < Model<N, T>::layer_count; ++i) {
            const std::string name(Model<N, T>::records.layers[i].name.view());
            for (int p = 0; p < Model<N, T>::parameter_count; ++p)
                if (Model<N, T>::records.parameters[p].name.view().starts_with(name + ".") && !all_finite(model.parameter(p)))
                    return name;
            if (!all_finite(outputs[i])) return name;
        }
        return sentence(Model<N, T>::layer_count, "-", N::Loss::kind.view());
    }

private:
    std::vector<T> parameters_, states_;
    std::vector<O> optimizers_;

    template <class View>
    static bool all_finite(const View& view) {
        return std::ranges::all_of(view, [](T x) { return std::isfinite(x); });
    }
};

}  // namespace sigma
