// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/field.hpp>
#include <sigma/core/text.hpp>
#include <sigma/tape/program.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>

namespace sigma {

// What is told who puts optimizers into one another as they do not fit; see tape/mistake.hpp.
// clang-format off: a table
template <class> struct optimizer_is;
/// clip_gradient_norm(1.0, Adam{})
struct write_the_optimizer_first;
template <class> struct error_optimizer_stands_before_its_number;
/// frozen("1-*", Adam{}), l2_penalty(Adam{}, 0.1): a pattern is a constant of the program
template <class> struct error_pattern_belongs_between_the_angle_brackets;
struct write_frozen_pattern_in_angle_brackets;
struct write_group_pattern_in_angle_brackets;
template <class> struct error_gradients_are_clipped_by_value_already;
template <class> struct error_gradients_are_clipped_by_norm_already;
template <class> struct error_gradients_are_accumulated_already;
template <class> struct error_parameters_are_averaged_already;
/// group(penalty(group(…))): groups stand side by side, all inside or all outside of penalties, averages, `accumulate`.
template <class> struct error_groups_are_inside_and_outside_of_a_penalty_or_an_average;
template <class> struct error_groups_are_inside_and_outside_of_accumulate;
// clang-format on

namespace detail {

template <class O>
inline constexpr bool has_groups = requires { typename O::UngroupedOptimizer; };

/// A tensor that an optimizer keeps for a parameter from step to step; it starts as zeros.
struct StateRecord {
    Text name{};
    int parameter = -1;
    Shape shape{};
};

}  // namespace detail

/// What an optimizer writes its update with: scalars that may change between steps, states, and assignments, all of
/// which take effect together at the end of the step.
class Update {
public:
    constexpr Update(detail::Program& p, detail::List<Variable>&& step_scalars)
        : program(p), scalars(static_cast<detail::List<Variable>&&>(step_scalars)) {}

    detail::Program& program;
    detail::List<detail::StateRecord> states{};
    int parameter = 0;          ///< which one is being updated
    Text parameter_name{};      ///< "1-dense.weights"
    detail::List<int> moved{};  ///< all that are updated, as `prepare` gets their gradients
    int first_scalar = 0;       ///< where the numbers begin that its group takes

    /// Element `i` of what the optimizer's `scalars(step)` returns.
    constexpr Variable scalar(int i) const { return scalars[first_scalar + i]; }
    constexpr Variable state(Text name, const Shape& shape) {
        states.push({name, parameter, shape});
        return {&program.tape,
                program.tape.leaf(detail::Operation::state, shape, static_cast<std::uint64_t>(states.size() - 1))};
    }
    constexpr void assign(Variable target, Variable value) {
        if (condition_.tape != nullptr) value = where(condition_, value, target);
        const detail::Node n{detail::Operation::assign, target.id, detail::expand(value, target.shape()).id, -1,
                             target.shape()};
        program.assignments.push({&program.tape, program.tape.emit_unshared(n)});
    }

    /// What the last assignment makes of it; itself where nothing is assigned.
    constexpr Variable next(Variable target) const {
        for (int i = program.assignments.size() - 1; i >= 0; --i) {
            const detail::Node& n = program.tape[program.assignments[i].id];
            if (n.a == target.id) return {&program.tape, n.b};
        }
        return target;
    }

    /// Up to `always()` what is assigned takes effect where the number is not 0; else targets keep their bits.
    constexpr void only_if(Variable number) { condition_ = number; }
    constexpr void always() { condition_ = {}; }

private:
    detail::List<Variable> scalars;
    Variable condition_{};
};

/// An optimizer is an aggregate of hyper-parameters. `scalars(step)` turns them into the numbers of one step (the first
/// is number 1), in double precision, once a step; `update` is the rule for one parameter as an expression over them.
/// `fields()`, where it is there, names the hyper-parameters (core/field.hpp). `prepare(update, gradients)`, where it
/// is there, returns what `update` gets in place of the gradients of all trained parameters.
template <class O>
concept AnyOptimizer = requires(const O& o, Update& u, Variable v) {
    { o.scalars(std::uint64_t{1})[0] } -> std::convertible_to<double>;
    O::update(u, v, v);
};

/// A class with `scalars` and `update`, which has no object where the compiler traces it.
template <class O>
struct error_update_of_an_optimizer_must_be_static;

namespace detail {

template <class O>
concept UpdatesByObject = !AnyOptimizer<O> && requires(O& o, Update& u, Variable v) {
    o.scalars(std::uint64_t{1})[0];
    o.update(u, v, v);
};

template <AnyOptimizer O>
inline constexpr int scalar_count = static_cast<int>(std::tuple_size_v<decltype(O{}.scalars(1))>);

/// The numbers of one step, and others after them.
template <int first, int more>
constexpr auto joined(const auto& a, const auto& b) {
    std::array<double, static_cast<std::size_t>(first + more)> all{};
    for (std::size_t i = 0; i < static_cast<std::size_t>(first); ++i) all[i] = static_cast<double>(a[i]);
    for (std::size_t i = 0; i < static_cast<std::size_t>(more); ++i)
        all[static_cast<std::size_t>(first) + i] = static_cast<double>(b[i]);
    return all;
}

/// Does the optimizer move the parameter of this name? One that says `trains(name)` leaves out others: their gradients
/// are not computed, and they have no states.
template <AnyOptimizer O>
constexpr bool moves(std::string_view name) {
    if constexpr (requires { O::trains(name); }) return O::trains(name);
    else return true;
}

/// How many updates an optimizer has taken after so many steps: as many, but for one that accumulates.
template <AnyOptimizer O>
constexpr std::uint64_t updates_after(const O& optimizer, std::uint64_t steps) {
    if constexpr (requires { optimizer.updates_after(steps); }) return optimizer.updates_after(steps);
    else return steps;
}

}  // namespace detail

/// The gradients of all trained parameters as an optimizer wants them.
template <AnyOptimizer O>
constexpr detail::List<Variable> prepared(Update& u, const detail::List<Variable>& gradients) {
    if constexpr (requires { O::prepare(u, gradients); }) return O::prepare(u, gradients);
    else return gradients;
}

namespace detail {

/// What programs ask of an optimizer, as an object.
template <AnyOptimizer O>
struct RuleOf {
    static constexpr int scalars = scalar_count<O>;
    static constexpr bool moves(std::string_view name) { return detail::moves<O>(name); }
    static constexpr List<Variable> prepare(Update& u, const List<Variable>& gradients) {
        return prepared<O>(u, gradients);
    }
    static constexpr void update(Update& u, Variable w, Variable gradient) { O::update(u, w, gradient); }
};
/// The same where its type does not matter.
struct UpdateRule {
    int scalars;
    bool (*moves)(std::string_view name);
    List<Variable> (*prepare)(Update& u, const List<Variable>& gradients);
    void (*update)(Update& u, Variable w, Variable gradient);
};
template <AnyOptimizer O>
inline constexpr UpdateRule update_rule{RuleOf<O>::scalars, &RuleOf<O>::moves, &RuleOf<O>::prepare, &RuleOf<O>::update};

/// What stands in the type of a trainer without one.
struct NoOptimizer {
    constexpr std::array<double, 1> scalars(std::uint64_t) const { return {}; }
    static constexpr void update(Update&, Variable, Variable) {}
};
}  // namespace detail

}  // namespace sigma
