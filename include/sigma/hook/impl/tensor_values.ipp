// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/core/pattern.hpp>
#include <sigma/hook/node.hpp>
#include <sigma/hook/tensor_values.hpp>
#include <sigma/network/model_store.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace sigma::detail {

SIGMA_IMPL std::string SelectedTensors::text() const {
    constexpr const char* words[] = {"parameter", "gradient", "update", "output"};
    const char* word = words[static_cast<int>(kind)];
    return by_name ? sentence(word, "<\"", pattern, "\">()") : sentence(word, "s(\"", pattern, "\")");
}

SIGMA_IMPL std::vector<int> SelectedTensors::find(const NetworkTable& network) const {
    std::vector<int> found;
    if (kind == TensorKind::outputs) {
        for (int i = 0; i < network.layers.size(); ++i)
            if (matches(pattern, network.layers[i].name.view())) found.push_back(i);
        if (found.empty()) layer_at(network, pattern);  // throws
        return found;
    }
    for (int i = 0; i < network.parameters.size(); ++i) {
        const ParameterRecord& r = network.parameters[i];
        if (kind == TensorKind::gradients && !r.trained) continue;
        // Statistics are not trained. They match only by their full name.
        const bool meant = !by_name && r.trained ? matches(pattern, r.name.view()) : pattern == r.name.view();
        if (meant) found.push_back(i);
    }
    if (found.empty())
        throw ArgumentError(text(),
                            kind == TensorKind::gradients ? "a pattern that matches a parameter that is trained"
                                                          : "a pattern that matches a parameter",
                            pattern_without_match(pattern, network, kind == TensorKind::gradients));
    return found;
}

// ---- elements: visit(f) calls f(count, element) for each row, where element(k) is a double ----

template <class T, class F>
void visit_rows(const Shape& shape, const T* x, std::ptrdiff_t stride, F f) {
    const auto columns = static_cast<std::size_t>(shape.last());
    const auto rows = static_cast<std::ptrdiff_t>(static_cast<std::size_t>(shape.count()) / columns);
    for (std::ptrdiff_t r = 0; r < rows; ++r)
        f(columns, [row = x + r * stride](std::size_t k) { return static_cast<double>(row[k]); });
}

/// Visits the tensors of a selection. Returns false if the step before was not kept.
template <class F>
bool visit_tensors(TrainerParameters& trainer, TensorKind kind, const std::vector<int>& positions, F f) {
    return with_model(trainer.parameters(), [&]<class T>(const ModelStore<T>& model) {
        for (const int p : positions) {
            if (kind == TensorKind::outputs) {
                const KeptTensor kept = trainer.output(p);
                if (kept.data == nullptr) return false;
                f(static_cast<std::size_t>(kept.stride),
                  [y = static_cast<const T*>(kept.data)](std::size_t k) { return static_cast<double>(y[k]); });
                continue;
            }
            const Shape& shape = model.network().parameters[p].shape;
            if (kind == TensorKind::parameters) {
                visit_rows(shape, model.parameter_data(p), model.pitch(p), f);
                continue;
            }
            const KeptTensor kept = kind == TensorKind::gradients ? trainer.gradient(p) : trainer.before(p);
            if (kept.data == nullptr) return false;
            const auto* y = static_cast<const T*>(kept.data);
            if (kind == TensorKind::gradients) {
                f(static_cast<std::size_t>(shape.count()), [y](std::size_t k) { return static_cast<double>(y[k]); });
                continue;
            }
            const auto columns = static_cast<std::size_t>(shape.last());
            const std::size_t rows = static_cast<std::size_t>(shape.count()) / columns;
            for (std::size_t r = 0; r < rows; ++r)
                f(columns, [x = model.parameter_data(p) + r * static_cast<std::size_t>(model.pitch(p)),
                            z = y + r * static_cast<std::size_t>(kept.stride)](std::size_t k) {
                    return static_cast<double>(x[k]) - static_cast<double>(z[k]);
                });
        }
        return true;
    });
}

// ---- quantities of all elements of all tensors of a selection together ----

/// Returns Σ f(element), as several partial sums, so that the compiler can vectorize it.
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
/// Returns the sum of f(element) over all rows, and the number of elements.
template <class F>
std::pair<double, double> total_of(auto visit, F f) {
    double total = 0, count = 0;
    visit([&](std::size_t n, auto x) {
        total += sum_of(n, [&](std::size_t k) { return f(x(k)); });
        count += static_cast<double>(n);
    });
    return {total, count};
}
template <class F>
double mean_of_all(auto visit, F f) {
    const auto [total, count] = total_of(visit, f);
    return total / count;
}

inline double largest_of(auto visit) {
    double most = 0, not_numbers = 0;
    visit([&](std::size_t n, auto x) {
        for (std::size_t k = 0; k < n; ++k) most = std::max(most, std::abs(x(k)));
        not_numbers += sum_of(n, [&](std::size_t k) { return std::isnan(x(k)) ? 1.0 : 0.0; });
    });
    return not_numbers > 0 ? not_seen : most;
}

inline double norm_of(auto visit) {
    const double squares = total_of(visit, [](double x) { return x * x; }).first;
    if (squares > 1e-280 && squares < 1e300) return std::sqrt(squares);
    // The squares leave the range of double: scale by the largest magnitude.
    const double most = largest_of(visit);
    if (!(most > 0) || std::isinf(most)) return most;
    return most * std::sqrt(total_of(visit, [most](double x) { return x / most * (x / most); }).first);
}

inline double deviation_of(auto visit) {
    const double mean = mean_of_all(visit, [](double x) { return x; });
    const auto [total, count] = total_of(visit, [mean](double x) { return (x - mean) * (x - mean); });
    return std::sqrt(total / (count - 1));
}

struct TensorValueNode {
    struct How {
        SelectedTensors tensors{};
        Quantity quantity{};
        double high = 0, low = 0;
        friend bool operator==(const How&, const How&) = default;
    } how{};
    std::vector<int> positions{};
    bool stale = true;
    double result = not_seen;

    void prepare(TrainerParameters& trainer) { positions = how.tensors.find(network_of(trainer.parameters())); }
    void update(HookContext&) { stale = true; }
    double read(TrainerParameters& trainer) {
        if (!std::exchange(stale, false)) return result;
        bool kept = true;
        const auto visit = [&](auto f) { kept = visit_tensors(trainer, how.tensors.kind, positions, f) && kept; };
        result = how.quantity == Quantity::update_rate ? norm_of(visit) : quantity(visit);
        if (!kept) return result = not_seen;
        if (how.quantity == Quantity::update_rate) {
            const double from = norm_before(trainer);
            result = result == 0 && from == 0 ? 0 : result / from;
        }
        return result;
    }
    double quantity(auto visit) const {
        const double high = how.high, low = how.low;
        switch (how.quantity) {
            case Quantity::norm: return norm_of(visit);
            case Quantity::largest_magnitude: return largest_of(visit);
            case Quantity::mean: return mean_of_all(visit, [](double x) { return x; });
            case Quantity::deviation: return deviation_of(visit);
            case Quantity::share_of_zeros:
                return mean_of_all(visit, [high](double x) { return std::abs(x) <= high ? 1.0 : 0.0; });
            default: return mean_of_all(visit, [low, high](double x) { return x <= low || x >= high ? 1.0 : 0.0; });
        }
    }
    double norm_before(TrainerParameters& trainer) const {
        return with_model(trainer.parameters(), [&]<class T>(const ModelStore<T>& model) {
            return norm_of([&](auto f) {
                for (const int p : positions) {
                    const KeptTensor kept = trainer.before(p);
                    visit_rows(model.network().parameters[p].shape, static_cast<const T*>(kept.data), kept.stride, f);
                }
            });
        });
    }
    void restart() { stale = true; }
    Wants wants() const { return wants_of(how.tensors.kind); }
    std::string text() const {
        if (how.quantity == Quantity::update_rate)
            return how.tensors.by_name ? sentence("update_rate<\"", how.tensors.pattern, "\">()")
                                       : sentence("update_rate(\"", how.tensors.pattern, "\")");
        constexpr const char* words[] = {"norm",           "largest_magnitude", "mean_of",        "deviation",
                                         "share_of_zeros", "share_from",        "share_saturated"};
        const bool two = how.quantity == Quantity::share_saturated;
        return sentence(words[static_cast<int>(how.quantity)], "(", how.tensors.text(),
                        two ? sentence(", ", how.low) : "", two || how.high != 0 ? sentence(", ", how.high) : "", ")");
    }
};

SIGMA_IMPL SharedOwner<Derived> make_tensor_value(SelectedTensors tensors, Quantity quantity, double high, double low) {
    return make_value(TensorValueNode{{std::move(tensors), quantity, high, low}});
}

}  // namespace sigma::detail
