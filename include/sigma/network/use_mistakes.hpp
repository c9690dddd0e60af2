// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Names of mistakes in the use of networks and models, as compile errors show them. Included by `<sigma/sigma.hpp>`.
#include <sigma/core/any_array.hpp>
#include <sigma/core/text.hpp>
#include <sigma/core/words.hpp>
#include <sigma/layer/context.hpp>
#include <sigma/network/costs.hpp>
#include <sigma/tape/mistake.hpp>

#include <string_view>

// Mistakes in the use of networks, as names of types that are never defined; see tape/mistake.hpp.
namespace sigma {

/// @cond internal
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
template <int>
struct inputs_wanted;
template <int>
struct arrays_given;
/// @endcond
/// Names the mistake of a parameter that the network does not have. `Nearest` is the most similar name.
template <class Given, class Nearest>
struct error_network_has_no_parameter;
/// Names the mistake of a gradient of a statistic, such as a mean of `BatchNorm`: statistics are not trained.
template <class Given>
struct error_parameter_is_a_statistic_which_is_not_trained;
/// Names the mistake of a wrong number of arrays: the network has another number of inputs.
template <class Wanted, class Given>
struct error_network_has_other_number_of_inputs;
/// Names the mistake of a wrong element type: models are of float or double.
template <class Given>
struct error_element_type_must_be_float_or_double;
/// Names the remedy: pass `data.inputs()`.
struct use_inputs_of_the_data_set;
/// Names the mistake of `predict(data)`: `predict` accepts arrays.
template <class Remedy>
struct error_predict_takes_arrays;
/// Names the mistake of a loss that the network does not have: `predict<"prize">(x)`, or a metric of it.
template <class Given, class Nearest>
struct error_network_has_no_cost;
/// @cond internal
template <int>
struct number_given;
template <int>
struct outputs_of_the_network;
/// @endcond
/// Names the mistake of an output that the network does not have: `predict<2>(x)`.
template <class Given, class Outputs>
struct error_network_has_no_output;
/// Names the remedy: write `model.predict(x)`.
struct use_model_predict_x;
/// Names the remedy: write `save_parameters(model, file)`.
struct use_save_parameters_model_file;
/// Names the remedy: write `load_parameters(model, file)`.
struct use_load_parameters_model_file;
/// Names the remedy: write `Trainer` or `fit`.
struct use_a_Trainer_or_fit;
/// Names the mistake of a call of a model as in other libraries: `model(x)`.
template <class Remedy>
struct error_Model_is_not_callable;
/// Names the mistake of a member as in other libraries: `model.save("file")`, `model.fit(x, y)`.
template <class Remedy>
struct error_Model_has_no_such_member;
/// Names the remedy: write `network(expression)`, or derive a struct from `Network`.
struct use_network_of_it_or_derive_a_struct_from_Network;
/// Names the mistake of a model of an expression: `Model model(Input(4) + Dense(3) + SoftmaxCE())`.
template <class Remedy>
struct error_model_takes_no_expression;

/// Names the remedy: pass the network with values for its sizes as the first argument.
struct use_the_network_with_its_sizes_first;
/// Names the mistake of `Model<Table>(1)` if `Table` has named sizes. The type accepts any number that is passed as a
/// seed.
template <class Write>
struct error_Model_needs_values_of_the_named_sizes {
    /// Accepts a seed.
    constexpr error_Model_needs_values_of_the_named_sizes(std::integral auto) {}
};

namespace detail {

/// A data set. This header does not need its definition.
template <class D>
concept DataOfRecords = requires(const D& data) {
    data.inputs();
    data.preprocessing();
};

/// A contiguous range of numbers, which is one record: a vector, a span, or a Record of a data set.
template <class R>
concept NumbersInRow = !AnyArray<R> && std::is_arithmetic_v<ElementInRow<const R>>;
/// Arguments that `predict` does not accept: neither arrays, nor records, nor pointers with a number of records.
template <int inputs, class... E>
concept NoInputs = sizeof...(E) == inputs && !(AnyArray<E> && ...) && !(NumbersInRow<E> && ...) &&
                   !(DataOfRecords<E> || ...) && (inputs == 1 || !(std::is_integral_v<E> || ...));

/// Returns the most similar name in a list of parameters, layers or costs.
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
/// The mistake of a parameter that does not exist. A lazy type, because clang instantiates return types before it
/// checks constraints.
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
