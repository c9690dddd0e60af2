// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/pipeline/schema.hpp>

#include <array>
#include <initializer_list>
#include <type_traits>

/// What transforms do to the extents of a record, for the compiler. `after<Record>` are the extents then;
/// `mistake<Record>` is void, or the type that tells what is wrong.
namespace sigma::data::detail {

template <class Record>
struct SpelledRecord;
template <int... extents>
struct SpelledRecord<Extents<extents...>> {
    using type = shape<extents...>;
};

struct KeepsExtents {
    template <class Record>
    using after = Record;
    template <class Record>
    using mistake = void;
};

/// Only the file or the program knows what comes out.
struct LosesExtents {
    template <class Record>
    using after = UnknownExtents;
    template <class Record>
    using mistake = void;
};

template <class Record, int count>
struct Appended {
    using type = UnknownExtents;
};
template <int... extents, int count>
struct Appended<Extents<extents...>, count> {
    using type = Extents<extents..., count>;
};
template <int count>
struct AppendsExtent {
    template <class Record>
    using after = typename Appended<Record, count>::type;
    template <class Record>
    using mistake = void;
};

constexpr bool each_once(std::initializer_list<int> axes) {
    int number = 0;
    for (int wanted = 0; wanted < static_cast<int>(axes.size()); ++wanted, number = 0) {
        for (const int axis : axes) number += axis == wanted ? 1 : 0;
        if (number != 1) return false;
    }
    return true;
}

template <class Record, int... axes>
struct Permuted {
    using type = UnknownExtents;
    using mistake = void;
};
template <class Wrong>
struct Mistaken {
    using type = UnknownExtents;
    using mistake = Wrong;
};
template <class E, int... axes>
struct PermutedWell {
    static constexpr auto extents = []<int... e>(Extents<e...>) { return std::array<int, sizeof...(e)>{e...}; }(E{});
    using type = Extents<extents[axes]...>;
    using mistake = void;
};
template <int... extents, int... axes>
struct Permuted<Extents<extents...>, axes...>
    : std::conditional_t<
          sizeof...(extents) == sizeof...(axes), std::type_identity<PermutedWell<Extents<extents...>, axes...>>,
          std::type_identity<Mistaken<error_permute_needs_each_axis_once<axes_given<axes...>, shape<extents...>>>>>::
          type {};
template <int... axes>
struct PermutesAxes {
    template <class Record>
    using after = typename Permuted<Record, axes...>::type;
    template <class Record>
    using mistake = typename Permuted<Record, axes...>::mistake;
};

template <class Record, int... to>
struct Reshaped {
    using mistake = void;
};
template <int... extents, int... to>
struct Reshaped<Extents<extents...>, to...> {
    using mistake = std::conditional_t<(1LL * ... * extents) == (1LL * ... * to), void,
                                       error_reshape_changes_the_number_of_elements<shape<extents...>, shape<to...>>>;
};
template <int... to>
struct ReshapesTo {
    template <class Record>
    using after = Extents<to...>;
    template <class Record>
    using mistake = typename Reshaped<Record, to...>::mistake;
};

}  // namespace sigma::data::detail
