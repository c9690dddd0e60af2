// SPDX-License-Identifier: BSL-1.0
#include <sigma/exchange/portable_model.hpp>
#include <sigma/exchange/quantize.hpp>

#include <type_traits>
#include <utility>

namespace sigma::detail {

const QuantizedWeight* PortableModel::quantized_weight(int parameter) const {
    if (parameter >= network.parameters.size()) return nullptr;
    for (const QuantizedWeight& w : quantized)
        if (w.name == network.parameters[parameter].name.view()) return &w;
    return nullptr;
}

template <class T>
void with_portable_of(const ModelStore<T>& model, Program prediction, List<LayerRecord> layers,
                      const UsePortable& use) {
    const NetworkTable& network = model.network();
    const auto values = [&](int i) -> std::vector<double> {
        const int behind = i - network.parameters.size();
        if (behind >= 0) return {model.hyperparameter(behind)};
        const Shape& s = network.parameters[i].shape;
        const auto columns = static_cast<std::size_t>(s.rank > 0 ? s.last() : 1);
        const auto rows = static_cast<std::size_t>(s.count()) / columns,
                   pitch = static_cast<std::size_t>(model.pitch(i));
        std::vector<double> all;
        all.reserve(rows * columns);
        for (std::size_t r = 0; r < rows; ++r) {
            const T* const row = model.parameter_data(i) + r * pitch;
            all.insert(all.end(), row, row + columns);
        }
        return all;
    };
    std::vector<QuantizedWeight> small;
    if constexpr (std::is_same_v<T, float>) small = quantized_weights(model);
    use({network, dtype_of<T>, std::move(prediction), std::move(layers), model.classes(), values, std::move(small)});
}

template void with_portable_of(const ModelStore<float>&, Program, List<LayerRecord>, const UsePortable&);
template void with_portable_of(const ModelStore<double>&, Program, List<LayerRecord>, const UsePortable&);

}  // namespace sigma::detail
