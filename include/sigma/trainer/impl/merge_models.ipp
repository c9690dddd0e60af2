// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/function/made_calls.hpp>
#include <sigma/trainer/merge_models.hpp>

namespace sigma::detail {

template <class T>
void merge_models(ModelStore<T>& into, std::span<const ModelStore<T>* const> all, const std::vector<Merger>& mergers) {
    const NetworkTable& network = into.network();
    check_mergers("merge of models", mergers, network);
    std::vector<std::vector<T>> copies;  // no thread waits for one model while it holds another
    for (const ModelStore<T>* const each : all) {
        require_same_parameters("merge of models", network, each->network());
        each->read([&] {
            require_same_classes("merge of models", into.classes(), each->classes());
            const auto values = each->parameter_memory();
            copies.emplace_back(values.begin(), values.end());
        });
    }
    into.write([&] {
        for (int i = 0; i < network.parameters.size(); ++i) {
            std::vector<const T*> values;
            for (const auto& each : copies) values.push_back(each.data() + into.dual_buffer().offset(i));
            MadeCalls<T> calls;
            merge_values<T>(merger_of(network.parameters[i].name.view(), mergers), values, into.dual_buffer().size(i),
                            into.parameter_data(i), calls);
        }
    });
}
#ifdef SIGMA_COMPILED
template void merge_models(ModelStore<float>&, std::span<const ModelStore<float>* const>, const std::vector<Merger>&);
template void merge_models(ModelStore<double>&, std::span<const ModelStore<double>* const>, const std::vector<Merger>&);
#endif

}  // namespace sigma::detail
