// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/function_of_values.hpp>

namespace sigma {

/// Gives the numbers of values to a function; in the background too.
template <class F>
class UseValues : public Action<UseValues<F>> {
public:
    using Reads = typename F::Reads;
    explicit UseValues(F f) : function_(std::move(f)) {}
    void visit_values(auto f) { function_.visit_values(f); }
    void run(auto& context) { function_(context); }
    std::string text() const { return sentence("use(", function_.text(), ")"); }

private:
    F function_;
};

/// `use(error, accuracy, [](double e, double a) { … })`
template <class... A>
    requires(sizeof...(A) > 1)
auto use(A... values_and_function) {
    return UseValues(detail::function_of_values(std::move(values_and_function)...));
}

}  // namespace sigma
