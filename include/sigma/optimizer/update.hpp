// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// The parts of optimizers of your own: AnyOptimizer, Update. Included by `<sigma/sigma.hpp>`.
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

// Mistakes in nesting optimizers; see tape/mistake.hpp.
// clang-format off: a table
template <class> struct optimizer_is;
// clip_gradient_norm(1.0, Adam{})
struct use_the_optimizer_first;
template <class> struct error_optimizer_stands_before_its_number;
// frozen("1-*", Adam{}), l2_penalty(Adam{}, 0.1): a pattern is a constant of the program
template <class> struct error_pattern_belongs_between_the_angle_brackets;
struct use_frozen_pattern_in_angle_brackets;
struct use_group_pattern_in_angle_brackets;
template <class> struct error_gradients_are_clipped_by_value_already;
template <class> struct error_gradients_are_clipped_by_norm_already;
template <class> struct error_gradients_are_accumulated_already;
template <class> struct error_parameters_are_averaged_already;
// group(penalty(group(…))): groups are nested directly, all inside or all outside of penalties, averages, `accumulate`.
template <class> struct error_groups_are_inside_and_outside_of_a_penalty_or_an_average;
template <class> struct error_groups_are_inside_and_outside_of_accumulate;
// clang-format on

namespace detail {

template <class O>
inline constexpr bool has_groups = requires { typename O::UngroupedOptimizer; };

/// A tensor that an optimizer keeps for a parameter from step to step. It begins with zeros.
struct StateRecord {
    Text name{};
    int parameter = -1;
    Shape shape{};
};

}  // namespace detail

/// The environment of an optimizer's `update`: numbers of the step, states and assignments.
///
/// Assignments take effect together, at the end of the step.
/// @par Example
/// @code
/// struct Signum {
///     double learning_rate = 0.001;
///     std::array<double, 1> scalars(std::uint64_t) const { return {learning_rate}; }
///     static constexpr void update(Update& u, Variable w, Variable g) { u.assign(w, w - u.scalar(0) * sign(g)); }
/// };
/// Trainer fitted("digits", Digits{}, Signum{}, minibatches(training, 100));
/// @endcode
///
/// @see AnyOptimizer
class Update {
public:
    /// @cond internal
    constexpr Update(detail::Program& p, detail::List<Variable>&& step_scalars)
        : program(p), scalars(static_cast<detail::List<Variable>&&>(step_scalars)) {}

    detail::Program& program;
    detail::List<detail::StateRecord> states{};
    int parameter = 0;          ///< number of the parameter being updated
    Text parameter_name{};      ///< "1-dense.weights"
    detail::List<int> moved{};  ///< all updated parameters, in the order of the gradients of `prepare`
    int first_scalar = 0;       ///< place of the numbers of the parameter's group
    /// @endcond

    /// Returns a number of the step.
    /// @param index  index in the array that `scalars(step)` of the optimizer returns
    /// @return a scalar
    constexpr Variable scalar(int index) const { return scalars[first_scalar + index]; }
    /// Returns a tensor that the optimizer keeps for this parameter from step to step. It begins with zeros.
    /// @param name  name of the state, for checkpoints
    /// @param shape  shape of the state, usually that of the parameter
    /// @return the state
    constexpr Variable state(Text name, const Shape& shape) {
        states.push({name, parameter, shape});
        return {&program.tape,
                program.tape.leaf(detail::Operation::state, shape, static_cast<std::uint64_t>(states.size() - 1))};
    }
    /// Assigns a value to a parameter or a state, at the end of the step.
    /// @param target  the parameter or a state
    /// @param value  the new value. Broadcasts to the shape of the target.
    constexpr void assign(Variable target, Variable value) {
        if (condition_.tape != nullptr) value = where(condition_, value, target);
        const detail::Node n{detail::Operation::assign, target.id, detail::expand(value, target.shape()).id, -1,
                             target.shape()};
        program.assignments.push({&program.tape, program.tape.emit_unshared(n)});
    }
    /// Returns the value that the last assignment gives to `target`, or `target` without an assignment.
    /// @param target  the parameter or a state
    constexpr Variable next(Variable target) const {
        for (int i = program.assignments.size() - 1; i >= 0; --i) {
            const detail::Node& n = program.tape[program.assignments[i].id];
            if (n.a == target.id) return {&program.tape, n.b};
        }
        return target;
    }

    /// Makes assignments take effect only if a number is not 0, until `always()`. Else targets stay bit-identical.
    /// @param number  a scalar
    constexpr void only_if(Variable number) { condition_ = number; }
    /// Ends `only_if`.
    constexpr void always() { condition_ = {}; }

private:
    detail::List<Variable> scalars;
    Variable condition_{};
};

/// An optimizer: an aggregate of hyperparameters with `scalars(step)` and a static `update`.
///
/// `scalars(step)` returns the numbers of one step in double precision; the first step is number 1. `update(u, w, g)`
/// is the rule for a parameter w with the gradient g, as an expression over these numbers. Optional members: `fields()`
/// names the hyperparameters for hooks and checkpoints (core/field.hpp). `prepare(u, gradients)` replaces the gradients
/// of all trained parameters, for example to clip them.
///
/// @see Update, Adam
template <class O>
concept AnyOptimizer = requires(const O& o, Update& u, Variable v) {
    { o.scalars(std::uint64_t{1})[0] } -> std::convertible_to<double>;
    O::update(u, v, v);
};

// An optimizer with a non-static `update`: the compiler has no object to call it on when it traces the network.
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

/// Returns the numbers of one step, followed by others.
template <int first, int more>
constexpr auto joined(const auto& a, const auto& b) {
    std::array<double, static_cast<std::size_t>(first + more)> all{};
    for (std::size_t i = 0; i < static_cast<std::size_t>(first); ++i) all[i] = static_cast<double>(a[i]);
    for (std::size_t i = 0; i < static_cast<std::size_t>(more); ++i)
        all[static_cast<std::size_t>(first) + i] = static_cast<double>(b[i]);
    return all;
}

/// Returns whether the optimizer moves the parameter of this name. An optimizer with `trains(name)` leaves out others:
/// their gradients are not computed, and they have no states.
template <AnyOptimizer O>
constexpr bool moves(std::string_view name) {
    if constexpr (requires { O::trains(name); }) return O::trains(name);
    else return true;
}

/// Returns the number of updates after this many steps: fewer for an optimizer that accumulates.
template <AnyOptimizer O>
constexpr std::uint64_t updates_after(const O& optimizer, std::uint64_t steps) {
    if constexpr (requires { optimizer.updates_after(steps); }) return optimizer.updates_after(steps);
    else return steps;
}

}  // namespace detail

/// Returns the gradients of all trained parameters as the optimizer's `prepare` changes them.
///
/// Use it in `prepare` of an optimizer around another one.
/// @tparam O  type of the inner optimizer
/// @param u  the environment of `update`
/// @param gradients  the gradients of all trained parameters
/// @return the gradients for `O::update`
///
/// @see AnyOptimizer, ClipByNorm
template <AnyOptimizer O>
constexpr detail::List<Variable> prepared(Update& u, const detail::List<Variable>& gradients) {
    if constexpr (requires { O::prepare(u, gradients); }) return O::prepare(u, gradients);
    else return gradients;
}

namespace detail {

/// The static functions of an optimizer, as a class.
template <AnyOptimizer O>
struct RuleOf {
    static constexpr int scalars = scalar_count<O>;
    static constexpr bool moves(std::string_view name) { return detail::moves<O>(name); }
    static constexpr List<Variable> prepare(Update& u, const List<Variable>& gradients) {
        return prepared<O>(u, gradients);
    }
    static constexpr void update(Update& u, Variable w, Variable gradient) { O::update(u, w, gradient); }
};
/// The static functions of an optimizer, without its type.
struct UpdateRule {
    int scalars;
    bool (*moves)(std::string_view name);
    List<Variable> (*prepare)(Update& u, const List<Variable>& gradients);
    void (*update)(Update& u, Variable w, Variable gradient);
};
template <AnyOptimizer O>
inline constexpr UpdateRule update_rule{RuleOf<O>::scalars, &RuleOf<O>::moves, &RuleOf<O>::prepare, &RuleOf<O>::update};

/// The optimizer type of a trainer without an optimizer.
struct NoOptimizer {
    constexpr std::array<double, 1> scalars(std::uint64_t) const { return {}; }
    static constexpr void update(Update&, Variable, Variable) {}
};
}  // namespace detail

}  // namespace sigma
