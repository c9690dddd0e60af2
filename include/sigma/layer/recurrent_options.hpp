// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/context.hpp>
#include <sigma/layer/errors.hpp>
#include <sigma/layer/sequence_mask.hpp>
#include <sigma/tape/scan.hpp>

namespace sigma {

/// What recurrent layers share. They take sequences (batch, time, features) and give (batch, time, units).
struct RecurrentOptions {
    bool last = false;       ///< only what stands after the last step: (batch, units)
    bool backwards = false;  ///< from the last position to the first
    bool bias = true;
    /// Predictions go on, record by record, from the states in which the prediction before has ended;
    /// `model.forget()` begins anew. Evaluation begins every record with zeros, and so does training, but for
    /// `train_on_next_batch` of a BatchTrainer.
    bool stateful = false;
};
namespace detail {
namespace option {
struct last;
struct backwards;
struct bias;
struct stateful;
}  // namespace option
using RecurrentOptionNames = options_are<option::last, option::backwards, option::bias, option::stateful>;
}  // namespace detail

namespace detail {

template <class L>
inline constexpr bool is_recurrent = requires(L layer) {
    layer.options.backwards;
    layer.units;
};

template <int units>
constexpr auto check_units() {
    return MistakeIf<(units < 1), error_recurrent_units_must_be_positive<units_given<units>>>{};
}
template <bool bias, Shape S>
constexpr auto biased(Context& context, Tensor<S> z, Initializer initializer = zeros) {
    if constexpr (bias) return z + parameter<Shape{S.last()}>(context, "biases", initializer);
    else return z;
}

template <auto options>
inline constexpr Direction direction_of = options.backwards ? Direction::backwards : Direction::forwards;

/// What a step leaves where a mask is 0: the state as it was.
template <class Next, class Before>
constexpr auto where_given(auto mask, const Next& next, const Before& before) {
    return [&]<std::size_t... i>(std::index_sequence<i...>) {
        return std::tuple{where(mask, std::get<i>(next), std::get<i>(before))...};
    }(std::make_index_sequence<std::tuple_size_v<Before>>{});
}
/// The part of a pre-activation, (batch, parts · units), that one gate takes.
template <int part, int units, Shape S>
constexpr auto gate(Tensor<S> z) {
    return slice<1, part * units, (part + 1) * units>(z);
}

/// Runs `cell(z, states...)`, which returns a tuple of the next states, over a sequence z, and keeps the first state. A
/// mask (batch, time) tells by 0 where a sequence has no value.
template <auto options, int units, class Cell, class Z, class... Mask>
constexpr auto recur(Context& context, Z z, Cell cell, auto names, Mask... mask) {
    const auto for_each_state = [&](auto f) {
        return [&]<std::size_t... i>(std::index_sequence<i...>) {
            return std::tuple{f(std::integral_constant<std::size_t, i>{})...};
        }(std::make_index_sequence<names.size()>{});
    };
    const auto initial = for_each_state([&](auto i) {
        const auto zero = filled<batch, units>(z, 0);
        if constexpr (options.stateful) return context.begin_carried(names[i], zero);
        else return zero;
    });
    const auto step = [&](auto now, auto... rest) {
        if constexpr (sizeof...(Mask) == 0) {
            return cell(now, rest...);
        } else {
            const auto all = std::tuple{rest...};
            return [&]<std::size_t... i>(std::index_sequence<i...>) {
                const auto before = std::tuple{std::get<i + 1>(all)...};
                const auto given = reshape<batch, 1>(std::get<0>(all));
                return where_given(given, std::apply([&](auto... state) { return cell(now, state...); }, before),
                                   before);
            }(std::make_index_sequence<sizeof...(rest) - 1>{});
        }
    };
    const auto all = as_tuple(scan<direction_of<options>>(std::tuple{z, mask...}, initial, step));
    if constexpr (options.stateful)
        for_each_state([&](auto i) {
            context.end_carried(last<direction_of<options>>(std::get<i>(all)));
            return nullptr;
        });
    if constexpr (options.last) return last<direction_of<options>>(std::get<0>(all));
    else return std::get<0>(all);
}

}  // namespace detail
}  // namespace sigma
