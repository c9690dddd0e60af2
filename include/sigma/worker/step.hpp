// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/network/model.hpp>
#include <sigma/optimizer/update.hpp>

namespace sigma {

namespace detail {

template <class N, class O>
struct TracedStep {
    Program program;
    List<StateRecord> states;
};
template <class N, class O>
constexpr TracedStep<N, O> trace_step() {
    TracedStep<N, O> t;
    Program& p = t.program;
    const auto trace = trace_network<N>(p, true);
    const auto loss = N::Loss::loss(typename N::LossSelf{}, trace.output, input<N::target>(p, 1));
    List<Variable> scalars;
    for (int i = 0; i < scalar_count<O>; ++i) scalars.push(input<Shape{}>(p, 2 + i).variable);
    List<Variable> parameters;
    List<int> numbers;
    for (int i = 0; i < trace.context.parameters.size(); ++i) {
        if (!trace.context.parameters[i].trained) continue;
        parameters.push({&p.tape, trace.context.parameters[i].variable});
        numbers.push(i);
    }
    const List<Variable> gradients = differentiate(loss.variable, constant(&p.tape, 1), parameters);
    add_output(p, loss.variable);
    Update update(p, scalars);
    for (int i = 0; i < parameters.size(); ++i) {
        update.parameter = numbers[i];
        O::update(update, parameters[i], gradients[i]);
    }
    for (const StatisticUpdate& u : trace.context.updates) update.assign({&p.tape, u.target}, {&p.tape, u.value});
    t.states = update.states;
    return t;
}

/// inputs 0, targets 1, the optimizer's scalars 2 … → mean loss; parameters and states move one step
template <class N, class O>
struct TrainingProgram {
    constexpr Program operator()() const { return trace_step<N, O>().program; }
};

template <class N, class O>
struct StateRecords {
    static constexpr int count = trace_step<N, O>().states.size();
    static constexpr auto make() {
        const List<StateRecord> states = trace_step<N, O>().states;
        Frozen<StateRecord, count> f;
        for (int i = 0; i < count; ++i) f.data[i] = states[i];
        return f;
    }
    static constexpr auto records = make();
};

}  // namespace detail

/// One training step of a network under an optimizer on the CPU: forward, backward and update, on memory planned when
/// it was compiled. Holds the optimizer's states.
template <AnyNetwork N, AnyOptimizer O, class T = float>
class Step {
public:
    using P = Planned<detail::TrainingProgram<N, O>, simd::lanes<T>>;
    static constexpr auto& states = detail::StateRecords<N, O>::records;

    explicit Step(Model<N, T>& model) : memory_(static_cast<std::size_t>(offset(states.size()))) {
        model.bind(executor_);
        for (int i = 0; i < states.size(); ++i) executor_.bind_state(i, memory_.data() + offset(i));
        for (int i = 0; i < scalar_count<O>; ++i) executor_.bind_input(2 + i, &scalars_[i]);
        executor_.bind_output(0, &loss_);
        executor_.random.seed = model.seed();
    }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;

    /// Trains on dense inputs and targets of `count` records and returns their mean loss before the update. `number`
    /// counts steps from 1.
    double operator()(const O& optimizer, std::uint64_t number, const T* inputs, const T* targets, std::ptrdiff_t count,
                      simd::Pool* pool = nullptr) {
        const auto scalars = optimizer.scalars(number);
        for (int i = 0; i < scalar_count<O>; ++i) scalars_[i] = static_cast<T>(scalars[static_cast<std::size_t>(i)]);
        executor_.bind_input(0, inputs);
        executor_.bind_input(1, targets);
        executor_.random.step = static_cast<std::uint32_t>(number);
        executor_.prepare(count);
        if (pool) executor_.run(*pool);
        else executor_.run();
        return static_cast<double>(loss_);
    }

    static constexpr int row(int i) { return padded_row(states[i].shape, simd::lanes<T>); }
    /// State `i` of the optimizer as a writable xtensor view.
    auto state(int i) {
        Model<N, T>::check_position(i, states.size(), "optimizer state");
        return window(memory_.data() + offset(i), states[i].shape, row(i));
    }
    T* state_data(int i) { return memory_.data() + offset(i); }
    std::span<T> state_memory() { return {memory_.data(), memory_.size()}; }
    std::size_t arena_bytes() const { return executor_.arena_bytes(); }
    static constexpr std::size_t arena_bytes(std::size_t records) {
        return sizeof(T) * (static_cast<std::size_t>(P::plan.fixed_size) + static_cast<std::size_t>(P::plan.batched_size) * records);
    }

private:
    simd::Arena<T> memory_;
    simd::Executor<P, T> executor_;
    T scalars_[static_cast<std::size_t>(scalar_count<O>)]{};
    T loss_ = 0;

    static constexpr int offset(int state) {
        int n = 0;
        for (int i = 0; i < state; ++i) n += round_up(footprint(states[i].shape, row(i)), 16);
        return n;
    }
};

}  // namespace sigma
