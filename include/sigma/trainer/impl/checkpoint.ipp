// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/core/scope.hpp>
#include <sigma/core/version.hpp>
#include <sigma/data/transform/preprocessing_file.hpp>
#include <sigma/hook/file_name.hpp>
#include <sigma/network/tensor_file.hpp>
#include <sigma/storage/safetensors.hpp>
#include <sigma/trainer/checkpoint.hpp>

#include <algorithm>
#include <string_view>
#include <utility>

namespace sigma::detail {

/// Returns a number in the metadata of a file.
template <class X>
X number_from(const SafetensorsFile& file, const std::string& key) {
    const std::string* text = file.metadata(key);
    if (text == nullptr) throw DataError(file.path(), "metadata", sentence("'", key, "'"), "none");
    X x{};
    if (!read_number(*text, x))
        throw DataError(file.path(), sentence("metadata '", key, "'"), "a number", sentence("'", *text, "'"));
    return x;
}

inline std::string hyperparameter_key(const HyperparameterRecord& h) {
    return sentence("hyperparameter.", h.name.view());
}
SIGMA_IMPL std::string optimizer_name(const OptimizerTable& optimizer) {
    return std::string(optimizer.name.empty() ? "of this program" : optimizer.name);
}

template <class T>
bool WorkerStates<T>::are_of(std::span<const T> states) const {
    return !of_each.empty() && std::ranges::equal(average, states);
}

SIGMA_IMPL std::string worker_state_name(std::size_t worker, const std::string& state) {
    return sentence("workers.", worker + 1, ".", state);
}

template <class T>
std::string Checkpoint<T>::parameter_name(int p) const {
    return std::string(model.network().parameters[p].name.view());
}

template <class T>
std::string Checkpoint<T>::state_name(int s) const {
    const StateRecord& r = state_table[s];
    return sentence("optimizer.", r.name.view(), ".", parameter_name(r.parameter));
}

template <class T>
ParameterRows<const T> Checkpoint<T>::state_rows(int s) const {
    const Shape& shape = state_table[s].shape;
    return rows_of(states.read(s), shape, row_pitch(shape, lanes));
}

template <class T>
void Checkpoint<T>::require_finite(std::uint64_t iteration) const {
    const auto examine = [&](const auto& rows, const std::string& tensor) {
        for (std::size_t r = 0; r < rows.count; ++r)
            if (const std::size_t at = TensorFile<T>::first_not_finite(rows[r]); at < rows.columns)
                throw NumericError(
                    iteration, "",
                    sentence("no checkpoint is written with ", rows[r][at], " in tensor '", tensor, "'"));
    };
    for (int p = 0; p < model.network().parameters.size(); ++p)
        examine(parameter_rows(std::as_const(model), p), parameter_name(p));
    for (int s = 0; s < state_table.size(); ++s) examine(state_rows(s), state_name(s));
}

template <class T>
std::vector<std::byte> Checkpoint<T>::write(RunRecord run, double runtime, const std::string& frozen) const {
    SafetensorsWriter file;
    require_finite(run.iteration);
    TensorFile<T>::add_parameters(file, model, "sigma trainer 2");
    for (int s = 0; s < state_table.size(); ++s)
        TensorFile<T>::add_rows(file, state_name(s), state_table[s].shape, state_rows(s));
    if (workers.are_of(std::as_const(states).read_all())) {
        file.metadata("workers", sentence(workers.of_each.size()));
        for (std::size_t w = 0; w < workers.of_each.size(); ++w)
            for (int s = 0; s < state_table.size(); ++s)
                TensorFile<T>::add_rows(file, worker_state_name(w, state_name(s)), state_table[s].shape,
                                        worker_rows(std::span<const T>(workers.of_each[w]), s));
    }
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
        .metadata("library", sentence("sigma ", version()))
        .metadata("trainer", name);
    file.metadata("frozen", frozen);
    file.metadata("seed", sentence(model.seed())).metadata("runtime", sentence(runtime));
    file.metadata("optimizer", optimizer_name(optimizer_table));
    optimizer_table.for_each_field(optimizer, [&](std::string_view field, const NumberRange&, double x) {
        file.metadata(sentence("optimizer.", field), sentence(x));
    });
    const auto& hyperparameters = model.network().hyperparameters;
    for (int i = 0; i < hyperparameters.size(); ++i)
        file.metadata(hyperparameter_key(hyperparameters[i]), sentence(model.hyperparameter(i)));
    if (optimizer_table.batches != nullptr) file.metadata("accumulate", sentence(optimizer_table.batches(optimizer)));
    file.metadata("data", batches.dataset.name());
    file.metadata("data.records", sentence(batches.dataset.size()));
    file.metadata("data.batch_size", sentence(batches.size));
    file.metadata("data.seed", sentence(batches.seed));
    file.metadata("data.shuffling", batches.shuffling ? "yes" : "no");
    for (const auto& [key, value] : batches.options()) file.metadata(sentence("data.", key), value);
    run.visit([&](const std::string& key, auto& x) { file.metadata("run." + key, sentence(x)); });
    return file.image();
}

// ---- reading: parse, check, apply ----

/// The contents of a checkpoint file, independent of the trainer.
struct CheckpointContents {
    const SafetensorsFile& file;
    std::string where;  ///< beginning of error texts
    LoadedRun loaded{};
    std::uint64_t seed = 0, batches_seed = 0;
    bool shuffling = false;
    ClassNames classes{};
    struct Hooks {
        std::string text;
        Archive state;
    };
    std::vector<Hooks> hooks{};

    const std::string& text(const std::string& key) const {
        const std::string* found = file.metadata(key);
        if (found == nullptr) throw DataError(file.path(), "metadata", sentence("'", key, "'"), "none");
        return *found;
    }
    void require(std::string_view what, const std::string& wanted, const std::string& found) const {
        if (wanted != found) throw MismatchError(where, sentence(what, " '", wanted, "'"), sentence("'", found, "'"));
    }
};

/// Returns the number of workers with separate states in a file; 0 if there are none.
SIGMA_IMPL std::size_t workers_of(const SafetensorsFile& file) {
    if (file.metadata("workers") == nullptr) return 0;
    const auto count = number_from<std::uint64_t>(file, "workers");
    if (count < 2 || count > 256) throw DataError(file.path(), "metadata 'workers'", "from 2 to 256", sentence(count));
    return static_cast<std::size_t>(count);
}

/// The checked contents of a file, ready to be applied.
template <class T>
struct CheckedCheckpoint {
    std::vector<TensorReader<T>> tensors{};
    std::vector<double> optimizer{}, hyperparameters{};  ///< hyperparameters of the optimizer, and of the network
    std::vector<std::vector<T>> workers{};
};

SIGMA_IMPL CheckpointContents parse_checkpoint(const SafetensorsFile& file, const std::string& trainer,
                                               HooksFromFile hooks) {
    CheckpointContents c{file, sentence("checkpoint '", file.path(), "' for trainer '", trainer, "'")};
    verified(file);
    c.require("format", "sigma trainer 2", c.text("format"));
    c.loaded.run.visit([&]<class X>(const std::string& key, X& x) { x = number_from<X>(file, "run." + key); });
    c.loaded.runtime = number_from<double>(file, "runtime");
    c.loaded.frozen = c.text("frozen");
    c.seed = number_from<std::uint64_t>(file, "seed");
    c.batches_seed = number_from<std::uint64_t>(file, "data.seed");
    c.shuffling = c.text("data.shuffling") == "yes";
    c.classes = stored_classes(file);
    if (hooks == HooksFromFile::ignore) return c;
    for (std::size_t g = 0; const std::string* sentences = file.metadata(sentence("hooks.", g)); ++g) {
        std::vector<std::vector<std::byte>> blobs;
        for (std::size_t b = 0; file.find(sentence("hooks.", g, ".blob.", b)) != nullptr; ++b)
            blobs.push_back(file.bytes(sentence("hooks.", g, ".blob.", b)));
        c.hooks.push_back({*sentences, {file.read<std::uint64_t>(sentence("hooks.", g, ".state")), std::move(blobs)}});
    }
    return c;
}

template <class T>
void Checkpoint<T>::check_tensors(const CheckpointContents& c, CheckedCheckpoint<T>& to) const {
    Differences differences;
    const auto expect = [&](std::string tensor, const ParameterRows<T>& rows) {
        if (differences.fits(c.file, tensor, rows.shape)) to.tensors.push_back({std::move(tensor), rows});
    };
    const NetworkTable& network = model.network();
    for (int p = 0; p < network.parameters.size(); ++p) expect(parameter_name(p), parameter_rows(model, p));
    differences.throw_if_any(c.where, c.file);
    c.require("network", network_text(network), c.text("network"));
    require_architecture(network, c.file, c.where, "");
    if (const std::string trained = hexadecimal(training); c.text("training") != trained)
        throw MismatchError(
            c.where, sentence("the dropout, noise, losses and frozen layers of this network, fingerprint ", trained),
            sentence("fingerprint ", c.text("training")));
    c.require("optimizer", optimizer_name(optimizer_table), c.text("optimizer"));
    // With another n the optimizer's updates would be counted wrongly, and an unfinished sum would give a wrong mean.
    // Files without n have other states, which are checked next.
    if (optimizer_table.batches != nullptr)
        if (const std::string* written = c.file.metadata("accumulate"); written != nullptr)
            c.require("batches of accumulate", sentence(optimizer_table.batches(optimizer)), *written);
    for (int s = 0; s < state_table.size(); ++s)
        expect(state_name(s), rows_of(states.write(s), state_table[s].shape, row_pitch(state_table[s].shape, lanes)));
    if (const std::size_t count = workers_of(c.file); count > 0) {
        to.workers.assign(count, std::vector<T>(states.size()));
        for (std::size_t w = 0; w < count; ++w)
            for (int s = 0; s < state_table.size(); ++s)
                expect(worker_state_name(w, state_name(s)), worker_rows(std::span<T>(to.workers[w]), s));
    }
    for (const TensorInfo& t : c.file.tensors())
        if (!t.name.starts_with("hooks.") && !data::detail::is_preprocessing(t.name) &&
            std::ranges::find(to.tensors, t.name, &TensorReader<T>::name) == to.tensors.end())
            differences.unknown(t.name, t.shape);
    differences.throw_if_any(c.where, c.file);
    for (const auto& r : to.tensors)
        if (c.file.find(r.name)->dtype != dtype_of<T>)
            throw MismatchError(c.where, sentence("tensor '", r.name, "' of ", name_of(dtype_of<T>)),
                                std::string(name_of(c.file.find(r.name)->dtype)));
}

template <class T>
void Checkpoint<T>::check_data(const CheckpointContents& c) const {
    c.require("number of records", sentence(batches.dataset.size()), c.text("data.records"));
    c.require("batch size", sentence(batches.size), c.text("data.batch_size"));
    data::detail::require_preprocessing(c.file, c.where, data::detail::preprocessing_of(batches.dataset));
    const ClassNames& own = batches.dataset.classes();
    if (!classes_agree(own, c.classes) || !classes_agree(c.classes, own))
        throw_other_classes<MismatchError>(c.where, own, "", c.classes);
    for (const auto& [key, value] : batches.options()) {
        const std::string* written = c.file.metadata(sentence("data.", key));
        if (written != nullptr) c.require(key, value, *written);
    }
    if (c.loaded.run.batch > batches.batches_per_epoch())
        throw DataError(c.file.path(), "metadata 'run.batch'", sentence("at most ", batches.batches_per_epoch()),
                        sentence(c.loaded.run.batch));
}

SIGMA_IMPL std::string in_one_line(std::string text) {
    if (text.ends_with('\n')) text.pop_back();
    for (std::size_t at = 0; (at = text.find('\n', at)) != text.npos; at += 2) text.replace(at, 1, "; ");
    return text;
}

/// Checks that the hooks can take their state: gives it to them, then restores their former state.
template <class T>
void Checkpoint<T>::check_hooks(const CheckpointContents& c) const {
    for (std::size_t g = 0; g < std::max(groups.size(), c.hooks.size()); ++g) {
        const std::string own = g < groups.size() ? in_one_line(groups[g]->text()) : "none",
                          there = g < c.hooks.size() ? in_one_line(c.hooks[g].text) : "none";
        if (without_file_names(own) != without_file_names(there)) c.require("hooks", own, there);
    }
    for (std::size_t g = 0; g < groups.size(); ++g) {
        Archive before, state = c.hooks[g].state;
        groups[g]->archive(before);
        const AtExit restore([&] {
            try {
                Archive back(before.words(), before.blobs());
                groups[g]->archive(back);
            } catch (...) {  // a user's hook that does not read the state that it has just written
            }
        });
        groups[g]->archive(state);
        if (!state.finished())
            throw DataError(c.file.path(), sentence("tensor 'hooks.", g, ".state'"), "the state of these hooks",
                            "additional data");
    }
}

/// Checks all contents without a change. Throws if something does not match.
template <class T>
CheckedCheckpoint<T> Checkpoint<T>::examine(const CheckpointContents& c, HooksFromFile hooks) const {
    CheckedCheckpoint<T> checked;
    check_tensors(c, checked);
    check_data(c);
    optimizer_table.for_each_field(optimizer, [&](std::string_view field, const NumberRange&, double&) {
        checked.optimizer.push_back(number_from<double>(c.file, sentence("optimizer.", field)));
    });
    for (const HyperparameterRecord& h : model.network().hyperparameters) {
        const std::string key = hyperparameter_key(h);
        checked.hyperparameters.push_back(number_from<double>(c.file, key));
        if (!h.range.contains(checked.hyperparameters.back()))
            throw DataError(c.file.path(), sentence("metadata '", key, "'"), std::string(h.range.text),
                            sentence(checked.hyperparameters.back()));
    }
    for (auto& tensor : checked.tensors) tensor.read(c.file);
    if (hooks == HooksFromFile::all) check_hooks(c);
    return checked;
}

template <class T>
void Checkpoint<T>::apply(const CheckpointContents& c, CheckedCheckpoint<T>& checked) const {
    for (std::size_t g = 0; g < c.hooks.size(); ++g) {
        Archive state = c.hooks[g].state;
        groups[g]->archive(state);
    }
    for (const auto& tensor : checked.tensors) tensor.store();
    workers.of_each = std::move(checked.workers);
    const auto now = std::as_const(states).read_all();
    workers.average.assign(now.begin(), now.end());
    if (!c.classes.empty()) model.set_classes(c.classes);
    std::size_t next = 0;
    optimizer_table.for_each_field(
        optimizer, [&](std::string_view, const NumberRange&, double& x) { x = checked.optimizer[next++]; });
    for (std::size_t i = 0; i < checked.hyperparameters.size(); ++i)
        model.put_hyperparameter(static_cast<int>(i), checked.hyperparameters[i]);
    model.set_seed(c.seed);
    batches.seed = c.batches_seed;
    batches.shuffling = c.shuffling;
}

template <class T>
LoadedRun Checkpoint<T>::read(const SafetensorsFile& file, HooksFromFile hooks) const {
    const CheckpointContents contents = parse_checkpoint(file, name, hooks);
    CheckedCheckpoint<T> checked = examine(contents, hooks);
    apply(contents, checked);
    return contents.loaded;
}

template <class T>
RunSnapshot<T>::~RunSnapshot() = default;

template <class T>
void RunSnapshot<T>::take(const ModelStore<T>& model, const DualBuffer<T>& states, Hooks hooks, const RunRecord& record,
                          std::string frozen_names) {
    const auto copy = [](std::span<const T> from, std::vector<T>& to) { to.assign(from.begin(), from.end()); };
    copy(model.parameter_memory(), parameters_);
    copy(states.read_all(), states_);
    hyperparameters_.resize(static_cast<std::size_t>(model.network().hyperparameters.size()));
    model.hyperparameters_to(hyperparameters_.data());
    run = record;
    frozen = std::move(frozen_names);
    hooks_.assign(hooks.size(), {});
    hooks_text_.clear();
    for (std::size_t g = 0; g < hooks.size(); ++g) {
        hooks[g]->archive(hooks_[g]);
        hooks_text_ += hooks[g]->text();
    }
    taken = true;
}

template <class T>
bool RunSnapshot<T>::restore(ModelStore<T>& model, DualBuffer<T>& states, Hooks hooks) const {
    std::ranges::copy(parameters_, model.parameter_memory().begin());
    std::ranges::copy(states_, states.write_all().begin());
    model.hyperparameters_from(hyperparameters_.data());
    std::string now;
    for (const ArchivedHooks* each : hooks) now += each->text();
    if (hooks.size() != hooks_.size() || now != hooks_text_) return false;
    for (std::size_t g = 0; g < hooks.size(); ++g) {
        Archive state(hooks_[g].words(), hooks_[g].blobs());
        hooks[g]->archive(state);
    }
    return true;
}

}  // namespace sigma::detail

SIGMA_INSTANTIATE(struct sigma::detail::WorkerStates);
SIGMA_INSTANTIATE(struct sigma::detail::Checkpoint);
SIGMA_INSTANTIATE(struct sigma::detail::RunSnapshot);
