// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/array.hpp>
#include <sigma/core/config.hpp>
#include <sigma/core/pattern.hpp>
#include <sigma/function/made_calls.hpp>
#include <sigma/network/table.hpp>
#include <sigma/tape/compose.hpp>
#include <sigma/trainer/workers/workers.hpp>

#include <algorithm>
#include <cmath>

namespace sigma {

SIGMA_IMPL Merger merge(std::string pattern, MergeBy by) {
    const auto in_turn = [](auto f) {
        return [f](std::span<const Tensor> x) {
            Tensor all = x[0];
            for (const Tensor& each : x.subspan(1)) all = f(all, each);
            return all;
        };
    };
    switch (by) {
        case MergeBy::sum: return {std::move(pattern), in_turn([](Tensor a, Tensor b) { return a + b; }), "sum", true};
        case MergeBy::maximum:
            return {std::move(pattern), in_turn([](Tensor a, Tensor b) { return max(a, b); }), "maximum", true};
        case MergeBy::minimum:
            return {std::move(pattern), in_turn([](Tensor a, Tensor b) { return min(a, b); }), "minimum", true};
        case MergeBy::average: break;
    }
    return {std::move(pattern),
            [](std::span<const Tensor> x) {  // exact if all values are equal
                Tensor more = x[0] - x[0];
                for (const Tensor& each : x.subspan(1)) {
                    const Tensor difference = each - x[0];
                    more = more + difference;
                }
                return x[0] + more * (1.0 / static_cast<double>(x.size()));
            },
            "average", true};
}

SIGMA_IMPL Merger merge(std::string pattern, std::vector<double> weights) {
    double total = 0;
    for (const double w : weights) total += w >= 0 ? w : std::nan("");
    if (!(total > 0 && std::isfinite(total)))
        throw ArgumentError(sentence("weights of merge '", pattern, "'"), "numbers of 0 or more, one of them above 0",
                            sentence("a sum of ", total));
    return {std::move(pattern),
            [w = std::move(weights), total](std::span<const Tensor> x) {
                if (x.size() != w.size())
                    throw ArgumentError("merge by weights",
                                        sentence(x.size(), " weights, one for each worker or model"),
                                        sentence(w.size()));
                Tensor all = x[0] * (w[0] / total);
                for (std::size_t i = 1; i < w.size(); ++i) {
                    const Tensor part = x[i] * (w[i] / total);
                    all = all + part;
                }
                return all;
            },
            "weighted average", true};
}

namespace detail {

SIGMA_IMPL const Merger& merger_of(std::string_view parameter, const std::vector<Merger>& mergers) {
    static const Merger average = sigma::merge("*", MergeBy::average);
    const Merger* by = &average;
    for (const Merger& m : mergers)
        if (matches(m.pattern, parameter)) by = &m;
    return *by;
}
SIGMA_IMPL void check_mergers(const std::string& where, const std::vector<Merger>& mergers,
                              const NetworkTable& network) {
    for (const Merger& m : mergers)
        if (std::ranges::none_of(network.parameters,
                                 [&](const ParameterRecord& r) { return matches(m.pattern, r.name.view()); }))
            throw ArgumentError(where, "a pattern that matches a parameter", pattern_without_match(m.pattern, network));
}
template <class T>
void merge_values(const Merger& by, std::span<const T* const> values, std::size_t size, T* result,
                  MadeCalls<T>& calls) {
    const Shape shape{static_cast<int>(size)};
    std::vector<typename MadeCalls<T>::Argument> arguments;
    for (const T* const each : values) arguments.push_back({shape, each, false});
    calls.run(
        arguments, 1,
        [&](std::span<const Tensor> x, List<Variable>& results) {
            const Tensor merged = by.expression(x);
            if (merged.shape() != shape)
                throw ArgumentError(sentence("merge '", by.pattern, "'"),
                                    sentence("a result of the arguments' shape, ", shape_text(array_extents(shape, 1))),
                                    shape_text(array_extents(merged.shape(), 1)));
            results.push(merged.variable);
        },
        [&](std::size_t, const std::vector<std::size_t>&) { return typename MadeCalls<T>::Result{result, false}; },
        calling_thread(), {});
}
#ifdef SIGMA_COMPILED
template void merge_values(const Merger&, std::span<const float* const>, std::size_t, float*, MadeCalls<float>&);
template void merge_values(const Merger&, std::span<const double* const>, std::size_t, double*, MadeCalls<double>&);
#endif

}  // namespace detail

SIGMA_IMPL WorkerSet workers(int count, WorkerOptions options) {
    if (count < 1 || count > 256) throw ArgumentError("workers", "1 to 256", sentence(count));
    return workers(std::vector<Device>(static_cast<std::size_t>(count), cpu(1)), std::move(options));
}
SIGMA_IMPL WorkerSet workers(std::vector<Device> devices, WorkerOptions options) {
    if (devices.empty() || devices.size() > 256) throw ArgumentError("workers", "1 to 256", sentence(devices.size()));
    if (options.merge_every < 0)
        throw ArgumentError("merge_every of workers", "0 or more steps", sentence(options.merge_every));
    return {std::move(devices), std::move(options)};
}

}  // namespace sigma
