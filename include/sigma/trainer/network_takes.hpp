// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/pipeline/schema.hpp>
#include <sigma/network/network.hpp>

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace sigma {

/// @cond internal
// Names in the compiler's message if records have other extents than the network; see `tape/mistake.hpp`.
template <class...>
struct network_takes;
template <class...>
struct data_gives;
template <class, class>
struct error_network_takes_other_extents;
/// @endcond

namespace detail {

/// The compile-time extents of one input of a schema.
struct KnownInput {
    Text name{};  ///< empty for "inputs"
    bool known = false;
    int rank = 0;
    std::array<long, 8> extents{};

    template <class F>
    static constexpr KnownInput of() {
        KnownInput input{F::name == Text("inputs") ? Text{} : F::name};
        read(input, typename F::Record{});
        return input;
    }

private:
    static constexpr void read(KnownInput&, data::UnknownExtents) {}
    template <int... extents>
    static constexpr void read(KnownInput& to, data::Extents<extents...>) {
        to.known = sizeof...(extents) <= 8;
        if constexpr (sizeof...(extents) <= 8) ((to.extents[static_cast<std::size_t>(to.rank++)] = extents), ...);
    }
};

template <class S>
struct KnownInputs;
template <class... F>
struct KnownInputs<data::Schema<F...>> {
    static constexpr std::size_t count = (0 + ... + (F::role == data::Role::input ? 1 : 0));

    static constexpr std::array<KnownInput, count> list() {
        std::array<KnownInput, count> all{};
        std::size_t at = 0;
        ((F::role == data::Role::input ? void(all[at++] = KnownInput::of<F>()) : void()), ...);
        return all;
    }
};

/// Returns whether the network accepts records of a schema. Inputs are assigned as in BatchBuffers: by name, then in
/// order. Extents that are unknown here are checked there at run time.
template <class N, class S>
consteval bool takes_records() {
    constexpr auto inputs = KnownInputs<S>::list();
    if constexpr (MadeNetwork<N>) {
        return true;
    } else if constexpr (inputs.size() != N::inputs.size()) {
        return false;
    } else {
        constexpr auto& layers = N::records.layers;
        std::array<std::size_t, inputs.size()> from{};
        std::array<bool, inputs.size()> taken{}, found{};
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            const Text name = own_name(layers[static_cast<int>(i)]);
            for (std::size_t k = 0; k < inputs.size() && !found[i] && name.size > 0; ++k)
                if (!taken[k] && inputs[k].name == name) {
                    from[i] = k;
                    taken[k] = found[i] = true;
                }
        }
        for (std::size_t i = 0, next = 0; i < inputs.size(); ++i) {
            if (found[i]) continue;
            while (taken[next]) ++next;
            from[i] = next++;
        }
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            const KnownInput& record = inputs[from[i]];
            if (!record.known || (record.rank == 0 && N::inputs[i].count() == 1)) continue;
            if (record.rank + 1 != N::inputs[i].rank) return false;
            for (int axis = 0; axis < record.rank; ++axis)
                if (record.extents[static_cast<std::size_t>(axis)] != N::inputs[i][axis + 1]) return false;
        }
        return true;
    }
}
template <class N, class S>
inline constexpr bool takes = takes_records<N, S>();

template <class N, class S>
struct RecordsMisfit;
template <class N, class... F>
struct RecordsMisfit<N, data::Schema<F...>> {
    template <std::size_t i>
    static auto taken() {
        return []<std::size_t... axis>(std::index_sequence<axis...>) {
            return data::Extents<N::inputs[i][static_cast<int>(axis) + 1]...>{};
        }(std::make_index_sequence<static_cast<std::size_t>(N::inputs[i].rank - 1)>{});
    }
    template <class G, class... Rest>
    struct Collect {
        using type = G;
    };
    template <class... All, class First, class... Rest>
    struct Collect<data_gives<All...>, First, Rest...>
        : Collect<std::conditional_t<First::role == data::Role::input, data_gives<All..., typename First::Record>,
                                     data_gives<All...>>,
                  Rest...> {};
    template <std::size_t... i>
    static auto both(std::index_sequence<i...>)
        -> error_network_takes_other_extents<network_takes<decltype(taken<i>())...>,
                                             typename Collect<data_gives<>, F...>::type>;
    using type = decltype(both(std::make_index_sequence<N::inputs.size()>{}));
};
template <MadeNetwork N, class... F>
struct RecordsMisfit<N, data::Schema<F...>> {
    using type = void;  // checked at run time
};
template <class N, class S>
using Refused = typename RecordsMisfit<N, S>::type;
template <class N, class S>
Refused<N, S> refused();

}  // namespace detail

}  // namespace sigma
