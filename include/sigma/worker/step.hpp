// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/network/model.hpp>
#include <sigma/network/parameter_rows.hpp>
#include <sigma/optimizer/update.hpp>

#include <array>

namespace sigma {

namespace detail {

/// The parameters with these numbers move by their gradients, prepared all together.
template <class O>
constexpr void add_updates(Update& update, const List<Variable>& parameters, const List<int>& numbers,
                           const List<Variable>& gradients) {
    const List<Variable> ready = prepared<O>(update, gradients);
    for (int i = 0; i < parameters.size(); ++i) {
        update.parameter = numbers[i];
        O::update(update, parameters[i], ready[i]);
    }
}

template <class N, class O>
constexpr Program trace_step() {
    Program p;
    const auto trace = trace_network<N>(p, true);
    const Losses losses = trace_losses<N>(p, trace);
    List<Variable> scalars;
    for (int i = 0; i < scalar_count<O>; ++i) scalars.push(input<Shape{}>(p, N::input_count + N::cost_count + i).variable);
    List<Variable> parameters;
    List<int> numbers;
    for (int i = 0; i < trace.context.parameters.size(); ++i) {
        if (!trace.context.parameters[i].trained) continue;
        parameters.push({&p.tape, trace.context.parameters[i].variable});
        numbers.push(i);
    }
    const List<Variable> raw = differentiate(losses.total, constant(&p.tape, 1), parameters);
    add_output(p, losses.total);
    add_parts<N>(p, losses.parts);
    Update update(p, scalars);
    add_updates<O>(update, parameters, numbers, raw);
    for (const StatisticUpdate& u : trace.context.updates) update.assign({&p.tape, u.target}, {&p.tape, u.value});
    return p;
}

/// inputs, targets, the optimizer's scalars → mean loss and, of several, its parts; parameters and states move one step
template <class N, class O>
struct TrainingProgram {
    constexpr Program operator()() const { return trace_step<N, O>(); }
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
        if constexpr (count > room)
            return make<count>().states;
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
class Step {
public:
    using P = Planned<detail::TrainingProgram<N, O>, simd::lanes<T>>;
    static constexpr auto& states = detail::StateRecords<N, O>::records;

    explicit Step(Model<N, T>& model)
        : memory_(detail::memory_offsets(states, simd::lanes<T>)), executor_(simd::compiled_program<P, T>) {
        model.bind(executor_);
        executor_.bind_states(memory_);
        for (int i = 0; i < scalar_count<O>; ++i) executor_.bind_input(N::input_count + N::cost_count + i, &scalars_[i]);
        executor_.bind_output(0, &loss_);
        if constexpr (N::cost_count > 1)
            for (int i = 0; i < N::cost_count; ++i) executor_.bind_output(1 + i, &parts_[static_cast<std::size_t>(i)]);
        executor_.random.seed = model.seed();
    }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;

    /// Trains on dense inputs and targets of `count` records and returns their mean loss before the update. `number`
    /// counts steps from 1.
    double operator()(const O& optimizer, std::uint64_t number, const typename Model<N, T>::InputPointers& inputs,
                      const typename Model<N, T>::TargetPointers& targets, std::ptrdiff_t count, simd::Pool* pool = nullptr) {
        const auto scalars = optimizer.scalars(number);
        for (int i = 0; i < scalar_count<O>; ++i) scalars_[i] = static_cast<T>(scalars[static_cast<std::size_t>(i)]);
        for (std::size_t i = 0; i < inputs.size(); ++i) executor_.bind_input(static_cast<int>(i), inputs[i]);
        for (std::size_t i = 0; i < targets.size(); ++i)
            executor_.bind_input(N::input_count + static_cast<int>(i), targets[i]);
        executor_.random.step = static_cast<std::uint32_t>(number);
        executor_.prepare(count);
        executor_.run(pool);
        return static_cast<double>(loss_);
    }
    double operator()(const O& optimizer, std::uint64_t number, const T* inputs, const T* targets, std::ptrdiff_t count,
                      simd::Pool* pool = nullptr)
        requires(N::input_count == 1 && N::cost_count == 1)
    {
        using M = Model<N, T>;
        return (*this)(optimizer, number, typename M::InputPointers{inputs}, typename M::TargetPointers{targets}, count, pool);
    }
    /// For steps that were taken on another device.
    void set_loss(int cost, T value) { (N::cost_count == 1 ? loss_ : parts_[static_cast<std::size_t>(cost)]) = value; }
    /// The loss of one cost in the last step, without its importance.
    double loss(int cost) const {
        Model<N, T>::check_position(cost, N::cost_count, "cost");
        return static_cast<double>(N::cost_count == 1 ? loss_ : parts_[static_cast<std::size_t>(cost)]);
    }

    static constexpr int row(int i) { return padded_row(states[i].shape, simd::lanes<T>); }
    /// State `i` of the optimizer as a writable window.
    ArrayView<T> state(int i) {
        Model<N, T>::check_position(i, states.size(), "optimizer state");
        return window(state_data(i), states[i].shape, row(i));
    }
    ParameterRows<T> state_rows(int i) { return rows_of(state_data(i), states[i].shape, row(i)); }
    ParameterRows<const T> state_rows(int i) const { return rows_of(state_data(i), states[i].shape, row(i)); }
    /// The seed of dropout and its like in further steps.
    void set_seed(std::uint64_t seed) { executor_.random.seed = seed; }
    T* state_data(int i) { return memory_.write(i); }
    const T* state_data(int i) const { return memory_.read(i); }
    std::span<T> state_memory() { return memory_.write_all(); }
    std::span<const T> state_memory() const { return memory_.read_all(); }
    /// Where the states are.
    Mirrored<T>& mirrored() { return memory_; }
    std::uint64_t seed() const { return executor_.random.seed; }
    std::size_t arena_bytes() const { return executor_.arena_bytes(); }
    static constexpr std::size_t arena_bytes(std::size_t records) {
        return detail::arena_bytes<P, T>(records);
    }

private:
    Mirrored<T> memory_;
    Executor<T> executor_;
    T scalars_[static_cast<std::size_t>(scalar_count<O>)]{};
    T loss_ = 0;
    std::array<T, N::cost_count> parts_{};
};

}  // namespace sigma
