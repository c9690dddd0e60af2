// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/core/version.hpp>
#include <sigma/data/transform/entries.hpp>
#include <sigma/network/stored_classes.hpp>
#include <sigma/network/tensor_file.hpp>
#include <sigma/storage/safetensors.hpp>
#include <sigma/trainer/checkpoint.hpp>

#include <algorithm>
#include <cstdio>
#include <string_view>
#include <utility>

namespace sigma::detail {

/// A number in the metadata of a file.
template <class X>
X number_from(const SafetensorsFile& file, const std::string& key) {
    const std::string* text = file.metadata(key);
    if (text == nullptr) throw DataError(file.path(), "metadata", sentence("'", key, "'"), "none");
    X x{};
    if (!read_number(*text, x))
        throw DataError(file.path(), sentence("metadata '", key, "'"), "a number", sentence("'", *text, "'"));
    return x;
}

/// "0-input (28, 28) + 1-dense (128) + …": layers with their output and costs with their importance.
SIGMA_IMPL std::string network_text(const NetworkTable& network) {
    std::string all;
    for (const LayerRecord& r : network.layers)
        all += sentence(all.empty() ? "" : " + ", r.name.view(), " ", extents_text(r.output));
    for (const CostRecord& r : network.costs) all += sentence(" + ", r.name.view(), " * ", r.importance);
    return all;
}

SIGMA_IMPL std::string optimizer_name(const OptimizerTable& optimizer) {
    return std::string(optimizer.name.empty() ? "of this program" : optimizer.name);
}

template <class T>
std::string Checkpoint<T>::state_name(int s) const {
    const StateRecord& r = state_table[s];
    return sentence("optimizer.", r.name.view(), ".", model.network().parameters[r.parameter].name.view());
}

template <class T>
ParameterRows<const T> Checkpoint<T>::state_rows(int s) const {
    const Shape& shape = state_table[s].shape;
    return rows_of(states.read(s), shape, padded_row(shape, lanes));
}

template <class T>
void Checkpoint<T>::require_finite(std::uint64_t iteration) const {
    const auto check = [&](const auto& rows, const std::string& tensor) {
        for (std::size_t r = 0; r < rows.count; ++r)
            if (const std::size_t at = TensorFile<T>::first_not_finite(rows[r]); at < rows.columns)
                throw NumericError(
                    iteration, "",
                    sentence("no checkpoint is written with ", rows[r][at], " in tensor '", tensor, "'"));
    };
    for (int p = 0; p < model.network().parameters.size(); ++p)
        check(parameter_rows(std::as_const(model), p), std::string(model.network().parameters[p].name.view()));
    for (int s = 0; s < state_table.size(); ++s) check(state_rows(s), state_name(s));
}

template <class T>
std::vector<std::byte> Checkpoint<T>::write(RunRecord run, double runtime, const std::string& frozen) const {
    SafetensorsWriter file;
    require_finite(run.iteration);
    TensorFile<T>::add_parameters(file, model, "sigma trainer 2");
    for (int s = 0; s < state_table.size(); ++s)
        TensorFile<T>::add_rows(file, state_name(s), state_table[s].shape, state_rows(s));
    for (std::size_t g = 0; g < groups.size(); ++g) {
        Archive archive;
        groups[g]->archive(archive);
        file.metadata(sentence("hooks.", g), groups[g]->text());
        auto words = archive.words();
        file.add(sentence("hooks.", g, ".state"), {words.size()}, std::move(words));
        for (std::size_t b = 0; b < archive.blobs().size(); ++b) {
            const auto* bytes = reinterpret_cast<const std::uint8_t*>(archive.blobs()[b].data());
            std::vector<std::uint8_t> blob(bytes, bytes + archive.blobs()[b].size());
            file.add(sentence("hooks.", g, ".blob.", b), {blob.size()}, std::move(blob));
        }
    }
    data::detail::add_preprocessing(file, data::detail::preprocessing_of(batches.dataset));
    file.metadata("training", hexadecimal(training))
        .metadata("library", sentence("sigma ", library_version))
        .metadata("trainer", name);
    file.metadata("network", network_text(model.network())).metadata("frozen", frozen);
    file.metadata("seed", sentence(model.seed())).metadata("runtime", sentence(runtime));
    file.metadata("optimizer", optimizer_name(optimizer_table));
    optimizer_table.for_each_field(optimizer, [&](std::string_view field, const NumberRange&, double x) {
        file.metadata(sentence("optimizer.", field), sentence(x));
    });
    file.metadata("data", batches.dataset.name());
    file.metadata("data.records", sentence(batches.dataset.size()));
    file.metadata("data.batch_size", sentence(batches.size));
    file.metadata("data.seed", sentence(batches.seed));
    file.metadata("data.shuffling", batches.shuffling ? "yes" : "no");
    for (const auto& [key, value] : batches.options()) file.metadata(sentence("data.", key), value);
    run.visit([&](const std::string& key, auto& x) { file.metadata("run." + key, sentence(x)); });
    return file.image();
}

template <class T>
LoadedRun Checkpoint<T>::read(const SafetensorsFile& file, HooksFromFile hooks) const {
    const auto text = [&](const std::string& key) -> const std::string& {
        const std::string* found = file.metadata(key);
        if (found == nullptr) throw DataError(file.path(), "metadata", sentence("'", key, "'"), "none");
        return *found;
    };
    const std::string where = sentence("checkpoint '", file.path(), "' for trainer '", name, "'");
    const auto require = [&](const char* what, const std::string& wanted, const std::string& found) {
        if (wanted != found) throw MismatchError(where, sentence(what, " '", wanted, "'"), sentence("'", found, "'"));
    };
    const bool sealed = verified(file), older = !sealed && text("format") == "sigma trainer 1";
    if (older) std::fprintf(stderr, "%s: a checkpoint of an older version, without a checksum\n", file.path().c_str());
    else require("format", "sigma trainer 2", text("format"));

    std::vector<TensorReader<T>> readers;
    Differences differences;
    const auto expect = [&](std::string tensor, const ParameterRows<T>& rows) {
        if (differences.fits(file, tensor, rows.shape)) readers.push_back({std::move(tensor), rows});
    };
    const NetworkTable& network = model.network();
    for (int p = 0; p < network.parameters.size(); ++p)
        expect(std::string(network.parameters[p].name.view()), parameter_rows(model, p));
    differences.throw_if_any(where);
    require("network", network_text(network), text("network"));
    require_architecture(network, file, where, "");
    const std::string trained = hexadecimal(training);
    if (sealed && text("training") != trained)
        throw MismatchError(where, sentence("the same network trained in the same way, ", trained),
                            sentence("one whose dropout, noise, losses or frozen layers differ, ", text("training")));
    require("optimizer", optimizer_name(optimizer_table), text("optimizer"));
    for (int s = 0; s < state_table.size(); ++s)
        expect(state_name(s), rows_of(states.write(s), state_table[s].shape, padded_row(state_table[s].shape, lanes)));
    std::vector<std::string> known;
    for (const auto& r : readers) known.push_back(r.name);
    for (const TensorInfo& t : file.tensors())
        if (!t.name.starts_with("hooks.") && !data::detail::is_preprocessing(t.name) &&
            std::ranges::find(known, t.name) == known.end())
            differences.unknown(t.name, t.shape);
    differences.throw_if_any(where);
    for (const auto& r : readers)
        if (file.find(r.name)->dtype != dtype_of<T>)
            throw MismatchError(where, sentence("tensor '", r.name, "' of ", name_of(dtype_of<T>)),
                                std::string(name_of(file.find(r.name)->dtype)));

    LoadedRun loaded;
    loaded.run.visit([&]<class X>(const std::string& key, X& x) { x = number_from<X>(file, "run." + key); });
    loaded.runtime = number_from<double>(file, "runtime");
    loaded.frozen = text("frozen");
    const auto seed = number_from<std::uint64_t>(file, "seed");
    require("number of records", sentence(batches.dataset.size()), text("data.records"));
    require("batch size", sentence(batches.size), text("data.batch_size"));
    data::detail::require_preprocessing(file, where, data::detail::preprocessing_of(batches.dataset));
    const ClassNames classes = stored_classes(file), &own = batches.dataset.classes();
    if (!classes_agree(own, classes) || !classes_agree(classes, own))
        throw_other_classes<MismatchError>(where, own, "", classes);
    for (const auto& [key, value] : batches.options()) {
        const std::string* written = file.metadata(sentence("data.", key));
        if (written != nullptr) require(key, value, *written);
    }
    const auto batches_seed = number_from<std::uint64_t>(file, "data.seed");
    if (loaded.run.batch > batches.batches_per_epoch())
        throw DataError(file.path(), "metadata 'run.batch'", sentence("at most ", batches.batches_per_epoch()),
                        sentence(loaded.run.batch));
    std::vector<double> numbers;
    optimizer_table.for_each_field(optimizer, [&](std::string_view field, const NumberRange&, double&) {
        numbers.push_back(number_from<double>(file, sentence("optimizer.", field)));
    });
    std::vector<Archive> archives;
    if (hooks == HooksFromFile::all) {
        for (std::size_t g = 0; g < groups.size(); ++g) {
            const std::string* sentences = file.metadata(sentence("hooks.", g));
            require("hooks", groups[g]->text(), sentences ? *sentences : "none");
            std::vector<std::vector<std::byte>> blobs;
            for (std::size_t b = 0; file.find(sentence("hooks.", g, ".blob.", b)) != nullptr; ++b)
                blobs.push_back(file.bytes(sentence("hooks.", g, ".blob.", b)));
            archives.emplace_back(file.read<std::uint64_t>(sentence("hooks.", g, ".state")), std::move(blobs));
        }
        if (const std::string* more = file.metadata(sentence("hooks.", groups.size()))) require("hooks", "none", *more);
    }

    const bool shuffling = text("data.shuffling") == "yes";
    for (auto& reader : readers) reader.read(file);

    std::vector<Archive> before(archives.size());
    for (std::size_t g = 0; g < archives.size(); ++g) groups[g]->archive(before[g]);
    try {
        for (std::size_t g = 0; g < archives.size(); ++g) {
            groups[g]->archive(archives[g]);
            if (!archives[g].finished())
                throw DataError(file.path(), sentence("tensor 'hooks.", g, ".state'"), "the state of these hooks",
                                "more than that");
        }
    } catch (...) {
        for (std::size_t g = 0; g < archives.size(); ++g) {
            Archive back(before[g].words(), before[g].blobs());
            groups[g]->archive(back);
        }
        throw;
    }
    for (const auto& reader : readers) reader.store();
    if (!classes.empty()) model.set_classes(classes);
    std::size_t next = 0;
    optimizer_table.for_each_field(optimizer,
                                   [&](std::string_view, const NumberRange&, double& x) { x = numbers[next++]; });
    model.set_seed(seed);
    batches.seed = batches_seed;
    batches.shuffling = shuffling;
    return loaded;
}

}  // namespace sigma::detail

#ifdef SIGMA_COMPILED
template struct sigma::detail::Checkpoint<float>;
template struct sigma::detail::Checkpoint<double>;
#endif
