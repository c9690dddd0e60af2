// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>
#include <xtensor/xadapt.hpp>
#include <xtensor/xarray.hpp>

// The functions of GradBench (https://github.com/gradbench/gradbench), each as a function of its input in JSON.
namespace gradbench {

using Json = nlohmann::json;
using Numbers = xt::xarray<double>;

/// A function whose input has been read: `compute` is timed, `output` is not.
struct Prepared {
    std::function<void()> compute;
    std::function<Json()> output;
};
using Prepare = Prepared (*)(const Json& input);
/// The functions of a module by name.
using Module = std::map<std::string, Prepare>;

const std::map<std::string, Module>& modules();

Module plain_modules(const std::string& name);   // hello, lse, llsq, gmm, kmeans, det, ode
Module nested_modules(const std::string& name);  // saddle, particle
Module fitted_modules(const std::string& name);  // ba, ht, lstm

/// Reads nested lists of equal lengths as an array.
inline Numbers array_of(const Json& lists) {
    std::vector<std::size_t> extents;
    const Json* inner = &lists;
    for (; inner->is_array(); inner = &inner->at(0)) {
        extents.push_back(inner->size());
        if (inner->empty()) break;
    }
    Numbers x{Numbers::shape_type(extents.begin(), extents.end())};
    std::size_t next = 0;
    const std::function<void(const Json&)> read = [&](const Json& from) {
        if (from.is_array())
            for (const Json& each : from) read(each);
        else x.data()[next++] = from.get<double>();
    };
    read(lists);
    return x;
}
/// Writes an array as nested lists.
inline Json lists_of(const Numbers& x, std::size_t axis = 0, std::size_t first = 0) {
    if (axis == x.dimension()) return x.data()[first];
    std::size_t rest = 1;
    for (std::size_t i = axis + 1; i < x.dimension(); ++i) rest *= x.shape(i);
    Json list = Json::array();
    for (std::size_t i = 0; i < x.shape(axis); ++i) list.push_back(lists_of(x, axis + 1, first + i * rest));
    return list;
}
/// Prepares a call of a function on arrays that returns one array or number.
template <class F, class... A>
Prepared prepared(F function, A... arguments) {
    using Result = decltype(function(arguments...));
    auto result = std::make_shared<Result>();
    return {[=] { *result = function(arguments...); },
            [=] {
                if constexpr (std::is_arithmetic_v<Result>) return Json(*result);
                else return lists_of(Numbers(*result));
            }};
}

}  // namespace gradbench
