// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/field.hpp>
#include <sigma/core/list.hpp>
#include <sigma/optimizer/update.hpp>
#include <sigma/plan/static_plan.hpp>

#include <concepts>
#include <cstdint>
#include <string_view>
#include <tuple>

namespace sigma::detail {

/// The named numbers of an object without its type. The functions expect an object of the table's type.
struct FieldTable {
    std::string_view name;  ///< name of the object, empty if it has none
    /// f(context, …) for each named number, in the order of declaration.
    void (*visit)(void* object, void* context,
                  void (*f)(void* context, std::string_view name, const NumberRange& range, double& x)) = nullptr;

    /// Calls f(name, range, number) for each named number.
    template <class F>
    void for_each_field(void* object, F f) const {
        visit(object, &f, [](void* context, std::string_view field, const NumberRange& range, double& x) {
            (*static_cast<F*>(context))(field, range, x);
        });
    }
};
/// An optimizer as data, without its type: `optimizer_table<Adam>` is that of Adam.
struct OptimizerTable : FieldTable {
    int scalar_count = 0;
    /// Writes the numbers of one step, counted from 1.
    void (*scalars)(const void* optimizer, std::uint64_t step, double* to) = nullptr;
    /// Assigns one optimizer to another of the same type.
    void (*assign)(void* to, const void* from) = nullptr;
    /// Returns the learning rate after setting it to `*to`, if `to` is not null. Null for an optimizer without one.
    double (*learning_rate)(void* optimizer, const double* to) = nullptr;
    /// Returns the number of batches of an update. Null for an optimizer that does not accumulate.
    int (*batches)(const void* optimizer) = nullptr;
};

/// Returns the name of an optimizer, empty if it has none.
template <class O>
constexpr std::string_view name_of_optimizer() {
    if constexpr (requires { O::name.view(); }) return O::name.view();
    else return {};
}
template <class O>
void scalars_of(const void* optimizer, std::uint64_t step, double* to) {
    for (const auto x : static_cast<const O*>(optimizer)->scalars(step)) *to++ = static_cast<double>(x);
}
/// Returns the numbers of one step.
template <class O>
StaticArray<double, scalar_count<O>> scalars_at(const O& optimizer, std::uint64_t step) {
    StaticArray<double, scalar_count<O>> all;
    scalars_of<O>(&optimizer, step, all.data);
    return all;
}
template <class O>
concept HasLearningRate = requires(O& o) {
    { o.learning_rate } -> std::convertible_to<double>;
    o.learning_rate = 0.1;
};
template <HasLearningRate O>
double learning_rate_of(void* optimizer, const double* to) {
    O& o = *static_cast<O*>(optimizer);
    if (to != nullptr) o.learning_rate = *to;
    return static_cast<double>(o.learning_rate);
}
template <class O>
constexpr auto learning_rate_function() -> double (*)(void*, const double*) {
    if constexpr (HasLearningRate<O>) return &learning_rate_of<O>;
    else return nullptr;
}
template <class O>
int batches_of(const void* optimizer) {
    return static_cast<const O*>(optimizer)->batches;
}
template <class O>
constexpr auto batches_function() -> int (*)(const void*) {
    if constexpr (requires { O::accumulates; }) return &batches_of<O>;
    else return nullptr;
}
template <class O>
void assign_optimizer(void* to, const void* from) {
    *static_cast<O*>(to) = *static_cast<const O*>(from);
}
template <class O>
void visit_fields(void* object, void* context, void (*f)(void*, std::string_view, const NumberRange&, double&)) {
    std::apply(
        [&](const auto&... field) {
            (f(context, field.name.view(), field.range, static_cast<O*>(object)->*field.member), ...);
        },
        fields_of<O>());
}

template <class O>
inline constexpr FieldTable field_table{name_of_optimizer<O>(), &visit_fields<O>};

/// The optimizer O as data.
template <AnyOptimizer O>
inline constexpr OptimizerTable optimizer_table{detail::field_table<O>,
                                                scalar_count<O>,
                                                &detail::scalars_of<O>,
                                                &detail::assign_optimizer<O>,
                                                detail::learning_rate_function<O>(),
                                                detail::batches_function<O>()};

}  // namespace sigma::detail
