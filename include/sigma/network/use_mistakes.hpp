// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_array.hpp>
#include <sigma/core/text.hpp>
#include <sigma/core/words.hpp>
#include <sigma/layer/context.hpp>
#include <sigma/network/costs.hpp>
#include <sigma/tape/mistake.hpp>

#include <string_view>

/// Words of networks that were called otherwise; see core/former_word.hpp.
namespace sigma {

template <AnyLayer L>
[[deprecated("write loss_weight")]] constexpr auto importance(double weight, L cost) {
    return loss_weight(weight, cost);
}
template <class Why = void>
using Verdict [[deprecated("write Mistake")]] = Mistake<Why>;

}  // namespace sigma

/// What is told who asks a network for what it has not, as names of types that are never defined; see
/// `tape/mistake.hpp`.
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
/// predict<"prize">(x), and metrics of a cost that is not there
template <class Given, class Nearest>
struct error_network_has_no_cost;
template <int>
struct number_given;
template <int>
struct outputs_of_the_network;
/// predict<2>(x)
template <class Given, class Outputs>
struct error_network_has_no_output;
struct write_model_predict_x;
struct write_save_parameters_model_file;
struct write_load_parameters_model_file;
struct write_a_Trainer_or_fit;
/// What other libraries call so: model(x), model.save("file"), model.fit(x, y)
template <class Remedy>
struct error_model_is_no_function;
template <class Remedy>
struct error_model_has_no_such_word;
struct write_network_of_it_or_derive_a_struct_from_Network;
/// Model model(Input(4) + Dense(3) + SoftmaxCE());
template <class Remedy>
struct error_model_takes_no_expression;

/// Model<Table>(1) where Table has named sizes. An argument of this type takes whatever number is given for a seed.
struct write_the_network_with_its_sizes_first;
template <class Write>
struct error_Model_needs_values_of_the_named_sizes {
    constexpr error_Model_needs_values_of_the_named_sizes(std::integral auto) {}
};

namespace detail {

/// A data set, which networks know nothing of.
template <class D>
concept DataOfRecords = requires(const D& data) {
    data.inputs();
    data.preprocessing();
};

/// Numbers that lie one after the other, which are one record: a vector, a span, a Record of a data set.
template <class R>
concept NumbersInRow = !AnyArray<R> && std::is_arithmetic_v<ElementInRow<const R>>;
/// Neither arrays, nor records in a row, nor what `predict` takes besides: pointers with a number of records.
template <int inputs, class... E>
concept NoInputs = sizeof...(E) == inputs && !(AnyArray<E> && ...) && !(NumbersInRow<E> && ...) &&
                   !(DataOfRecords<E> || ...) && (inputs == 1 || !(std::is_integral_v<E> || ...));

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

template <Text name, Text nearest>
struct NoCost {
    using type = error_network_has_no_cost<NameGiven<name>, NearestIs<nearest>>;
};

}  // namespace detail
}  // namespace sigma
