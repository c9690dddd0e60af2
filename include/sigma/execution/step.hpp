// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/cpu/packed.hpp>
#include <sigma/execution/device_step.hpp>
#include <sigma/network/model.hpp>
#include <sigma/optimizer/check.hpp>
#include <sigma/optimizer/table.hpp>

namespace sigma::detail {

/// These parameters move by their gradients, prepared all together.
template <class N, class O>
constexpr void add_updates(Update& update, const ChosenParameters& moved, const List<Variable>& gradients) {
    update.moved = moved.numbers;
    const List<Variable> ready = prepared<O>(update, gradients);
    for (int i = 0; i < moved.numbers.size(); ++i) {
        update.parameter = moved.numbers[i];
        update.parameter_name = network_table<N>.parameters[update.parameter].name;
        O::update(update, moved.variables[i], ready[i]);
    }
}

/// The trained parameters that the optimizer moves.
template <class O>
constexpr ChosenParameters moved_parameters(Program& p, const Context& context) {
    const ChosenParameters trained = choose_parameters(p, context, GradientsIn::trained);
    ChosenParameters moved;
    for (int i = 0; i < trained.numbers.size(); ++i) {
        if (!moves<O>(context.parameters[trained.numbers[i]].name.view())) continue;
        moved.variables.push(trained.variables[i]);
        moved.numbers.push(trained.numbers[i]);
    }
    return moved;
}

/// inputs, targets, the optimizer's scalars → mean loss and, of several, its parts; parameters and states move one step
template <class N, class O>
struct TrainingProgram {
    constexpr Program operator()() const {
        Program p;
        Context context(p.tape, true);
        trace_network(N::expression, context);
        const Losses losses = trace_losses(p, N::expression, context);
        List<Variable> scalars;
        for (int i = 0; i < scalar_count<O>; ++i) scalars.push(input(p, Shape{}, N::input_count + N::cost_count + i));
        const ChosenParameters moved = moved_parameters<O>(p, context);
        const List<Variable> raw = differentiate(losses.total, constant(&p.tape, 1), moved.variables);
        add_losses(p, losses);
        Update update(p, scalars);
        add_updates<N, O>(update, moved, raw);
        for (const StatisticUpdate& u : context.updates) update.assign({&p.tape, u.target}, {&p.tape, u.value});
        return p;
    }
};

/// Which statistics a step changes, by their numbers among the parameters, in the order of the last outputs of local
/// gradients.
template <class N>
constexpr List<int> changed_statistics() {
    Program p;
    Context context(p.tape, true);
    trace_network(N::expression, context);
    List<int> numbers;
    for (const StatisticUpdate& u : context.updates) numbers.push(static_cast<int>(p.tape[u.target].attribute));
    return numbers;
}

/// The optimizer's scalars, then local gradients and statistics, added up over the parts of a batch → parameters,
/// statistics and states move one step, as in TrainingProgram.
template <class N, class O>
struct UpdateProgram {
    constexpr Program operator()() const {
        Program p;
        int number = 0;
        const auto next_input = [&](const Shape& shape) {
            return Variable{&p.tape, p.tape.leaf(Operation::input, shape, static_cast<std::uint64_t>(number++))};
        };
        const auto parameter_of = [&](int i) {
            return Variable{&p.tape, p.tape.leaf(Operation::parameter, N::records.parameters[i].shape,
                                                 static_cast<std::uint64_t>(i))};
        };
        List<Variable> scalars, raw;
        ChosenParameters moved;
        for (int i = 0; i < scalar_count<O>; ++i) scalars.push(next_input(Shape{}));
        for (int i = 0; i < N::records.size.parameters; ++i) {
            const ParameterRecord& r = N::records.parameters[i];
            if (!r.trained) continue;
            const Variable gradient = next_input(r.shape);
            if (!moves<O>(r.name.view())) continue;
            moved.variables.push(parameter_of(i));
            moved.numbers.push(i);
            raw.push(gradient);
        }
        Update update(p, scalars);
        add_updates<N, O>(update, moved, raw);
        for (int i : changed_statistics<N>()) {
            const Variable statistic = parameter_of(i);
            update.assign(statistic, next_input(statistic.shape()));
        }
        return p;
    }
};

/// The states an optimizer keeps, which depend on the parameters alone.
template <class N, class O>
constexpr List<StateRecord> optimizer_states() {
    Program p;
    List<Variable> scalars;
    for (int i = 0; i < scalar_count<O>; ++i) scalars.push(input(p, Shape{}, i));
    ChosenParameters moved;
    List<Variable> gradients;
    for (int i = 0; i < N::records.size.parameters; ++i) {
        const ParameterRecord& r = N::records.parameters[i];
        if (!r.trained || !moves<O>(r.name.view())) continue;
        moved.variables.push({&p.tape, p.tape.leaf(Operation::parameter, r.shape)});
        moved.numbers.push(i);
        gradients.push({&p.tape, p.tape.leaf(Operation::input, r.shape)});
    }
    Update update(p, scalars);
    add_updates<N, O>(update, moved, gradients);
    return update.states;
}
template <class N, class O>
struct StateRecords {
    template <int capacity>
    struct Bounded {
        int count = 0;  ///< which may be more than there is room for
        StaticArray<StateRecord, capacity> states{};
    };
    template <int capacity>
    static constexpr Bounded<capacity> make() {
        const List<StateRecord> states = optimizer_states<N, O>();
        Bounded<capacity> f;
        f.count = states.size();
        for (int i = 0; i < f.count && f.count <= capacity; ++i) f.states.data[i] = states[i];
        return f;
    }
    /// As of a network's records: found once, where there is room for those of most optimizers.
    static constexpr int capacity = 3 * N::records.size.parameters;
    static constexpr auto bounded = make<capacity>();
    static constexpr int count = bounded.count;
    static constexpr StaticArray<StateRecord, count> fitted() {
        if constexpr (count > capacity) return make<count>().states;
        else {
            StaticArray<StateRecord, count> f;
            for (int i = 0; i < count; ++i) f.data[i] = bounded.states[i];
            return f;
        }
    }
    static constexpr StaticArray<StateRecord, count> records = fitted();
};
/// The states as data.
template <class N, class O>
inline constexpr ListView<StateRecord> state_table{StateRecords<N, O>::records.data, StateRecords<N, O>::count};

/// One training step of a network under an optimizer: forward, backward and update, on memory planned when
/// it was compiled. Holds the optimizer's states.
template <AnyNetwork N, AnyOptimizer O, class T = float>
class Step : public detail::StepCore<T> {
    using Core = detail::StepCore<T>;

public:
    using P = Planned<detail::TrainingProgram<N, O>, on_cpu::lanes<T>>;
    static constexpr auto& states = detail::StateRecords<N, O>::records;
    using Core::arena_bytes;

    /// Throws ArgumentError where a pattern of the optimizer matches no parameter that is trained.
    explicit Step(Model<N, T>& model)
        : Core(model, on_cpu::compiled_program<P, T>, detail::state_table<N, O>, scalar_count<O>) {
        detail::check_patterns<O>(network_table<N>);
    }

    /// Trains on dense inputs and targets of `count` records and returns their mean loss before the update. `number`
    /// counts steps from 1.
    double operator()(const O& optimizer, std::uint64_t number, const typename Model<N, T>::InputPointers& inputs,
                      const typename Model<N, T>::TargetPointers& targets, std::ptrdiff_t count,
                      on_cpu::ThreadPool* pool = nullptr) {
        return Core::run(detail::scalars_at(optimizer, number).data, number, inputs, targets, count, pool);
    }
    double operator()(const O& optimizer, std::uint64_t number, const T* inputs, const T* targets, std::ptrdiff_t count,
                      on_cpu::ThreadPool* pool = nullptr)
        requires(N::input_count == 1 && N::cost_count == 1)
    {
        using M = Model<N, T>;
        return (*this)(optimizer, number, typename M::InputPointers{inputs}, typename M::TargetPointers{targets}, count,
                       pool);
    }

    static constexpr int pitch(int i) { return row_pitch(states[i].shape, on_cpu::lanes<T>); }
    static std::size_t arena_bytes(std::size_t records) {
        return on_cpu::arena_bytes<T>(on_cpu::plan_of<P, T>(), records);
    }
};

}  // namespace sigma::detail
