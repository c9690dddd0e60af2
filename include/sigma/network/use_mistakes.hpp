// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/plainly.hpp>
#include <sigma/core/spelled_text.hpp>
#include <sigma/layer/context.hpp>

#include <string_view>

/// What is told who asks a network for what it has not, as names of types that are never defined; see
/// `tape/errors.hpp`.
namespace sigma {

#ifdef __clang__
template <char...>
struct name_given;
template <char...>
struct nearest_is;
namespace detail {
template <Text name>
using NameGiven = typename SpelledAs<name, name_given>::type;
template <Text name>
using NearestIs = typename SpelledAs<name, nearest_is>::type;
}  // namespace detail
#else
template <Text name>
struct name_given;
template <Text name>
struct nearest_is;
namespace detail {
template <Text name>
using NameGiven = name_given<name>;
template <Text name>
using NearestIs = nearest_is<name>;
}  // namespace detail
#endif
template <class Given, class Nearest>
struct error_network_has_no_parameter;
template <class Given>
struct error_parameter_is_a_statistic_which_is_not_trained;
template <int>
struct inputs_wanted;
template <int>
struct arrays_given;
template <class Wanted, class Given>
struct error_network_has_other_number_of_inputs;
template <class Given>
struct error_element_type_must_be_float_or_double;
struct write_inputs_of_the_data_set;
template <class Remedy>
struct error_predict_takes_arrays;

namespace detail {

/// A data set, which networks know nothing of.
template <class D>
concept DataOfRecords = requires(const D& data) {
    data.inputs();
    data.preprocessing();
};

/// How many letters must be inserted, left out or exchanged to make one of the other (Levenshtein 1966).
constexpr int edits(std::string_view a, std::string_view b) {
    int row[Text::most + 1]{};
    const int m = static_cast<int>(a.size()), n = static_cast<int>(b.size());
    for (int j = 0; j <= n; ++j) row[j] = j;
    for (int i = 1; i <= m; ++i) {
        int before = row[0];
        row[0] = i;
        for (int j = 1; j <= n; ++j) {
            const int above = row[j];
            const int exchanged = before + (a[static_cast<std::size_t>(i - 1)] != b[static_cast<std::size_t>(j - 1)]);
            const int other = (above < row[j - 1] ? above : row[j - 1]) + 1;
            row[j] = exchanged < other ? exchanged : other;
            before = above;
        }
    }
    return row[n];
}
/// The name of a parameter, or of whatever else has names, that is most like this one.
template <class Named>
constexpr Text nearest_name(const Named& all, std::string_view name) {
    Text nearest;
    int least = 2 * Text::most;
    for (int i = 0; i < all.size(); ++i)
        if (const int found = edits(all[i].name.view(), name); found < least) {
            least = found;
            nearest = all[i].name;
        }
    return nearest;
}
/// Lazy, since clang looks at what a function returns before it asks whether the function is meant.
template <Text name, class M>
struct NoParameter {
    using type = void;
};
template <Text name, class M>
    requires(M::find_parameter(name.view()) < 0)
struct NoParameter<name, M> {
    static constexpr Text nearest = nearest_name(M::records.parameters, name.view());
    using type = error_network_has_no_parameter<NameGiven<name>, NearestIs<nearest>>;
};

}  // namespace detail
}  // namespace sigma
