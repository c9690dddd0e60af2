// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/data/transform/entries.hpp>
#include <sigma/data/transform/load.hpp>
#include <sigma/data/transform/preprocessing_file.hpp>
#include <sigma/data/transform/transforms.hpp>

#include <algorithm>
#include <array>

namespace sigma::data::detail {

struct TransformLoader {
    std::string_view kind;
    FittedPointer (*load)(const StoredValues&);
};
inline constexpr std::array transform_loaders{TransformLoader{"clamp", load_clamp},
                                              TransformLoader{"impute", load_impute},
                                              TransformLoader{"map_values", load_map_values},
                                              TransformLoader{"normalize", load_normalize},
                                              TransformLoader{"normalize_each", load_normalize_each},
                                              TransformLoader{"one_hot", load_one_hot},
                                              TransformLoader{"permute", load_permute},
                                              TransformLoader{"reshape", load_reshape},
                                              TransformLoader{"standardize", load_standardize}};

SIGMA_IMPL FittedPointer load_transform(const std::string& kind, const StoredValues& stored, std::size_t step,
                                        const std::vector<NamedFunction>& functions) {
    const auto place = [&] { return sentence("metadata '", step_key(step, "transform"), "'"); };
    const auto loader = std::ranges::find(transform_loaders, kind, &TransformLoader::kind);
    if (loader == transform_loaders.end()) {
        const auto given = std::ranges::find(functions, kind, &NamedFunction::name);
        if (given == functions.end())
            throw DataError(stored.file, place(),
                            "a transform of this library, or a function that is given with this name",
                            sentence("'", kind, "'"));
        return fitted_function(given->name, given->function);
    }
    try {
        return loader->load(stored);
    } catch (const ArgumentError& e) {
        throw DataError(stored.file, sentence("preprocessing ", step, ", '", kind, "'"), e.expected, e.found);
    }
}

SIGMA_IMPL Preprocessing read_preprocessing(const SafetensorsFile& file, const std::vector<NamedFunction>& functions) {
    std::vector<Preprocessing::Step> steps;
    std::size_t used = 0;
    for (std::size_t i = 0, count = count_steps(file); i < count; ++i) {
        const std::string kind = step_text(file, i, "transform"), &section = step_text(file, i, "section");
        StoredValues stored{file.path(), value_name(i, kind, ""), section, {}};
        for (const TensorInfo& t : file.tensors()) {
            if (!t.name.starts_with(stored.prefix)) continue;
            const std::string name = t.name.substr(stored.prefix.size());
            if (t.dtype != Dtype::f64 || t.shape.size() != 1)
                stored.refuse(name, "a list of F64",
                              sentence(sigma::detail::shape_text(t.shape), " of ", sigma::detail::name_of(t.dtype)));
            stored.all.push_back({name, file.read<double>(t.name)});
        }
        steps.push_back({section, load_transform(kind, stored, i, functions)});
        const auto known = steps.back().transform->state();
        used += known.size();
        for (const TransformValue& v : stored.all)
            if (std::ranges::find(known, v.name, &TransformValue::name) == known.end())
                stored.refuse(v.name, "no such tensor", "it");
    }
    std::size_t there = 0;
    for (const TensorInfo& t : file.tensors()) there += is_preprocessing(t.name) ? 1 : 0;
    if (there != used)
        throw DataError(file.path(), "", sentence(used, " tensors 'preprocessing.*' of ", steps.size(), " steps"),
                        sentence(there));
    return Preprocessing(std::move(steps));
}

}  // namespace sigma::data::detail

namespace sigma::data {

SIGMA_IMPL void save_preprocessing(const Preprocessing& preprocessing, const std::string& file) {
    SafetensorsWriter writer;
    detail::add_preprocessing(writer, preprocessing);
    writer.with_checksum().save(file);
}

SIGMA_IMPL Preprocessing Preprocessing::load(const std::string& file) { return load(file, {}); }

SIGMA_IMPL Preprocessing Preprocessing::load(const std::string& file, const std::vector<NamedFunction>& functions) {
    const SafetensorsFile from = SafetensorsFile::open(file);
    if (from.metadata(detail::preprocessing_key) == nullptr)
        throw DataError(file, "metadata", sentence("'", detail::preprocessing_key, "'"),
                        "none: a file without preprocessing");
    from.verify();
    return detail::read_preprocessing(from, functions);
}

}  // namespace sigma::data
