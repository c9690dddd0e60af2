// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/data/transform/fitted.hpp>
#include <sigma/data/transform/preprocessing_file.hpp>
#include <sigma/data/transform/transforms.hpp>
#include <sigma/storage/safetensors.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>

namespace sigma::data::detail {

SIGMA_IMPL std::string value_name(std::size_t step, const std::string& kind, std::string_view of) {
    return sentence(preprocessing_key, ".", step, ".", kind, ".", of);
}

SIGMA_IMPL bool is_preprocessing(std::string_view tensor) {
    return tensor.size() > preprocessing_key.size() && tensor.starts_with(preprocessing_key) &&
           tensor[preprocessing_key.size()] == '.';
}

SIGMA_IMPL void add_preprocessing(SafetensorsWriter& file, const Preprocessing& preprocessing) {
    if (preprocessing.steps().size() > most_steps)
        throw ArgumentError("preprocessing", sentence("at most ", most_steps, " steps"),
                            sentence(preprocessing.steps().size()));
    file.metadata(std::string(preprocessing_key), sentence(preprocessing.steps().size()));
    for (std::size_t i = 0; i < preprocessing.steps().size(); ++i) {
        const auto& [section, transform] = preprocessing.steps()[i];
        file.metadata(step_key(i, "transform"), transform->kind()).metadata(step_key(i, "section"), section);
        for (TransformValue& v : transform->state()) {
            const std::uint64_t count = v.values.size();
            file.add(value_name(i, transform->kind(), v.name), {count}, std::move(v.values));
        }
    }
}

SIGMA_IMPL std::string steps_text(const Preprocessing& p) {
    return steps_text(p.steps().size(),
                      [&](std::size_t i) { return std::pair(p.steps()[i].transform->kind(), p.steps()[i].section); });
}

/// Returns the number of steps that a file declares, or 0. Throws DataError.
SIGMA_IMPL std::size_t count_steps(const SafetensorsFile& file) {
    const std::string* text = file.metadata(preprocessing_key);
    if (text == nullptr) return 0;
    std::size_t count = 0;
    if (!sigma::detail::read_number(*text, count) || count > most_steps)
        throw DataError(file.path(), "metadata 'preprocessing'", sentence("a number of steps up to ", most_steps),
                        sentence("'", *text, "'"));
    return count;
}

SIGMA_IMPL const std::string& step_text(const SafetensorsFile& file, std::size_t step, std::string_view of) {
    const std::string key = step_key(step, of);
    const std::string* text = file.metadata(key);
    if (text == nullptr) throw DataError(file.path(), "metadata", sentence("'", key, "'"), "none");
    return *text;
}

SIGMA_IMPL void require_preprocessing(const SafetensorsFile& file, const std::string& where,
                                      const Preprocessing& wanted) {
    const std::string found = steps_text(count_steps(file), [&](std::size_t i) {
        return std::pair(step_text(file, i, "transform"), step_text(file, i, "section"));
    });
    if (const std::string own = steps_text(wanted); own != found)
        throw MismatchError(where, sentence("preprocessing '", own, "'"), sentence("'", found, "'"));
    for (std::size_t i = 0; i < wanted.steps().size(); ++i) {
        const auto& transform = *wanted.steps()[i].transform;
        for (const TransformValue& v : transform.state()) {
            const std::string name = value_name(i, transform.kind(), v.name);
            const TensorInfo* t = file.find(name);
            const std::vector<std::uint64_t> shape{v.values.size()};
            if (t == nullptr || t->shape != shape || t->dtype != Dtype::f64)
                throw MismatchError(where, sentence("'", name, "' ", sigma::detail::shape_text(shape), " of F64"),
                                    t == nullptr ? "no such tensor"
                                                 : sentence(sigma::detail::shape_text(t->shape), " of ",
                                                            sigma::detail::name_of(t->dtype)));
            const auto stored = file.read<double>(name);
            for (std::size_t k = 0; k < stored.size(); ++k)
                if (std::bit_cast<std::uint64_t>(stored[k]) != std::bit_cast<std::uint64_t>(v.values[k]))
                    throw MismatchError(where, sentence("'", name, "'[", k, "] of ", v.values[k]), sentence(stored[k]));
        }
    }
}

SIGMA_IMPL FittedPointer load_step(const std::string& kind, const StoredValues& stored, std::size_t step,
                                   const std::vector<NamedFunction>& functions) {
    try {
        if (const FittedPointer loaded = load_transform(kind, stored)) return loaded;
    } catch (const ArgumentError& e) {
        throw DataError(stored.file, sentence("preprocessing ", step, ", '", kind, "'"), e.expected, e.found);
    }
    const auto given = std::ranges::find(functions, kind, &NamedFunction::name);
    if (given == functions.end())
        throw DataError(
            stored.file, sentence("metadata '", step_key(step, "transform"), "'"),
            sentence("a transform of this library, or a function with this name after the file: {{\"", kind, "\", f}}"),
            sentence("'", kind, "'"));
    return fitted_function(given->name, given->function);
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
        steps.push_back({section, load_step(kind, stored, i, functions)});
        const auto known = steps.back().transform->state();
        used += known.size();
        for (const TransformValue& v : stored.all)
            if (std::ranges::find(known, v.name, &TransformValue::name) == known.end())
                stored.refuse(v.name, "no such tensor", "one");
    }
    std::size_t there = 0;
    for (const TensorInfo& t : file.tensors()) there += is_preprocessing(t.name) ? 1 : 0;
    if (there != used)
        throw DataError(file.path(), "", sentence(used, " tensors 'preprocessing.*' of ", steps.size(), " steps"),
                        sentence(there));
    return Preprocessing(std::move(steps));
}

SIGMA_IMPL std::vector<NamedFunction> functions_not_given(const SafetensorsFile& file) {
    std::vector<NamedFunction> all;
    for (std::size_t i = 0, count = count_steps(file); i < count; ++i) {
        const auto missing = [name = step_text(file, i, "transform")](auto x) -> decltype(x) {
            throw ArgumentError(sentence("function '", name, "' of the preprocessing"),
                                sentence("the function, passed as load_model(file, {{\"", name, "\", f}})"),
                                "only its name in the file");
        };
        all.push_back({step_text(file, i, "transform"), missing});
    }
    return all;
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
