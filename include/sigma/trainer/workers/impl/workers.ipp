// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/tape/compose.hpp>
#include <sigma/trainer/workers/workers.hpp>

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
                    throw ArgumentError("merge by weights", sentence(x.size(), " weights, one for each worker"),
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
