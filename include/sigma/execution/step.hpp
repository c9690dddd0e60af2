// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/cpu/packed.hpp>
#include <sigma/execution/device_step.hpp>
#include <sigma/execution/made_training.hpp>
#include <sigma/execution/training_programs.hpp>
#include <sigma/network/model.hpp>
#include <sigma/optimizer/check.hpp>
#include <sigma/optimizer/table.hpp>
#include <sigma/tape/mistake.hpp>

namespace sigma {

/// A mistake at compile time: the network has no loss, so it can only predict. Append one, such as SoftmaxCE.
template <class Network>
struct error_network_to_be_trained_has_no_loss;

}  // namespace sigma

namespace sigma::detail {

/// The programs of training, as functions of the network's expression and the optimizer's rule.
template <class N, class O>
struct TrainingProgram {
    constexpr Program operator()() const {
        Program p;
        trace_training(p, N::expression, RuleOf<O>{}, N::input_count + N::cost_count);
        return p;
    }
};
template <class N, class O>
struct UpdateProgram {
    constexpr Program operator()() const {
        Program p;
        trace_update(p, N::expression, RuleOf<O>{}, network_table<N>.parameters);
        return p;
    }
};
template <class N, class O>
struct StateRecords {
    template <int capacity>
    struct Bounded {
        int count = 0;  ///< number of states, also above the capacity
        StaticArray<StateRecord, capacity> states{};
    };
    template <int capacity>
    static constexpr Bounded<capacity> make() {
        const List<StateRecord> states = optimizer_states(RuleOf<O>{}, network_table<N>.parameters);
        Bounded<capacity> f;
        f.count = states.size();
        for (int i = 0; i < f.count && f.count <= capacity; ++i) f.states.data[i] = states[i];
        return f;
    }
    /// The capacity, as for a network's records: the states are found once if most optimizers' fit.
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
/// The optimizer's states, as data.
template <class N, class O>
inline constexpr ListView<StateRecord> state_table{StateRecords<N, O>::records.data, StateRecords<N, O>::count};

/// The programs of a step and the records of its states, from the compiler.
template <AnyNetwork N, class O, class T>
class SIGMA_BY_INSTRUCTIONS StepPrograms {
public:
    using P = Planned<TrainingProgram<N, O>, on_cpu::lanes<T>>;
    static constexpr auto& states = StateRecords<N, O>::records;

    explicit StepPrograms(const N&) {}
    static const CompiledProgram<T>& step() { return on_cpu::compiled_program<P, T>; }
    static ListView<StateRecord> state_table() { return detail::state_table<N, O>; }
    static Program operations() { return TrainingProgram<N, O>{}(); }
    static DataParallelPlans data_parallel() {
        return {on_cpu::plan_of<NetworkPlan<N, to_find_local_gradients, T>, T>(),
                on_cpu::plan_of<Planned<UpdateProgram<N, O>, on_cpu::lanes<T>>, T>(), loss_outputs<N>};
    }
    static StepInParts in_parts() {
        return {NetworkProgram<N, to_find_step>{}(), UpdateProgram<N, O>{}(), NetworkProgram<N, to_evaluate>{}(),
                NetworkProgram<N, to_predict>{}(), loss_outputs<N>};
    }
};
/// The programs of a step, made at run time.
template <MadeNetwork N, class O, class T>
class StepPrograms<N, O, T> : public MadeTraining<T> {
public:
    const ListView<StateRecord> states = this->state_table();

    explicit StepPrograms(const DynamicNetwork& network)
        : MadeTraining<T>(network.made(), update_rule<O>, on_cpu::lanes<T>) {}
};

template <class N, class O, class T>
consteval auto programs_or_mistake() {
    if constexpr (may_judge<N>) return std::type_identity<StepPrograms<N, O, T>>{};
    else return Mistake<error_network_to_be_trained_has_no_loss<N>>{};
}
template <class N, class O, class T>
using ProgramsOf = typename TypeOrMistake<decltype(programs_or_mistake<N, O, T>())>::type;

/// A training step of a network with an optimizer: forward pass, backward pass and update. The compiler, or the
/// constructor for a run-time network, has planned its memory. Holds the optimizer's states.
template <AnyNetwork N, AnyOptimizer O, class T = float>
class SIGMA_BY_INSTRUCTIONS Step : public ProgramsOf<N, O, T>, public StepCore<T> {
    using Programs = StepPrograms<N, O, T>;
    using Core = StepCore<T>;

public:
    using Core::state_table;

    /// Constructs a step. Throws ArgumentError if a pattern of the optimizer matches no trained parameter.
    explicit Step(Model<N, T>& model)
        : Programs(model.definition()), Core(model, Programs::step(), Programs::state_table(), scalar_count<O>) {
        check_patterns<O>(model.network());
    }
};

}  // namespace sigma::detail
