// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Recurrence over sequences: scan, last. Included by `<sigma/sigma.hpp>`.
#include <sigma/core/words.hpp>
#include <sigma/tape/loops.hpp>
#include <sigma/tape/movement.hpp>

#include <array>
#include <span>
#include <tuple>
#include <type_traits>

// The function of a step is traced once: compile time and the memory of a step do not depend on the sequence's length.
namespace sigma {

// clang-format off: a table
inline constexpr Given::Label sequence_is{"sequence"}, first_sequence_is{"first sequence"}, state_is{"state"},
    state_before{"state before"}, state_after{"state after"}, result_of_a_step{"result of a step"},
    states_given{"states"}, values_returned{"values returned"};
inline constexpr Fault
    error_scan_needs_sequences_of_shape_batch_time{"scan needs sequences of shape (batch, time, ...)"},
    error_scan_sequences_differ_in_length{"scan: sequences differ in length"},
    error_scan_changes_the_shape_of_its_state{"scan changes the shape of its state"},
    error_scan_needs_a_next_value_for_every_state{"scan needs a next value for every state"},
    error_scan_needs_states_of_shape_batch{"scan needs states of shape (batch, ...)"},
    error_scan_needs_results_of_shape_batch{"scan needs results of shape (batch, ...)"},
    error_last_needs_a_sequence_of_shape_batch_time{"last needs a sequence of shape (batch, time, ...)"};
// clang-format on

/// Directions of a scan.
///
/// @see scan
enum class Direction {
    forwards,  ///< First position to last.
    backwards  ///< Last position to first.
};

namespace detail {

constexpr bool is_sequence(const Shape& s) { return s.rank >= 2 && s[0] < 0 && s[1] > 0; }

/// Returns one tensor, a tuple or an array of tensors, as an array.
template <class X>
constexpr auto as_array(const X& x) {
    if constexpr (std::is_convertible_v<const X&, Tensor>) return std::array<Tensor, 1>{x};
    else return std::apply([](const auto&... each) { return std::array<Tensor, sizeof...(each)>{each...}; }, x);
}

/// Calls f(x[0], …, h[0], …).
template <std::size_t xs, std::size_t hs>
constexpr auto called(const auto& f, const std::array<Tensor, xs>& x, const std::array<Tensor, hs>& h) {
    return [&]<std::size_t... i, std::size_t... k>(std::index_sequence<i...>, std::index_sequence<k...>) {
        return f(x[i]..., h[k]...);
    }(std::make_index_sequence<xs>{}, std::make_index_sequence<hs>{});
}
/// Returns the next value of a state as a node of its own, since states are overwritten one by one.
constexpr Variable next_value(Variable x) { return x.operation() == Operation::carry ? copy(x) : x; }
/// Makes a value from outside a value of the step, by a choice that depends on `now` but always chooses it.
constexpr Variable inside(Variable x, Variable now) {
    if (LoopMembers(*x.tape).of(x.id) >= 0) return x;
    for (int axis = 1; axis < now.shape().rank; ++axis) now = slice(now, axis, 0, 1);
    Shape one = x.shape();
    for (int axis = 1; axis < one.rank; ++axis) one = one.with(axis, 1);
    return {x.tape, x.tape->put({Operation::where, reshape(now, one).id, x.id, x.id, x.shape()})};
}

/// Returns whether a mistake has been reported to the trace, if there is one.
constexpr bool failed(Tensor x) { return x.variable.tape->tracer.tracer != nullptr && x.trace().failed(); }
constexpr bool scannable(At x, std::span<const Tensor> sequences, std::span<const Tensor> states) {
    const Shape first = x.shape();
    for (const Tensor& each : sequences) {
        const Shape s = each.shape();
        if (!is_sequence(s)) x.refused(error_scan_needs_sequences_of_shape_batch_time, {sequence_is, s});
        else if (s[0] != first[0] || s[1] != first[1])
            x.refused(error_scan_sequences_differ_in_length, {first_sequence_is, first}, {sequence_is, s});
        else continue;
        return false;
    }
    for (const Tensor& each : states)
        if (each.shape().batch_axis() != 0) {
            x.refused(error_scan_needs_states_of_shape_batch, {state_is, each.shape()});
            return false;
        }
    return true;
}
/// Checks the results of a step: first the next values of the states, then further results.
constexpr bool follows(At x, std::span<const Tensor> before, std::span<const Tensor> next) {
    for (std::size_t i = 0; i < before.size() || i < next.size(); ++i) {
        const Shape after = i < next.size() ? next[i].shape() : Shape{};
        if (i >= next.size())
            x.refused(error_scan_needs_a_next_value_for_every_state, {states_given, static_cast<int>(before.size())},
                      {values_returned, static_cast<int>(next.size())});
        else if (i < before.size() && !(after == before[i].shape()))
            x.refused(error_scan_changes_the_shape_of_its_state, {state_before, before[i].shape()},
                      {state_after, after});
        else if (after.batch_axis() != 0) x.refused(error_scan_needs_results_of_shape_batch, {result_of_a_step, after});
        else continue;
        return false;
    }
    return true;
}
/// Replaces each sequence by its value in a step, and each state by its value before the step.
constexpr void begin_steps(int loop, std::span<Tensor> x, std::span<Tensor> states) {
    for (Tensor& each : x) each = {step(each.variable, loop)};
    int number = 0;
    for (Tensor& each : states) each = {carry(each.variable, loop, number++)};
}
/// Replaces the results of a step by those of all steps. `now` is a value of the step.
template <std::size_t n>
constexpr std::array<Tensor, n> end_steps(int loop, Tensor now, std::span<const Tensor> before,
                                          std::array<Tensor, n> next) {
    for (Tensor& each : next) each = {inside(each.variable, now.variable)};
    std::array<Tensor, n> all = next;
    for (Tensor& each : all) each = {stack(each.variable, loop)};
    for (std::size_t i = 0; i < before.size(); ++i) next[i] = {next_value(next[i].variable)};
    for (std::size_t i = 0; i < before.size(); ++i) advance(before[i].variable, next[i].variable);
    return all;
}

}  // namespace detail

/// Applies a function at each position of a sequence: h(t) = function(x(t), h(t-1)).
///
/// With several sequences or states, pass tuples or arrays of tensors. The function then receives x…, h… and returns a
/// tuple or an array: the next states, and after them any further values. It may capture tensors from outside. The
/// function is traced once, so compile time does not depend on the length. The gradient is a scan in the other
/// direction.
/// @tparam X  Tensor, or a tuple or array of tensors
/// @tparam C  Tensor, or a tuple or array of tensors
/// @tparam F  type of the function
/// @param sequences  one or more tensors (batch, time, …) of equal length
/// @param states  one or more first states h(-1), each (batch, …)
/// @param function  a function of one position of each sequence and of the states
/// @param direction  order of the positions. Default: forwards.
/// @param line  line for errors. Leave out.
/// @param file  file for errors. Leave out.
/// @return all h(t), (batch, time, …); for several values an array of such tensors
///
/// @par Example
/// @code
/// const auto recurrence = [](Tensor x, Tensor h, Tensor u) {
///     return scan(x, h, [&](Tensor now, Tensor before) { return tanh(now + dot(before, u)); });
/// };
/// @endcode
///
/// @see last, linear_recurrence, LSTM, docs/recurrence.md
template <class X, class C, class F>
constexpr auto scan(const X& sequences, const C& states, F function, Direction direction = Direction::forwards,
                    int line = __builtin_LINE(), const char* file = __builtin_FILE()) {
    auto x = detail::as_array(sequences);
    auto h = detail::as_array(states);
    const auto step = [&] { return detail::as_array(detail::called(function, x, h)); };
    const detail::At first(x[0], line, file);
    decltype(step()) all{};
    all.fill(first);
    if (detail::scannable(first, x, h)) {
        const int loop = first.variable.tape->add_loop({first.shape()[1], direction == Direction::backwards});
        detail::begin_steps(loop, x, h);
        const auto next = step();
        if (!detail::failed(first) && detail::follows(first, h, next)) all = detail::end_steps(loop, x[0], h, next);
    }
    if constexpr (std::tuple_size_v<decltype(all)> == 1) return all[0];
    else return all;
}

/// Returns the last position of a sequence: (batch, time, …) -> (batch, …).
/// @param x  a sequence
/// @param direction  direction of the scan that made it. After a backwards scan, the first position is returned.
/// @return a tensor without the axis of time
///
/// @par Example
/// @code
/// const auto final_state = [](Tensor states) { return last(states); };
/// @endcode
///
/// @see scan, slice
constexpr Tensor last(detail::At x, Direction direction = Direction::forwards) {
    const Shape s = x.shape();
    if (!detail::is_sequence(s)) return x.refused(error_last_needs_a_sequence_of_shape_batch_time, {sequence_is, s});
    const int at = direction == Direction::forwards ? s[1] - 1 : 0;
    return {reshape(slice(x.variable, 1, at, 1), s.without(1))};
}

}  // namespace sigma
