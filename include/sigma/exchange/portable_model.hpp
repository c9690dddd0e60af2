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

/// A model as tables, independent of its types, for writing it to files. Valid only within `with_portable`.
struct PortableModel {
    const NetworkTable& network;
    Dtype element;             ///< Type of the parameters: f32 or f64.
    Program prediction;        ///< Inputs: those of the network, then its states. Outputs: predictions, then states.
    List<LayerRecord> layers;  ///< The layers to which the nodes of `prediction` belong.
    std::vector<std::string> classes;  ///< Names of the classes, or none.
    /// Returns the elements of a parameter, dense and row-major. Each hyperparameter is a parameter of one element,
    /// behind the others.
    AnyFunction<std::vector<double>(int parameter)> values;
    std::vector<QuantizedWeight> quantized{};  ///< 8-bit weights that products read in place of parameters.

    /// Returns the 8-bit weight of a parameter, or null if products read the parameter itself.
    const QuantizedWeight* quantized_weight(int parameter) const;
};

using UsePortable = AnyFunction<void(const PortableModel&)>;
template <class T>
void with_portable_of(const ModelStore<T>& model, Program prediction, List<LayerRecord> layers, const UsePortable& use);

/// Calls use(portable model). The parameters do not change meanwhile.
template <AnyNetwork N, class T>
void with_portable(const Model<N, T>& model, const UsePortable& use) {
    model.at_rest([&](const Model<N, T>& now) {
        with_portable_of<T>(now, now.template operations<to_predict>(), layers_of_programs(now.definition(), false),
                            use);
    });
}

}  // namespace sigma::detail
