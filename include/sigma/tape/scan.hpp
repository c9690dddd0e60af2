// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/words.hpp>
#include <sigma/tape/loops.hpp>
#include <sigma/tape/movement.hpp>

#include <array>
#include <span>
#include <tuple>
#include <type_traits>

/// Recurrence: a function of one position of a sequence and of what it left behind at the position before. It is traced
/// once, whatever the length; what takes time to compile and the memory of one step do not grow with the sequence.
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

/// The direction of a scan: from the first position to the last, or from the last to the first.
enum class Direction { forwards, backwards };

namespace detail {

constexpr bool is_sequence(const Shape& s) { return s.rank >= 2 && s[0] < 0 && s[1] > 0; }

/// One tensor, a tuple or an array of them.
template <class X>
constexpr auto as_array(const X& x) {
    if constexpr (std::is_convertible_v<const X&, Tensor>) return std::array<Tensor, 1>{x};
    else return std::apply([](const auto&... each) { return std::array<Tensor, sizeof...(each)>{each...}; }, x);
}

/// f(x[0], …, h[0], …)
template <std::size_t xs, std::size_t hs>
constexpr auto called(const auto& f, const std::array<Tensor, xs>& x, const std::array<Tensor, hs>& h) {
    return [&]<std::size_t... i, std::size_t... k>(std::index_sequence<i...>, std::index_sequence<k...>) {
        return f(x[i]..., h[k]...);
    }(std::make_index_sequence<xs>{}, std::make_index_sequence<hs>{});
}
/// What a state becomes: a node of its own, since states are overwritten one by one.
constexpr Variable next_value(Variable x) { return x.operation() == Operation::carry ? copy(x) : x; }
/// A value from outside as one of the step `now`, which chooses between it and itself.
constexpr Variable inside(Variable x, Variable now) {
    if (LoopMembers(*x.tape).of(x.id) >= 0) return x;
    for (int axis = 1; axis < now.shape().rank; ++axis) now = slice(now, axis, 0, 1);
    Shape one = x.shape();
    for (int axis = 1; axis < one.rank; ++axis) one = one.with(axis, 1);
    return {x.tape, x.tape->put({Operation::where, reshape(now, one).id, x.id, x.id, x.shape()})};
}

/// Has whoever traces, if anybody does, been told of a mistake?
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
/// What a step has made of the states: first their next values, then further results.
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
/// Puts one step of each sequence, and each state as it is before that step, in their place.
constexpr void begin_steps(int loop, std::span<Tensor> x, std::span<Tensor> states) {
    for (Tensor& each : x) each = {step(each.variable, loop)};
    int number = 0;
    for (Tensor& each : states) each = {carry(each.variable, loop, number++)};
}
/// Puts the results of all steps in place of those of one. `now` is a value of the step.
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

/// scan(x, h, [&](Tensor x, Tensor h) { return tanh(x + dot(h, u)); }) is h(t) = f(x(t), h(t-1)) for every t, as one
/// tensor (batch, time, …); `h` is what stands before the first step. Several sequences and several states are tuples
/// or arrays: then the function takes x…, h… and returns a tuple or an array of the next states, and after them any
/// further values; the result is the array of all these at every position. Values from outside may be captured. Its
/// gradient is a scan in the other direction, with the gradients of captured weights batched over time.
template <class X, class C, class F>
constexpr auto scan(const X& sequences, const C& states, F f, Direction direction = Direction::forwards,
                    int line = __builtin_LINE(), const char* file = __builtin_FILE()) {
    auto x = detail::as_array(sequences);
    auto h = detail::as_array(states);
    const auto step = [&] { return detail::as_array(detail::called(f, x, h)); };
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

/// The last position of a sequence: (batch, time, …) becomes (batch, …). After a scan backwards that is the first one.
constexpr Tensor last(detail::At x, Direction direction = Direction::forwards) {
    const Shape s = x.shape();
    if (!detail::is_sequence(s)) return x.refused(error_last_needs_a_sequence_of_shape_batch_time, {sequence_is, s});
    const int at = direction == Direction::forwards ? s[1] - 1 : 0;
    return {reshape(slice(x.variable, 1, at, 1), s.without(1))};
}

}  // namespace sigma
