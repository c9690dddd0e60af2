// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/derived.hpp>

#include <limits>
#include <memory>

namespace sigma {

/// What a value was when it was last new; NaN before. Hooks may read it more often than it is computed, and in the
/// foreground though it is computed in the background. Where hooks fire together, those that read it come after the one
/// that computes it, if their other dependencies allow. As a criterion it is looked at each iteration or when the
/// sentence says.
template <AnyValue V>
struct Latest : DerivedValue<Latest<V>> {
    using Sources = Types<>;
    using LooseSources = typename V::Sources;
    static constexpr bool larger_is_better = V::larger_is_better;
    static constexpr Moment moment = Moment::iteration;
    static constexpr MomentSet update_moments{};
    static constexpr Wants always_wants = detail::wants_of<V>() | detail::always_wants_of<V>();

    struct State {
        double result = std::numeric_limits<double>::quiet_NaN();

        template <class Context>
        void update(Context& context, const Latest& self) {
            result = context.get(self.source);
        }
        void restart() { result = std::numeric_limits<double>::quiet_NaN(); }
        void archive(Archive& a) { a(result); }
    };

    V source;
    std::shared_ptr<State> state{};

    explicit Latest(V v) : source(v) {}
    void visit_values(auto f) { f(source); }
    void visit_values(auto f) const { f(source); }
    std::string text() const { return sentence("latest(", source.text(), ")"); }
    friend bool operator==(const Latest& a, const Latest& b) { return detail::same_value(a.source, b.source); }
};

/// `every(10, iteration).then(report(latest(accuracy)))`, where accuracy is computed every epoch
template <AnyValue V>
auto latest(V v) {
    return Latest<V>(v);
}

}  // namespace sigma
