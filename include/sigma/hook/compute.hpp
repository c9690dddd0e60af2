// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/function_of_values.hpp>
#include <sigma/hook/values.hpp>

namespace sigma {

/// Computes `value<key>`.
template <Text key, class F>
class Compute : public Action<Compute<key, F>> {
public:
    using Reads = typename F::Reads;
    using Writes = Types<Computed<key>>;
    static constexpr bool in_background = F::in_background;

    explicit Compute(F f) : function_(std::move(f)) {}
    void visit_values(auto f) { function_.visit_values(f); }
    void run(auto& context) { context.template publish<Computed<key>>(static_cast<double>(function_(context))); }
    std::string text() const { return sentence("compute<\"", key.view(), "\">(", function_.text(), ")"); }

private:
    F function_;
};

/// Computes what `value<"name">` reads: `compute<"norm">([](auto& trainer) { return …; })`, in the foreground only, or of
/// other values, `compute<"gap">(error, validation_error, [](double e, double v) { return v - e; })`, anywhere.
template <Text key, class... A>
    requires(sizeof...(A) > 0)
auto compute(A... values_and_function) {
    auto function = detail::function_of_values(std::move(values_and_function)...);
    return Compute<key, decltype(function)>(std::move(function));
}

}  // namespace sigma
