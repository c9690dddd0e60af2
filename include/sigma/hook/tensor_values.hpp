// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/selection.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>

namespace sigma {

namespace detail {

/// Σ f(element), with several sums at a time, which lets it become vector code.
template <class F>
double sum_of(std::size_t n, F f) {
    std::array<double, 8> part{};
    std::size_t k = 0;
    for (; k + part.size() <= n; k += part.size())
        for (std::size_t j = 0; j < part.size(); ++j) part[j] += f(k + j);
    double total = 0;
    for (const double x : part) total += x;
    for (; k < n; ++k) total += f(k);
    return total;
}

/// Each Quantity is computed from all elements of all tensors of a selection together: `of(visit)`, where visit(f) calls
/// f(count, element) for their rows.
struct EuclideanNorm {
    static constexpr const char* name = "norm";
    static double of(auto visit) {
        const double squares = scaled(visit, 1);
        if (squares > 1e-280 && squares < 1e300) return std::sqrt(squares);
        // Squares that leave the range of double: doubles only.
        const double most = magnitude(visit);
        if (!(most > 0) || std::isinf(most)) return most;
        return most * std::sqrt(scaled(visit, most));
    }
    static double magnitude(auto visit) {
        double most = 0, not_numbers = 0;
        visit([&](std::size_t n, auto x) {
            for (std::size_t k = 0; k < n; ++k) most = std::max(most, std::abs(x(k)));
            not_numbers += sum_of(n, [&](std::size_t k) { return std::isnan(x(k)) ? 1.0 : 0.0; });
        });
        return not_numbers > 0 ? std::numeric_limits<double>::quiet_NaN() : most;
    }

private:
    static double scaled(auto visit, double by) {
        double total = 0;
        if (by == 1)
            visit([&](std::size_t n, auto x) { total += sum_of(n, [&](std::size_t k) { return x(k) * x(k); }); });
        else
            visit([&](std::size_t n, auto x) { total += sum_of(n, [&](std::size_t k) { return x(k) / by * (x(k) / by); }); });
        return total;
    }
};
struct LargestMagnitude {
    static constexpr const char* name = "largest_magnitude";
    static double of(auto visit) { return EuclideanNorm::magnitude(visit); }
};
struct MeanOf {
    static constexpr const char* name = "mean_of";
    static double of(auto visit) {
        double total = 0, count = 0;
        visit([&](std::size_t n, auto x) { total += sum_of(n, x), count += static_cast<double>(n); });
        return total / count;
    }
};
struct Deviation {
    static constexpr const char* name = "deviation";
    static double of(auto visit) {
        const double mean = MeanOf::of(visit);
        double total = 0, count = 0;
        visit([&](std::size_t n, auto x) {
            total += sum_of(n, [&](std::size_t k) { return (x(k) - mean) * (x(k) - mean); });
            count += static_cast<double>(n);
        });
        return std::sqrt(total / (count - 1));
    }
};
/// Those whose magnitude is at most, or at least, a bound.
template <bool small>
struct ShareOf {
    static constexpr const char* name = small ? "share_of_zeros" : "share_from";
    double bound = 0;
    double of(auto visit) const {
        double total = 0, count = 0;
        visit([&](std::size_t n, auto x) {
            total += sum_of(n, [&](std::size_t k) { return (small ? std::abs(x(k)) <= bound : std::abs(x(k)) >= bound) ? 1.0 : 0.0; });
            count += static_cast<double>(n);
        });
        return total / count;
    }
    friend bool operator==(const ShareOf&, const ShareOf&) = default;
};

}  // namespace detail

/// A number made of tensors of the network. New each iteration; computed when a hook reads it, once for all hooks of a
/// moment. Those of gradients and updates are NaN when no step has just been taken for which they were kept, as in
/// hooks that wait for a start.
template <class Quantity, class S>
struct TensorValue : DerivedValue<TensorValue<Quantity, S>> {
    using Sources = Types<>;
    static constexpr Moment moment = Moment::iteration;
    static constexpr MomentSet update_moments{};
    static constexpr Wants wants = S::wants;

    struct State {
        std::vector<int> positions{};
        double result = 0;
        bool stale = true;

        void update(auto&, const TensorValue&) { stale = true; }
        void restart() { stale = true; }
        void archive(Archive&) {}
    };

    S selection;
    Quantity quantity{};
    std::shared_ptr<State> state{};

    explicit TensorValue(S selection_, Quantity quantity_ = {}) : selection(std::move(selection_)), quantity(quantity_) {}

    double read(auto& trainer) const {
        if (!std::exchange(state->stale, false)) return state->result;
        bool kept = true;
        state->result = quantity.of([&](auto f) { kept = S::visit(trainer, state->positions, f) && kept; });
        if (!kept) state->result = std::numeric_limits<double>::quiet_NaN();
        return state->result;
    }
    void prepare(auto& trainer) const {
        state->positions = selection.find(trainer.model());
        if constexpr (wants.any()) trainer.step_record().template enable<wants>(trainer.model());
    }
    static void visit_values(auto) {}
    std::string text() const {
        if constexpr (requires { quantity.bound; })
            if (quantity.bound != 0) return sentence(Quantity::name, "(", selection.text(), ", ", quantity.bound, ")");
        return sentence(Quantity::name, "(", selection.text(), ")");
    }
    friend bool operator==(const TensorValue& a, const TensorValue& b) {
        if constexpr (requires { a.quantity.bound; })
            if (!(a.quantity == b.quantity)) return false;
        return a.selection == b.selection;
    }
};

/// √Σx² over all elements of the tensors
template <TensorKind kind, Text name>
auto norm(Selection<kind, name> s) {
    return TensorValue<detail::EuclideanNorm, Selection<kind, name>>(std::move(s));
}
template <TensorKind kind, Text name>
auto mean_of(Selection<kind, name> s) {
    return TensorValue<detail::MeanOf, Selection<kind, name>>(std::move(s));
}
/// √(Σ(x − mean)² / (n − 1)), that of a sample; NaN of a single element
template <TensorKind kind, Text name>
auto deviation(Selection<kind, name> s) {
    return TensorValue<detail::Deviation, Selection<kind, name>>(std::move(s));
}
/// max |x|
template <TensorKind kind, Text name>
auto largest_magnitude(Selection<kind, name> s) {
    return TensorValue<detail::LargestMagnitude, Selection<kind, name>>(std::move(s));
}
/// Share of the elements that are 0, or whose magnitude is at most `bound`.
template <TensorKind kind, Text name>
auto share_of_zeros(Selection<kind, name> s, double bound = 0) {
    return TensorValue<detail::ShareOf<true>, Selection<kind, name>>(std::move(s), {bound});
}
/// Share of the elements whose magnitude is `bound` or more.
template <TensorKind kind, Text name>
auto share_from(Selection<kind, name> s, double bound) {
    return TensorValue<detail::ShareOf<false>, Selection<kind, name>>(std::move(s), {bound});
}

}  // namespace sigma
