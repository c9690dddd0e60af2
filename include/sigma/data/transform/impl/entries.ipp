// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/data/transform/entries.hpp>

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

}  // namespace sigma::data::detail
