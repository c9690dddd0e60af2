// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/text.hpp>
#include <sigma/layer/context.hpp>

#include <string_view>

/// Names of layers, costs and parameters as files have them that were written when named layers were numbered as well:
/// "1-hidden" for "hidden", "3-tower/dense" for "tower/2-dense". Such files are read.
namespace sigma::detail {

/// How long the "2-" of "2-dense" is; 0 where there is none.
constexpr std::size_t size_of_number(std::string_view name) {
    std::size_t digits = 0;
    while (digits < name.size() && name[digits] >= '0' && name[digits] <= '9') ++digits;
    return digits > 0 && digits < name.size() && name[digits] == '-' ? digits + 1 : 0;
}
constexpr bool begins_with_number(std::string_view name) { return size_of_number(name) > 0; }

/// Of the layer or cost with this number. Names that would be too long were none then: such stay as they are.
constexpr Text older_name(const Text& name, int number) {
    const std::size_t path = name.view().rfind('/') + 1;  // 0 where there is none
    const std::string_view own = name.view().substr(path);
    Text older;
    older.append(number).append("-");
    if (!older.has_room_for(name.view())) return name;
    return older.append(name.view().substr(0, path)).append(own.substr(size_of_number(own)));
}
template <class Layers>
constexpr Text older_layer_name(const Layers& layers, int i) {
    return layers[i].named ? older_name(layers[i].name, i) : layers[i].name;
}
template <class Layers>
constexpr bool has_older_names(const Layers& layers) {
    for (int i = 0; i < layers.size(); ++i)
        if (layers[i].named) return true;
    return false;
}
template <class Layers>
constexpr Text older_parameter_name(const Layers& layers, const Text& name) {
    const std::size_t dot = name.view().find('.');
    for (int i = 0; i < layers.size(); ++i) {
        if (!layers[i].named || layers[i].name.view() != name.view().substr(0, dot)) continue;
        Text older = older_layer_name(layers, i);
        return older.has_room_for(name.view().substr(dot)) ? older.append(name.view().substr(dot)) : name;
    }
    return name;
}
/// The same parameters by their older names.
template <class Layers>
constexpr List<ParameterRecord> older_parameters(const Layers& layers, List<ParameterRecord> parameters) {
    if (!has_older_names(layers)) return parameters;
    for (ParameterRecord& p : parameters) p.name = older_parameter_name(layers, p.name);
    return parameters;
}

}  // namespace sigma::detail
