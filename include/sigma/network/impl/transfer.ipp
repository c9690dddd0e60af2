// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/pattern.hpp>
#include <sigma/network/table.hpp>
#include <sigma/network/transfer.hpp>

#include <string>
#include <utility>
#include <vector>

namespace sigma::detail {

/// The product of the matrices that `lora` adds to a parameter, times its scale.
template <class F>
struct LowRank {
    const F *down = nullptr, *up = nullptr;
    int down_pitch = 0, up_pitch = 0, rank = 0;
    double scale = 0;

    double at(std::ptrdiff_t y, std::ptrdiff_t x) const {
        double sum = 0;
        for (std::ptrdiff_t k = 0; k < rank; ++k)
            sum += double{down[y * down_pitch + k]} * double{up[k * up_pitch + x]};
        return scale * sum;
    }
};

/// Returns the matrices that adapt a parameter of a model, of which `values` is a copy. Their rank is 0 if there are
/// none.
template <class F>
LowRank<F> adapter_of(const ModelStore<F>& model, const F* values, std::string_view parameter) {
    const auto find = [&](const char* end) { return model.network().find_parameter(sentence(parameter, end)); };
    const int down = find("_lora_a"), up = find("_lora_b");
    if (down < 0 || up < 0) return {};
    const auto first = [&](int i) { return values + model.dual_buffer().offset(i); };
    return {first(down),
            first(up),
            model.pitch(down),
            model.pitch(up),
            model.network().parameters[down].shape.last(),
            model.hyperparameter(sentence(parameter, "_lora"))};
}

template <class F, class T>
int copy_parameters(const ModelStore<F>& from, ModelStore<T>& to, const ParameterChoice& choice, Transfer how,
                    bool merged) {
    const NetworkTable &source_table = from.network(), &target_table = to.network();
    const auto miss = [](const ParameterRecord& r, const std::string& found) {
        throw MismatchError(sentence("transfer of parameter '", r.name.view(), "'"),
                            sentence("shape ", extents_text(r.shape)), found);
    };
    std::vector<std::pair<int, int>> pairs;
    bool any = false;
    for (int i = 0; i < target_table.parameters.size(); ++i) {
        const ParameterRecord& r = target_table.parameters[i];
        if (!choice(r.name.view())) continue;
        any = true;
        const int source = source_table.find_parameter(r.name.view());
        const bool fits = source >= 0 && source_table.parameters[source].shape == r.shape;
        if (fits) pairs.emplace_back(source, i);
        if (fits || how == Transfer::common) continue;
        if (source < 0)
            miss(r, sentence("no such parameter in the source, which has ", parameter_names(source_table, false)));
        miss(r, sentence("shape ", extents_text(source_table.parameters[source].shape)));
    }
    for (int i = 0; i < source_table.parameters.size() && how == Transfer::whole; ++i) {
        const ParameterRecord& r = source_table.parameters[i];
        if (!choice(r.name.view())) continue;
        any = true;
        if (target_table.find_parameter(r.name.view()) < 0)
            miss(r, sentence("no such parameter in the target, which has ", parameter_names(target_table, false)));
    }
    if (!any && how == Transfer::whole) choice.refuse("transfer of parameters", target_table);
    const bool everything = how == Transfer::whole && (merged || choice.everything());
    std::vector<F> values;  // a copy: no thread waits for one model while it holds the other
    ClassNames classes;
    from.read([&] {
        const auto all = from.parameter_memory();
        values.assign(all.begin(), all.end());
        if (everything) classes = from.classes();
    });
    std::vector<LowRank<F>> adapters(pairs.size());
    for (std::size_t i = 0; i < pairs.size() && merged; ++i) {
        const std::string_view name = source_table.parameters[pairs[i].first].name.view();
        const bool stays = target_table.find_parameter(sentence(name, "_lora_a")) >= 0;  // adapted in the target, too
        if (!stays) adapters[i] = adapter_of(from, values.data(), name);
    }
    to.write([&] {
        require_same_classes("transfer of parameters", to.classes(), classes);
        if (classes.size() > to.classes().size()) to.set_classes(std::move(classes));
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            const auto [source, target] = pairs[i];
            const Shape shape = target_table.parameters[target].shape;
            const auto columns = static_cast<std::ptrdiff_t>(shape.last());
            const auto rows = static_cast<std::ptrdiff_t>(shape.count()) / columns;
            const F* const first = values.data() + from.dual_buffer().offset(source);
            for (std::ptrdiff_t y = 0; y < rows; ++y)
                for (std::ptrdiff_t x = 0; x < columns; ++x) {
                    const double value = first[y * from.pitch(source) + x];
                    to.parameter_data(target)[y * to.pitch(target) + x] =
                        static_cast<T>(adapters[i].rank > 0 ? value + adapters[i].at(y, x) : value);
                }
        }
    });
    return static_cast<int>(pairs.size());
}

template <class F, class T>
int transfer_parameters(const ModelStore<F>& from, ModelStore<T>& to, const ParameterChoice& choice, Transfer how) {
    return copy_parameters(from, to, choice, how, false);
}
template <class F, class T>
int merge_adapters(const ModelStore<F>& from, ModelStore<T>& to) {
    const ParameterChoice of_target = [&](std::string_view name) { return to.network().find_parameter(name) >= 0; };
    return copy_parameters(from, to, of_target, Transfer::whole, true);
}

#ifdef SIGMA_COMPILED
template int transfer_parameters(const ModelStore<float>&, ModelStore<float>&, const ParameterChoice&, Transfer);
template int transfer_parameters(const ModelStore<float>&, ModelStore<double>&, const ParameterChoice&, Transfer);
template int transfer_parameters(const ModelStore<double>&, ModelStore<float>&, const ParameterChoice&, Transfer);
template int transfer_parameters(const ModelStore<double>&, ModelStore<double>&, const ParameterChoice&, Transfer);
template int merge_adapters(const ModelStore<float>&, ModelStore<float>&);
template int merge_adapters(const ModelStore<float>&, ModelStore<double>&);
template int merge_adapters(const ModelStore<double>&, ModelStore<float>&);
template int merge_adapters(const ModelStore<double>&, ModelStore<double>&);
#endif

}  // namespace sigma::detail
