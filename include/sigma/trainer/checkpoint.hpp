// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/field.hpp>
#include <sigma/core/version.hpp>
#include <sigma/data/minibatches.hpp>
#include <sigma/data/transform/entries.hpp>
#include <sigma/hook/group.hpp>
#include <sigma/network/parameters_file.hpp>
#include <sigma/optimizer/check.hpp>
#include <sigma/trainer/run_record.hpp>
#include <sigma/worker/step.hpp>

#include <cstdio>

namespace sigma {

enum class HooksFromFile {
    all,     ///< the trainer must have the hooks that wrote the file: they go on where they were
    ignore,  ///< hooks start afresh
};

namespace detail {

/// What a checkpoint of a trainer consists of. Tensors: parameters under their names, "1-dense.weights", states of the
/// optimizer as "optimizer.mean.1-dense.weights", hooks as "hooks.0.state", what the data's transforms have learned as
/// "preprocessing.0.standardize.mean". All else is metadata.
template <class N, class O, class T, class Trainer>
struct CheckpointParts {
    const std::string& name;
    Model<N, T>& model;
    Step<N, O, T>& step;
    O& optimizer;
    Minibatches& batches;
    std::vector<std::unique_ptr<AnyHookGroup<Trainer>>>& groups;
};

/// "0-input (28, 28) + 1-dense (128) + …": layers with their output and costs with their importance.
template <class N>
std::string network_text() {
    std::string all;
    for (const LayerRecord& r : NetworkRecords<N>::records.layers)
        all += sentence(all.empty() ? "" : " + ", r.name.view(), " ", extents_text(r.output));
    for (const CostRecord& r : NetworkRecords<N>::records.costs) all += sentence(" + ", r.name.view(), " * ", r.importance);
    return all;
}
template <class O>
std::string optimizer_name() {
    const std::string_view name = name_of_optimizer<O>();
    return std::string(name.empty() ? "of this program" : name);
}
template <class N, class O, class T>
std::string state_name(int s) {
    const StateRecord& r = Step<N, O, T>::states[s];
    return sentence("optimizer.", r.name.view(), ".", Model<N, T>::records.parameters[r.parameter].name.view());
}

/// What is trained: the network as in training, with its losses and all their options.
template <class N>
struct TrainingFingerprint {
    static constexpr std::uint64_t make() {
        Program p;
        const auto trace = trace_network<N>(p, true);
        const Losses losses = trace_losses<N>(p, trace);
        ProgramFingerprint f(p.tape, trace.context.parameters);
        f.result(losses.total.id);
        for (const StatisticUpdate& u : trace.context.updates) f.effect(u.target, u.value);
        for (const ParameterRecord& r : trace.context.parameters)
            if (r.trained) f.fact(r.name.view());
        return f.value();
    }
    static constexpr std::uint64_t value = make();
};

/// What could not be loaded is not written.
template <class N, class O, class T, class Trainer>
void require_finite(std::uint64_t iteration, const CheckpointParts<N, O, T, Trainer>& parts) {
    const auto check = [&](const ParameterRows<const T>& rows, const std::string& name) {
        for (std::size_t r = 0; r < rows.count; ++r)
            if (const std::size_t at = first_not_finite(rows[r]); at < rows.columns)
                throw NumericError(iteration, "",
                                   sentence("no checkpoint is written with ", rows[r][at], " in tensor '", name, "'"));
    };
    for (int p = 0; p < Model<N, T>::parameter_count; ++p)
        check(parameter_rows(std::as_const(parts.model), p),
              std::string(Model<N, T>::records.parameters[p].name.view()));
    for (int s = 0; s < Step<N, O, T>::states.size(); ++s)
        check(std::as_const(parts.step).state_rows(s), state_name<N, O, T>(s));
}

/// The file as bytes.
template <class N, class O, class T, class Trainer>
std::vector<std::byte> write_checkpoint(const CheckpointParts<N, O, T, Trainer>& parts, RunRecord run, double runtime,
                                        const std::string& frozen) {
    SafetensorsWriter file;
    require_finite(run.iteration, parts);
    add_parameters(file, parts.model, "sigma trainer 2");
    for (int s = 0; s < Step<N, O, T>::states.size(); ++s)
        add_rows(file, state_name<N, O, T>(s), Step<N, O, T>::states[s].shape, std::as_const(parts.step).state_rows(s));
    for (std::size_t g = 0; g < parts.groups.size(); ++g) {
        Archive archive;
        parts.groups[g]->archive(archive);
        file.metadata(sentence("hooks.", g), parts.groups[g]->text());
        auto words = archive.words();
        file.add(sentence("hooks.", g, ".state"), {words.size()}, std::move(words));
        for (std::size_t b = 0; b < archive.blobs().size(); ++b) {
            const auto* bytes = reinterpret_cast<const std::uint8_t*>(archive.blobs()[b].data());
            std::vector<std::uint8_t> blob(bytes, bytes + archive.blobs()[b].size());
            file.add(sentence("hooks.", g, ".blob.", b), {blob.size()}, std::move(blob));
        }
    }
    data::detail::add_preprocessing(file, data::detail::preprocessing_of(parts.batches.dataset));
    file.metadata("training", storage::hexadecimal(TrainingFingerprint<N>::value))
        .metadata("library", sentence("sigma ", library_version))
        .metadata("trainer", parts.name);
    file.metadata("network", network_text<N>()).metadata("frozen", frozen);
    file.metadata("seed", number_text(parts.model.seed())).metadata("runtime", number_text(runtime));
    file.metadata("optimizer", optimizer_name<O>());
    for_each_field(parts.optimizer, [&](std::string_view field, double x) {
        file.metadata(sentence("optimizer.", field), number_text(x));
    });
    file.metadata("data", parts.batches.dataset.name());
    file.metadata("data.records", number_text(parts.batches.dataset.size()));
    file.metadata("data.batch_size", number_text(parts.batches.size));
    file.metadata("data.seed", number_text(parts.batches.seed));
    file.metadata("data.shuffling", parts.batches.shuffling ? "yes" : "no");
    for (const auto& [key, value] : parts.batches.options()) file.metadata(sentence("data.", key), value);
    run.visit([&](const std::string& key, auto& x) { file.metadata("run." + key, number_text(x)); });
    return file.image();
}

struct LoadedRun {
    RunRecord run;
    double runtime = 0;
    std::string frozen;
};

/// Sets all parts to what the file says. Throws, before anything is changed, where it does not fit.
template <class N, class O, class T, class Trainer>
LoadedRun read_checkpoint(const SafetensorsFile& file, const CheckpointParts<N, O, T, Trainer>& parts, HooksFromFile hooks) {
    const auto text = [&](const std::string& key) -> const std::string& {
        const std::string* found = file.metadata(key);
        if (found == nullptr) throw DataError(file.path(), "metadata", sentence("'", key, "'"), "none");
        return *found;
    };
    const std::string where = sentence("checkpoint '", file.path(), "' for trainer '", parts.name, "'");
    const auto require = [&](const char* what, const std::string& wanted, const std::string& found) {
        if (wanted != found) throw MismatchError(where, sentence(what, " '", wanted, "'"), sentence("'", found, "'"));
    };
    const bool sealed = verified(file), older = !sealed && text("format") == "sigma trainer 1";
    if (older)
        std::fprintf(stderr, "%s: a checkpoint of an older version, without a checksum\n", file.path().c_str());
    else
        require("format", "sigma trainer 2", text("format"));

    std::vector<TensorReader<T>> readers;
    Differences differences;
    const auto expect = [&](std::string tensor, const ParameterRows<T>& rows) {
        if (differences.fits(file, tensor, rows.shape)) readers.push_back({std::move(tensor), rows});
    };
    for (int p = 0; p < Model<N, T>::parameter_count; ++p)
        expect(std::string(Model<N, T>::records.parameters[p].name.view()), parameter_rows(parts.model, p));
    differences.throw_if_any(where);
    require("network", network_text<N>(), text("network"));
    require_architecture<N>(file, where, "");
    const std::string training = storage::hexadecimal(TrainingFingerprint<N>::value);
    if (sealed && text("training") != training)
        throw MismatchError(where, sentence("the same network trained in the same way, ", training),
                            sentence("one whose dropout, noise, losses or frozen layers differ, ", text("training")));
    require("optimizer", optimizer_name<O>(), text("optimizer"));
    for (int s = 0; s < Step<N, O, T>::states.size(); ++s) expect(state_name<N, O, T>(s), parts.step.state_rows(s));
    std::vector<std::string> known;
    for (const auto& r : readers) known.push_back(r.name);
    for (const TensorInfo& t : file.tensors())
        if (!t.name.starts_with("hooks.") && !data::detail::is_preprocessing(t.name) && std::ranges::find(known, t.name) == known.end())
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
    require("number of records", number_text(parts.batches.dataset.size()), text("data.records"));
    require("batch size", number_text(parts.batches.size), text("data.batch_size"));
    data::detail::require_preprocessing(file, where, data::detail::preprocessing_of(parts.batches.dataset));
    const ClassNames classes = stored_classes(file), &own = parts.batches.dataset.classes();
    if (!classes_agree(own, classes) || !classes_agree(classes, own))
        throw_other_classes<MismatchError>(where, own, "", classes);
    for (const auto& [key, value] : parts.batches.options()) {
        const std::string* written = file.metadata(sentence("data.", key));
        if (written != nullptr) require(key, value, *written);
    }
    const auto batches_seed = number_from<std::uint64_t>(file, "data.seed");
    if (loaded.run.batch > parts.batches.batches_per_epoch())
        throw DataError(file.path(), "metadata 'run.batch'", sentence("at most ", parts.batches.batches_per_epoch()),
                        number_text(loaded.run.batch));
    O optimizer = parts.optimizer;
    for_each_field(optimizer, [&](std::string_view field, double& x) {
        x = number_from<double>(file, sentence("optimizer.", field));
    });
    std::vector<Archive> archives;
    if (hooks == HooksFromFile::all) {
        for (std::size_t g = 0; g < parts.groups.size(); ++g) {
            const std::string* sentences = file.metadata(sentence("hooks.", g));
            require("hooks", parts.groups[g]->text(), sentences ? *sentences : "none");
            std::vector<std::vector<std::byte>> blobs;
            for (std::size_t b = 0; file.find(sentence("hooks.", g, ".blob.", b)) != nullptr; ++b)
                blobs.push_back(file.bytes(sentence("hooks.", g, ".blob.", b)));
            archives.emplace_back(file.read<std::uint64_t>(sentence("hooks.", g, ".state")), std::move(blobs));
        }
        if (const std::string* more = file.metadata(sentence("hooks.", parts.groups.size()))) require("hooks", "none", *more);
    }

    const bool shuffling = text("data.shuffling") == "yes";
    for (auto& reader : readers) reader.read(file);

    std::vector<Archive> before(archives.size());
    for (std::size_t g = 0; g < archives.size(); ++g) parts.groups[g]->archive(before[g]);
    try {
        for (std::size_t g = 0; g < archives.size(); ++g) {
            parts.groups[g]->archive(archives[g]);
            if (!archives[g].finished())
                throw DataError(file.path(), sentence("tensor 'hooks.", g, ".state'"), "the state of these hooks", "more than that");
        }
    } catch (...) {
        for (std::size_t g = 0; g < archives.size(); ++g) {
            Archive back(before[g].words(), before[g].blobs());
            parts.groups[g]->archive(back);
        }
        throw;
    }
    for (const auto& reader : readers) reader.store();
    if (!classes.empty()) parts.model.set_classes(classes);
    parts.optimizer = optimizer;
    parts.model.set_seed(seed);
    parts.step.set_seed(seed);
    parts.batches.seed = batches_seed;
    parts.batches.shuffling = shuffling;
    return loaded;
}

}  // namespace detail
}  // namespace sigma
