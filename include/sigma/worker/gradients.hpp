// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/network/model.hpp>

#include <array>

namespace sigma {

namespace detail {

/// inputs and targets → the gradient of the loss in each parameter that is trained, as a training step computes it:
/// with dropout, and without changing anything.
template <class N>
struct GradientProgram {
    constexpr Program operator()() const {
        Program p;
        const auto trace = trace_network<N>(p, true);
        const Losses losses = trace_losses<N>(p, trace);
        List<Variable> parameters;
        for (const ParameterRecord& r : trace.context.parameters)
            if (r.trained) parameters.push({&p.tape, r.variable});
        for (const Variable& g : differentiate(losses.total, constant(&p.tape, 1), parameters)) add_output(p, g);
        return p;
    }
};

}  // namespace detail

/// The gradients of the loss in the parameters, on one batch. Several threads may each have one of their own on the
/// same model.
template <AnyNetwork N, class T>
class Gradients {
    using M = Model<N, T>;

public:
    explicit Gradients(const M& model) : model_(model) {
        model.bind(executor_);
        executor_.random.seed = model.seed();
        int output = 0;
        for (int p = 0; p < M::parameter_count; ++p) {
            if (!M::records.parameters[p].trained) continue;
            auto& values = values_[static_cast<std::size_t>(p)];
            values.resize(static_cast<std::size_t>(M::records.parameters[p].shape.count()));
            executor_.bind_output(output++, values.data());
        }
    }

    /// On `count` records, with the random numbers of the step of this number. Allocates only when the batch outgrows
    /// every earlier one.
    void run(std::uint64_t number, const typename M::InputPointers& inputs, const typename M::TargetPointers& targets,
             std::ptrdiff_t count, simd::Pool* pool = nullptr) {
        for (std::size_t i = 0; i < inputs.size(); ++i) executor_.bind_input(static_cast<int>(i), inputs[i]);
        for (std::size_t i = 0; i < targets.size(); ++i)
            executor_.bind_input(N::input_count + static_cast<int>(i), targets[i]);
        executor_.random.step = static_cast<std::uint32_t>(number);
        model_.read([&] {
            executor_.prepare(count);
            executor_.run(pool);
        });
    }

    /// Elements of one, dense, in row-major order; none where the parameter is not trained.
    std::span<const T> values(int parameter) const {
        M::check_position(parameter, M::parameter_count, "parameter");
        return values_[static_cast<std::size_t>(parameter)];
    }
    /// As an array: `of<"1-dense.weights">()`. Valid until the next run.
    template <Text name>
    ArrayView<T> of() {
        constexpr int i = M::find_parameter(name.view());
        static_assert(i >= 0, "the network has no parameter of this name");
        static_assert(i < 0 || M::records.parameters[i < 0 ? 0 : i].trained, "this parameter is a statistic, which is not trained");
        return window(values_[i].data(), M::records.parameters[i].shape, M::records.parameters[i].shape.last());
    }

private:
    const M& model_;
    Executor<T> executor_{simd::compiled_program<Planned<detail::GradientProgram<N>, simd::lanes<T>>, T>};
    std::array<std::vector<T>, static_cast<std::size_t>(M::parameter_count > 0 ? M::parameter_count : 1)> values_;
};

}  // namespace sigma
