// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/words.hpp>
#include <sigma/tape/loops.hpp>
#include <sigma/tape/mistake.hpp>
#include <sigma/tape/movement.hpp>

#include <tuple>
#include <type_traits>

/// Recurrence: a function of one position of a sequence and of what it left behind at the position before. It is traced
/// once, whatever the length; what takes time to compile and the memory of one step do not grow with the sequence.
namespace sigma {

// clang-format off: a table
template <class> struct sequence_is;
template <class> struct state_before;
template <class> struct state_after;
template <class> struct state_is;
template <class> struct result_is;
template <class> struct error_scan_needs_sequences_of_shape_batch_time;
template <class, class> struct error_scan_sequences_differ_in_length;
template <class, class> struct error_scan_changes_the_shape_of_its_state;
struct error_scan_needs_a_next_value_for_every_state;
template <class> struct error_scan_needs_states_of_shape_batch;
template <class> struct error_scan_needs_results_of_shape_batch;
// clang-format on

/// The direction of a scan: from the first position to the last, or from the last to the first.
enum class Direction { forwards, backwards };

namespace detail {

template <class R>
inline constexpr bool are_tensors = is_tensor<R>;
template <class... R>
inline constexpr bool are_tensors<std::tuple<R...>> = (is_tensor<R> && ...);
template <class X>
inline constexpr bool is_tuple = false;
template <class... X>
inline constexpr bool is_tuple<std::tuple<X...>> = true;
template <class X>
constexpr auto as_tuple(X x) {
    if constexpr (is_tuple<X>) return x;
    else return std::tuple<X>{x};
}
constexpr bool is_sequence(const Shape& s) { return s.rank >= 2 && s[0] < 0 && s[1] > 0; }

template <Shape S>
constexpr auto step_of(Tensor<S> x, int loop) {
    return tensor<S.without(1)>(step(x.variable, loop));
}
template <Shape S>
constexpr auto carry_of(Tensor<S> initial, int loop, int number) {
    return tensor<S>(carry(initial.variable, loop, number));
}
template <int count, Shape S>
constexpr auto stack_of(Tensor<S> x, int loop) {
    return tensor<S.inserted(1, count)>(stack(x.variable, loop));
}

/// What a state becomes: a node of its own, since states are overwritten one by one.
constexpr Variable next_value(Variable x) { return x.operation() == Operation::carry ? copy(x) : x; }
/// A value from outside as one of the step `now`, which chooses between it and itself.
constexpr Variable inside(Variable x, Variable now) {
    if (LoopMembers(*x.tape).of(x.id) >= 0) return x;
    for (int axis = 1; axis < now.shape().rank; ++axis) now = slice(now, axis, 0, 1);
    Shape one = x.shape();
    for (int axis = 1; axis < one.rank; ++axis) one = one.with(axis, 1);
    return {x.tape, x.tape->emit({Operation::where, reshape(now, one).id, x.id, x.id, x.shape()})};
}

/// What is wrong with a sequence beside the first of all, of shape `First`.
template <Shape First, Shape S>
consteval auto check_sequence() {
    if constexpr (!is_sequence(S))
        return Mistake<
            error_scan_needs_sequences_of_shape_batch_time<sequence_is<typename Spelled<S, S.rank>::type>>>{};
    else
        return MistakeIf<S[0] != First[0] || S[1] != First[1],
                         error_scan_sequences_differ_in_length<typename Spelled<First, First.rank>::type,
                                                               typename Spelled<S, S.rank>::type>>{};
}
/// What is wrong with a state and what becomes of it.
template <Shape B, Shape A>
consteval auto check_state() {
    if constexpr (B.batch_axis() != 0)
        return Mistake<error_scan_needs_states_of_shape_batch<state_is<typename Spelled<B, B.rank>::type>>>{};
    else
        return MistakeIf<B != A,
                         error_scan_changes_the_shape_of_its_state<state_before<typename Spelled<B, B.rank>::type>,
                                                                   state_after<typename Spelled<A, A.rank>::type>>>{};
}
/// What is wrong with a result that is no state.
template <Shape A>
consteval auto check_result() {
    return MistakeIf<A.batch_axis() != 0,
                     error_scan_needs_results_of_shape_batch<result_is<typename Spelled<A, A.rank>::type>>>{};
}
template <class Before, class After>
struct CheckStates : Mistake<error_scan_needs_a_next_value_for_every_state> {};
template <Shape... A>
struct CheckStates<std::tuple<>, std::tuple<Tensor<A>...>> : FirstMistake<decltype(check_result<A>())...> {};
template <Shape B, class... Before, Shape A, class... After>
struct CheckStates<std::tuple<Tensor<B>, Before...>, std::tuple<Tensor<A>, After...>>
    : FirstMistake<decltype(check_state<B, A>()), CheckStates<std::tuple<Before...>, std::tuple<After...>>> {};

template <class F, class X, class C>
struct ScanTypes;
template <class F, Shape First, Shape... S, Shape... C>
struct ScanTypes<F, std::tuple<Tensor<First>, Tensor<S>...>, std::tuple<Tensor<C>...>> {
    static consteval auto check() {
        using Sequences =
            FirstMistake<decltype(check_sequence<First, First>()), decltype(check_sequence<First, S>())...>;
        if constexpr (is_fine<Sequences>) {
            using After = std::invoke_result_t<F, Tensor<First.without(1)>, Tensor<S.without(1)>..., Tensor<C>...>;
            return CheckStates<std::tuple<Tensor<C>...>, decltype(as_tuple(std::declval<After>()))>{};
        } else {
            return Sequences{};
        }
    }
    using mistake = MistakeOf<decltype(check())>;
    static constexpr int count = First[1];
};
template <class F, class X, class C>
using ScanOf = ScanTypes<F, decltype(as_tuple(std::declval<X>())), decltype(as_tuple(std::declval<C>()))>;

}  // namespace detail

/// scan(x, h, [](auto x, auto h) { return tanh(x + dot(h, u)); }) is h(t) = f(x(t), h(t-1)) for every t, as one tensor
/// (batch, time, …); `h` is what stands before the first step. Several sequences and several states are tuples: then
/// the function takes x…, h… and returns a tuple of the next states, and after them any further values; the result is
/// the tuple of all these at every position. Values from outside may be captured. Its gradient is a scan in the other
/// direction, with the gradients of captured weights batched over time.
template <Direction direction = Direction::forwards, class X, class C, class F>
    requires std::is_void_v<typename detail::ScanOf<F, X, C>::mistake>
constexpr auto scan(X sequences, C states, F f) {
    constexpr int count = detail::ScanOf<F, X, C>::count;
    const auto x = detail::as_tuple(sequences);
    const auto initial = detail::as_tuple(states);
    detail::Tape* const tape = std::get<0>(x).variable.tape;
    const int loop = tape->add_loop({count, direction == Direction::backwards});
    const auto present = std::apply([&](auto... s) { return std::tuple{detail::step_of(s, loop)...}; }, x);
    const auto before = [&]<std::size_t... i>(std::index_sequence<i...>) {
        return std::tuple{detail::carry_of(std::get<i>(initial), loop, static_cast<int>(i))...};
    }(std::make_index_sequence<std::tuple_size_v<decltype(initial)>>{});
    const auto result = std::apply(f, std::tuple_cat(present, before));
    const Variable now = std::get<0>(present).variable;
    const auto next = std::apply([&](auto... n) { return std::tuple{decltype(n){detail::inside(n.variable, now)}...}; },
                                 detail::as_tuple(result));
    const auto all = std::apply([&](auto... n) { return std::tuple{detail::stack_of<count>(n, loop)...}; }, next);
    [&]<std::size_t... i>(std::index_sequence<i...>) {
        const Variable values[] = {detail::next_value(std::get<i>(next).variable)..., {}};
        (detail::advance(std::get<i>(before).variable, values[i]), ...);
    }(std::make_index_sequence<std::tuple_size_v<decltype(initial)>>{});
    if constexpr (std::tuple_size_v<decltype(all)> == 1) return std::get<0>(all);
    else return all;
}
template <Direction direction = Direction::forwards, class X, class C, class F>
    requires(!std::is_void_v<typename detail::ScanOf<F, X, C>::mistake>)
constexpr auto scan(X, C, F)
    -> decltype(detail::plainly(std::type_identity<typename detail::ScanOf<F, X, C>::mistake>{}));

/// The last position of a sequence: (batch, time, …) becomes (batch, …). After a scan backwards that is the first one.
template <Direction direction = Direction::forwards, Shape S>
    requires(detail::is_sequence(S))
constexpr auto last(Tensor<S> x) {
    constexpr int at = direction == Direction::forwards ? S[1] - 1 : 0;
    return detail::tensor<S.without(1)>(reshape(slice(x.variable, 1, at, 1), S.without(1)));
}
/// A tensor filled with one number, on the tape of `x`: a state to begin with.
template <int... extents, Shape S>
constexpr auto filled(Tensor<S> x, double value) {
    return detail::tensor<Shape{extents...}>(detail::expand(constant(x.variable.tape, value), Shape{extents...}));
}

}  // namespace sigma
