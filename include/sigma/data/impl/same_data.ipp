// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/classes.hpp>
#include <sigma/data/same_data.hpp>
#include <sigma/data/transform/fitted.hpp>
#include <sigma/data/transform/preprocessing_file.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace sigma::data::detail {

SIGMA_IMPL void require_same_classes(const Dataset& training, const Dataset& other) {
    if (training.shares_storage(other) || sigma::detail::classes_agree(training.classes(), other.classes())) return;
    sigma::detail::throw_other_classes<ArgumentError>(
        sentence("dataset '", other.name(), "'"), training.classes(),
        sentence("as in the training data '", training.name(), "' (read it with labels(column, training.classes()))"),
        other.classes());
}

SIGMA_IMPL void require_same_preprocessing(const Dataset& training, const Dataset& other) {
    if (training.shares_storage(other)) return;
    require_same_preprocessing(training.preprocessing(), sentence("the training data '", training.name(), "'"), other);
}

SIGMA_IMPL void require_same_preprocessing(const Preprocessing& wanted, const std::string& of, const Dataset& other) {
    const Preprocessing& found = other.preprocessing();
    if (alike(wanted, found)) return;
    const std::string where = sentence("dataset '", other.name(), "'");
    const std::string own = steps_text(wanted), its = steps_text(found);
    if (own != its)
        throw ArgumentError(
            where,
            sentence("preprocessing '", own, "' as in ", of,
                     " (write data >> p, or make_dataset(x, y, name, classes, p) for arrays that p made)"),
            sentence("'", its, "'"));
    for (std::size_t i = 0; i < wanted.steps().size(); ++i) {
        const std::string kind = wanted.steps()[i].transform->kind();
        const auto a = wanted.steps()[i].transform->state(), b = found.steps()[i].transform->state();
        for (std::size_t v = 0; v < a.size() && v < b.size(); ++v) {
            const std::string name = sentence("'", value_name(i, kind, a[v].name), "'");
            if (a[v].values.size() != b[v].values.size())
                throw ArgumentError(where, sentence(name, " of ", a[v].values.size(), " numbers as in ", of),
                                    sentence(b[v].values.size()));
            for (std::size_t k = 0; k < a[v].values.size(); ++k)
                if (!same_bits(a[v].values[k], b[v].values[k]))
                    throw ArgumentError(where, sentence(name, "[", k, "] of ", a[v].values[k], " as in ", of),
                                        sentence(b[v].values[k]));
        }
    }
}

SIGMA_IMPL bool same_records(const Dataset& a, const Dataset& b) {
    if (a.size() != b.size() || a.input_count() != b.input_count() || a.target_count() != b.target_count())
        return false;
    for (std::size_t i = 0; i < a.input_count(); ++i)
        if (a.input_name(i) != b.input_name(i) || !std::ranges::equal(a.input_shape(i), b.input_shape(i))) return false;
    for (std::size_t i = 0; i < a.target_count(); ++i)
        if (a.target_name(i) != b.target_name(i) || !std::ranges::equal(a.target_shape(i), b.target_shape(i)))
            return false;
    std::vector<double> ours, theirs;
    const auto same = [&](std::size_t size, const auto& copy) {
        ours.resize(size);
        theirs.resize(size);
        copy(a, ours.data());
        copy(b, theirs.data());
        return ours == theirs;
    };
    for (std::size_t r = 0; r < a.size(); ++r) {
        const std::array record{r};
        for (std::size_t i = 0; i < a.input_count(); ++i)
            if (!same(a.input_size(i), [&](const Dataset& of, double* to) { of.copy_inputs(record, to, 0, i); }))
                return false;
        for (std::size_t i = 0; i < a.target_count(); ++i)
            if (!same(a.target_size(i), [&](const Dataset& of, double* to) { of.copy_targets(record, to, 0, i); }))
                return false;
    }
    return true;
}

}  // namespace sigma::data::detail
