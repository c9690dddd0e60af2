// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_function.hpp>
#include <sigma/exchange/quantized_weight.hpp>
#include <sigma/execution/debug.hpp>
#include <sigma/network/model.hpp>
#include <sigma/storage/dtype.hpp>

#include <string>
#include <vector>

namespace sigma::detail {

/// A model as all see it who write it down: tables, and nothing of its types. Right within `with_portable` only.
struct PortableModel {
    const NetworkTable& network;
    Dtype element;       ///< f32 or f64
    Program prediction;  ///< its inputs are the network's, then its states; its outputs what each cost predicts, then
                         ///< states
    List<LayerRecord> layers;          ///< to which the nodes of `prediction` belong
    std::vector<std::string> classes;  ///< their names; none where the data had none
    /// The elements of a parameter, dense and row-major; behind the parameters each hyperparameter is one of one.
    AnyFunction<std::vector<double>(int parameter)> values;
    std::vector<QuantizedWeight> quantized{};  ///< what products read of some parameters in place of these

    /// Null where products read the parameter itself.
    const QuantizedWeight* quantized_weight(int parameter) const;
};

using UsePortable = AnyFunction<void(const PortableModel&)>;
template <class T>
void with_portable_of(const ModelStore<T>& model, Program prediction, List<LayerRecord> layers, const UsePortable& use);

/// use(portable model), whose parameters nobody changes meanwhile.
template <AnyNetwork N, class T>
void with_portable(const Model<N, T>& model, const UsePortable& use) {
    model.at_rest([&](const Model<N, T>& now) {
        with_portable_of<T>(now, now.template operations<to_predict>(), layers_of_programs(now.definition(), false),
                            use);
    });
}

}  // namespace sigma::detail
