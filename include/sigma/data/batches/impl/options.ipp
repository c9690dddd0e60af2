// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/batches/alias_table.hpp>
#include <sigma/data/batches/options.hpp>
#include <sigma/data/split.hpp>

#include <map>

namespace sigma::data::detail {

SIGMA_IMPL std::string of_minibatches(const char* word, const Minibatches& batches) {
    return sentence(word, " of minibatches of dataset '", batches.dataset.name(), "'");
}

}  // namespace sigma::data::detail

namespace sigma::data {

SIGMA_IMPL detail::Prefetch prefetch(sigma::detail::Integer batches) {
    if (!batches.within(0, 1000)) throw ArgumentError("prefetch", "0 to 1000 batches", sentence(batches.text()));
    return {static_cast<std::size_t>(batches.value())};
}

SIGMA_IMPL detail::Shard shard(sigma::detail::Integer number, sigma::detail::Integer count) {
    if (!count.within(1, 1000000)) throw ArgumentError("shard", "1 to 1000000 parts", sentence(count.text()));
    if (!number.within(0, count.value() - 1))
        throw ArgumentError("shard", sentence("a part from 0 to ", count.value() - 1), sentence(number.text()));
    return {static_cast<std::size_t>(number.value()), static_cast<std::size_t>(count.value())};
}

}  // namespace sigma::data

namespace sigma {

SIGMA_IMPL Minibatches operator>>(Minibatches batches, data::detail::DropLast) {
    batches.drops_last = true;
    return batches;
}

SIGMA_IMPL Minibatches operator>>(Minibatches batches, data::detail::Prefetch p) {
    batches.prefetch = p.batches;
    return batches;
}

SIGMA_IMPL Minibatches operator>>(Minibatches batches, data::detail::Shard s) {
    if (batches.shards != 1)
        throw ArgumentError(data::detail::of_minibatches("shard", batches), "minibatches that are no part yet",
                            sentence("part ", batches.shard, " of ", batches.shards));
    batches.shard = s.number;
    batches.shards = s.count;
    return batches;
}

SIGMA_IMPL Minibatches operator>>(Minibatches batches, data::detail::Weighted w) {
    const std::string where = data::detail::of_minibatches("weights", batches);
    if (w.weights.size() != batches.dataset.size())
        throw ArgumentError(where, sentence(batches.dataset.size(), " weights, one for each record"),
                            sentence(w.weights.size()));
    if (batches.undivided) throw ArgumentError(where, "minibatches that are drawn", "undivided data");
    batches.weights = detail::SharedOwner<const data::AliasTable>::make(w.weights, where);
    batches.draws = w.draws == 0 ? batches.dataset.size() : w.draws;
    return batches;
}

SIGMA_IMPL Minibatches operator>>(Minibatches batches, data::detail::Balanced) {
    const Dataset& d = batches.dataset;
    if (!detail::has_classes(d)) detail::check_has_labels(d);
    std::vector<float> classes(d.size());
    d.for_each_position([&](std::size_t i) { classes[i] = d.target(i)[0]; });
    std::map<float, double> counts;
    for (const float c : classes) ++counts[c];
    std::vector<double> weights;
    for (const float c : classes) weights.push_back(1 / counts[c]);
    return std::move(batches) >> data::detail::Weighted{std::move(weights), 0};
}

SIGMA_IMPL Minibatches operator>>(Minibatches batches, data::detail::Seeded s) {
    batches.seed = s.seed;
    return batches;
}

SIGMA_IMPL Minibatches operator>>(Minibatches batches, const data::AugmentStep& step) {
    const Dataset& d = batches.dataset;
    std::size_t which = 0;
    while (which < d.input_count() && !step.section.empty() && d.input_name(which) != step.section) ++which;
    if (which == d.input_count()) {
        // The only input of a dataset may have no name; `inputs` then means it.
        if (d.input_count() != 1 || !d.input_name(0).empty() || step.section != "inputs")
            throw ArgumentError(data::detail::of_minibatches("augment", batches), "the name of an input",
                                sentence("'", step.section, "'"));
        which = 0;
    }
    step.augmentation.check(d.input_shape(which));
    batches.augmentations.resize(d.input_count());
    batches.augmentations[which] = batches.augmentations[which] >> step.augmentation;
    return batches;
}

}  // namespace sigma
