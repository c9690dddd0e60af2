// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/network/model.hpp>
#include <sigma/optimizer/table.hpp>
#include <sigma/worker/step_core.hpp>

namespace sigma {

namespace detail {

/// These parameters move by their gradients, prepared all together.
template <class O>
constexpr void add_updates(Update& update, const ChosenParameters& moved, const List<Variable>& gradients) {
    const List<Variable> ready = prepared<O>(update, gradients);
    for (int i = 0; i < moved.numbers.size(); ++i) {
        update.parameter = moved.numbers[i];
        O::update(update, moved.variables[i], ready[i]);
    }
}

/// inputs, targets, the optimizer's scalars → mean loss and, of several, its parts; parameters and states move one step
template <class N, class O>
struct TrainingProgram {
    constexpr Program operator()() const {
        Program p;
        const auto trace = trace_network<N>(p, true);
        const Losses losses = trace_losses<N>(p, trace);
        List<Variable> scalars;
        for (int i = 0; i < scalar_count<O>; ++i)
            scalars.push(input<Shape{}>(p, N::input_count + N::cost_count + i).variable);
        const ChosenParameters moved = choose_parameters(p, trace.context, GradientsIn::trained);
        const List<Variable> raw = differentiate(losses.total, constant(&p.tape, 1), moved.variables);
        add_losses<N>(p, losses);
        Update update(p, scalars);
        add_updates<O>(update, moved, raw);
        for (const StatisticUpdate& u : trace.context.updates) update.assign({&p.tape, u.target}, {&p.tape, u.value});
        return p;
    }
};

/// The states an optimizer keeps, which depend on the parameters alone.
template <class N, class O>
constexpr List<StateRecord> optimizer_states() {
    Program p;
    List<Variable> scalars;
    for (int i = 0; i < scalar_count<O>; ++i) scalars.push(input<Shape{}>(p, i).variable);
    Update update(p, scalars);
    for (update.parameter = 0; update.parameter < NetworkRecords<N>::parameter_count; ++update.parameter) {
        const ParameterRecord& r = NetworkRecords<N>::records.parameters[update.parameter];
        if (!r.trained) continue;
        const Variable w{&p.tape, p.tape.leaf(Operation::parameter, r.shape)};
        const Variable g{&p.tape, p.tape.leaf(Operation::input, r.shape)};
        O::update(update, w, g);
    }
    return update.states;
}
template <class N, class O>
struct StateRecords {
    template <int room>
    struct FrozenIn {
        int count = 0;  ///< which may be more than there is room for
        Frozen<StateRecord, room> states{};
    };
    template <int room>
    static constexpr FrozenIn<room> make() {
        const List<StateRecord> states = optimizer_states<N, O>();
        FrozenIn<room> f;
        f.count = states.size();
        for (int i = 0; i < f.count && f.count <= room; ++i) f.states.data[i] = states[i];
        return f;
    }
    /// As of a network's records: found once, where there is room for those of most optimizers.
    static constexpr int room = 3 * NetworkRecords<N>::parameter_count;
    static constexpr auto roomy = make<room>();
    static constexpr int count = roomy.count;
    static constexpr Frozen<StateRecord, count> fitted() {
        if constexpr (count > room) return make<count>().states;
        else {
            Frozen<StateRecord, count> f;
            for (int i = 0; i < count; ++i) f.data[i] = roomy.states[i];
            return f;
        }
    }
    static constexpr Frozen<StateRecord, count> records = fitted();
};
/// The states as data.
template <class N, class O>
inline constexpr ListView<StateRecord> state_table{StateRecords<N, O>::records.data, StateRecords<N, O>::count};

}  // namespace detail

/// One training step of a network under an optimizer: forward, backward and update, on memory planned when
/// it was compiled. Holds the optimizer's states.
template <AnyNetwork N, AnyOptimizer O, class T = float>
class Step : public detail::StepCore<T> {
    using Core = detail::StepCore<T>;

public:
    using P = Planned<detail::TrainingProgram<N, O>, simd::lanes<T>>;
    static constexpr auto& states = detail::StateRecords<N, O>::records;
    using Core::arena_bytes;

    explicit Step(Model<N, T>& model)
        : Core(model, simd::compiled_program<P, T>, detail::state_table<N, O>, scalar_count<O>) {}

    /// Trains on dense inputs and targets of `count` records and returns their mean loss before the update. `number`
    /// counts steps from 1.
    double operator()(const O& optimizer, std::uint64_t number, const typename Model<N, T>::InputPointers& inputs,
                      const typename Model<N, T>::TargetPointers& targets, std::ptrdiff_t count,
                      simd::Pool* pool = nullptr) {
        return Core::run(detail::scalars_at(optimizer, number).data, number, inputs, targets, count, pool);
    }
    double operator()(const O& optimizer, std::uint64_t number, const T* inputs, const T* targets, std::ptrdiff_t count,
                      simd::Pool* pool = nullptr)
        requires(N::input_count == 1 && N::cost_count == 1)
    {
        using M = Model<N, T>;
        return (*this)(optimizer, number, typename M::InputPointers{inputs}, typename M::TargetPointers{targets}, count,
                       pool);
    }

    static constexpr int row(int i) { return padded_row(states[i].shape, simd::lanes<T>); }
    static std::size_t arena_bytes(std::size_t records) {
        return detail::arena_bytes<T>(simd::plan_of<P, T>(), records);
    }
};

}  // namespace sigma
