// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/class_names.hpp>
#include <sigma/core/config.hpp>
#include <sigma/core/scope.hpp>
#include <sigma/data/same_data.hpp>
#include <sigma/network/parameters_file.hpp>
#include <sigma/optimizer/check.hpp>
#include <sigma/storage/safetensors.hpp>
#include <sigma/storage/write_file.hpp>
#include <sigma/trainer/core_view.hpp>
#include <sigma/trainer/trainer_core.hpp>
#include <sigma/worker/debug.hpp>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <span>
#include <utility>

namespace sigma::detail {

template <class T>
TrainerCore<T>::TrainerCore(std::string name, Minibatches batches, const Trained<T>& trained)
    : Commands(name, [this](ControlEvent event) { handle(event); }), name_(std::move(name)), model_(trained.model),
      optimizer_(trained.optimizer), fingerprint_(trained.fingerprint),
      training_(std::move(batches), trained.model, trained.step, trained.optimizer.table, trained.tape),
      view_(std::make_unique<CoreView<T>>(*this)) {
    require_own_classes();
}
template <class T>
TrainerCore<T>::~TrainerCore() = default;

template <class T>
void TrainerCore<T>::close() noexcept {
    control_.close();                 // what hooks in the background want of it from now on is refused
    if (entries_) entries_->close();  // waits for its readers
    hooks_.changed = nullptr;
    hooks_.clear();
}

template <class T>
TrainerEntries& TrainerCore<T>::entries(const AnyFunction<Owned<TrainerEntries>()>& make) {
    if (linked_ == nullptr) {
        const auto link = [&] {  // it looks at hooks
            if (entries_) return;
            auto made = make();
            made->link(hooks_);
            entries_ = std::move(made);
            hooks_.changed = [this] { entries_->link(hooks_); };
            linked_ = entries_.get();
        };
        if (control_.on_training_thread()) link();
        else control_.post(link).wait();
    }
    return *linked_;
}

// ---- parameters ----

template <class T>
void TrainerCore<T>::initialize(std::string_view pattern, const Initializer& initializer) {
    initializers_.emplace_back(pattern, initializer);
    const int matched = draw(pattern);
    if (matched == 0) initializers_.pop_back();
    check_matched("initialize", pattern, matched);
}
template <class T>
int TrainerCore<T>::draw(std::string_view among) {
    std::vector<InitializerRule> rules;
    for (const auto& [pattern, initializer] : initializers_) rules.push_back({pattern, initializer});
    return model_.initialize_by(rules, among);
}
template <class T>
void TrainerCore<T>::add_modifier(std::string_view pattern, typename Constraints<T>::Modifier modifier) {
    check_matched("modify", pattern, training_.constraints.modify(pattern, std::move(modifier), iteration()));
}
template <class T>
void TrainerCore<T>::unmodify(std::string_view pattern) {
    check_matched("unmodify", pattern, training_.constraints.unmodify(pattern, iteration()));
}
template <class T>
void TrainerCore<T>::freeze(std::string_view pattern) {
    check_matched("freeze", pattern, training_.constraints.freeze(pattern, iteration()));
}
template <class T>
void TrainerCore<T>::unfreeze(std::string_view pattern) {
    check_matched("unfreeze", pattern, training_.constraints.unfreeze(pattern, iteration()));
}
template <class T>
void TrainerCore<T>::check_matched(const char* what, std::string_view pattern, int matched) const {
    if (matched == 0)
        throw ArgumentError(sentence(what, " of trainer '", name_, "'"), "a pattern that matches a parameter",
                            sentence("'", pattern, "'"));
}

template <class T>
void TrainerCore<T>::remove(int number) {
    if (!hooks_.remove(number))
        throw ArgumentError(sentence("remove of trainer '", name_, "'"), "the number of hooks that were added",
                            sentence(number));
}

template <class T>
void TrainerCore<T>::print(std::string_view line) {
    const Lock lock(print_mutex_);
    if (output) output(line);
    else std::printf("%.*s\n", static_cast<int>(line.size()), line.data()), std::fflush(stdout);
}

// ---- runs ----

template <class T>
void TrainerCore<T>::run(Cpu device, std::int64_t epochs) {
    check_epochs(epochs);
    control_.run([&] { train_on(device, epochs); });
}
template <class T>
void TrainerCore<T>::run(const Device& device, std::int64_t epochs) {
    check_epochs(epochs);
    control_.run([&] { train_on(device, epochs); });
}
template <class T>
void TrainerCore<T>::run_on(const DeviceGroup& devices, const DataParallelPlans& plans, std::int64_t epochs) {
    check_epochs(epochs);
    control_.run([&] { train_on(devices, plans, epochs); });
}
template <class T>
void TrainerCore<T>::run_checked(const Program& step, ListView<LayerRecord> layers, std::int64_t epochs) {
    check_epochs(epochs);
    control_.run([&] {
        const Access::Owner owner = own();
        DebugDevice device(operation_error(model_.network(), layers));
        training_.on(device, step, [&] { train(nullptr, epochs); });
    });
}
template <class T>
void TrainerCore<T>::start(Cpu device, std::int64_t epochs) {
    check_epochs(epochs);
    control_.start([this, device, epochs] { train_on(device, epochs); });
}
template <class T>
void TrainerCore<T>::start(const Device& device, std::int64_t epochs) {
    check_epochs(epochs);
    control_.start([this, device, epochs] { train_on(device, epochs); });
}
template <class T>
void TrainerCore<T>::start_on(const DeviceGroup& devices, const DataParallelPlans& plans, std::int64_t epochs) {
    check_epochs(epochs);
    control_.start([this, devices, plans, epochs] { train_on(devices, plans, epochs); });
}

template <class T>
void TrainerCore<T>::check_epochs(std::int64_t epochs) const {
    if (epochs < 0) throw ArgumentError(sentence("run of trainer '", name_, "'"), "0 epochs or more", sentence(epochs));
}

/// A model without names of classes takes those of the data. Parameters of others may have come into it.
template <class T>
[[gnu::cold]] void TrainerCore<T>::require_own_classes() {
    const Dataset& data = training_.batches.dataset;
    if (!classes_agree(model_.classes(), data.classes()))
        throw_other_classes<ArgumentError>(
            sentence("run of trainer '", name_, "' on dataset '", data.name(), "'"), model_.classes(),
            "as of its model (where it shall learn others: model().set_classes(training.classes()))", data.classes());
    if (model_.classes().empty() && !data.classes().empty()) model_.set_classes(data.classes());
}

template <class T>
void TrainerCore<T>::require_like_training(const Dataset& data) const {
    const Dataset& own = training_.batches.dataset;
    data::detail::require_same_preprocessing(own, data);
    data::detail::require_same_classes(own, data);
}

/// The parameters are the run's. Who wants to read them on another thread is let in between two steps.
template <class T>
Access::Owner TrainerCore<T>::own() {
    return Access::Owner(model_.access(), [this] {
        try {
            control_.post([this] { model_.access().let_in(); });
        } catch (const StateError&) {  // of a trainer that is being destroyed: its run ends
        }
    });
}

template <class T>
void TrainerCore<T>::train_on(Cpu device, std::int64_t epochs) {
    const Access::Owner owner = own();
    training_.on(device, [&](simd::Pool* pool) { train(pool, epochs); });
}
template <class T>
void TrainerCore<T>::train_on(const Device& device, std::int64_t epochs) {
    if (!device.accelerator()) return train_on(Cpu{device.threads()}, epochs);
    const Access::Owner owner = own();
    training_.on(device.accelerator(), [&] { train(nullptr, epochs); });
}
template <class T>
void TrainerCore<T>::train_on(const DeviceGroup& devices, const DataParallelPlans& plans, std::int64_t epochs) {
    if (!devices.group()) return train_on(devices.device(), epochs);
    const Access::Owner owner = own();
    training_.on(devices.group(), plans, [&] { train(nullptr, epochs); });
}

template <class T>
void TrainerCore<T>::train(simd::Pool* pool, std::int64_t epochs) {
    const auto check = [&] { check_numbers(optimizer_.table, optimizer_.now); };
    check();
    constexpr auto most = std::numeric_limits<std::uint64_t>::max();
    const auto more = static_cast<std::uint64_t>(epochs);
    epochs_planned_ = more > most - epoch() ? most : epoch() + more;
    started_ = runtime();
    require_own_classes();
    std::uint64_t records_done = 0;
    after_hooks_.clear();  // of a run that failed
    beginning_.take(model_, training_.step.dual_buffer(), hooks_.archived(), training_.record(counts_),
                    training_.constraints.frozen_names());
    optimizer_.table.assign(optimizer_.at_beginning, optimizer_.now);
    happen(Moment::start);
    const AnyFunction<Wants()> wanted = [this] { return hooks_.wants(training_.batch + 1 == batches_per_epoch()); };
    while (epoch() < epochs_planned_ && !control_.stopping()) {
        moved_ = false;
        check();
        training_.begin_here();
        while (!training_.epoch_is_over()) {
            if (control_.pending()) control_.handle();
            if (moved_ || control_.stopping()) break;
            records_done += training_.iterate(optimizer_.now, pool, wanted);
            samples_per_second_ = static_cast<double>(records_done) / std::max(runtime() - started_, 1e-9);
            happen(Moment::iteration);
        }
        if (moved_ || !training_.epoch_is_over()) continue;
        training_.end_epoch();
        happen(Moment::epoch);
    }
    happen(Moment::stop);
    hooks_.finish();
}

/// Counts a moment and runs what waits for it.
template <class T>
void TrainerCore<T>::happen(Moment moment) {
    ++counts_[moment];
    counts_[Moment::iteration] = iteration();
    counts_[Moment::epoch] = epoch();
    hooks_.fire(moment, [this, moment] {
        if (moment != Moment::iteration && moment != Moment::epoch) return;
        for (const auto& f : moment == Moment::epoch ? on_epoch_ : on_iteration_) f();
    });
    if (!after_hooks_.empty() && !hooks_.firing())
        for (const auto& f : std::exchange(after_hooks_, {})) f();
}

// ---- commands ----

template <class T>
void TrainerCore<T>::handle(ControlEvent event) {
    switch (event) {
        case ControlEvent::pause: happen(Moment::pause); break;
        case ControlEvent::resume: happen(Moment::resume); break;
        case ControlEvent::reset: start_again(); break;
        case ControlEvent::rewind: go_back(); break;
    }
}

template <class T>
void TrainerCore<T>::start_again() {
    optimizer_.table.assign(optimizer_.now, optimizer_.first);
    training_.start_again();
    draw();
    control_.add_running_time(-runtime());
    started_ = 0;
    const std::uint64_t resets = counts_[Moment::reset];
    counts_ = {};
    counts_[Moment::reset] = resets;
    moved_ = true;
    control_.stop();
    hooks_.restart();
    happen(Moment::reset);
}

template <class T>
void TrainerCore<T>::go_back() {
    if (!beginning_.taken) return start_again();
    bool hooks_too = false;
    model_.write([&] { hooks_too = beginning_.restore(model_, training_.step.dual_buffer(), hooks_.archived()); });
    optimizer_.table.assign(optimizer_.now, optimizer_.at_beginning);
    set(beginning_.run);
    training_.constraints.set_frozen(beginning_.frozen, iteration());
    if (!hooks_too) hooks_.restart();
}

template <class T>
void TrainerCore<T>::set(const RunRecord& r) {
    training_.set(r);
    counts_ = r.counts;
    moved_ = true;
}

// ---- checkpoints ----

template <class T>
Checkpoint<T> TrainerCore<T>::parts() {
    return {name_,
            model_,
            fingerprint_,
            training_.step.state_table(),
            training_.step.dual_buffer(),
            model_.lanes(),
            optimizer_.table,
            optimizer_.now,
            training_.batches,
            hooks_.archived()};
}

template <class T>
std::vector<std::byte> TrainerCore<T>::checkpoint() {
    training_.check_sound();
    return parts().write(training_.record(counts_), runtime(), training_.constraints.frozen_names());
}
template <class T>
void TrainerCore<T>::write_checkpoint(const std::vector<std::byte>& image, const std::string& file) {
    write_file_atomically(file, std::span<const std::byte>(image));
}
template <class T>
void TrainerCore<T>::save(const std::string& file) {
    write_checkpoint(checkpoint(), file);
}
template <class T>
void TrainerCore<T>::save_after_hooks(std::string file) {
    after_hooks([this, to = std::move(file)] { save(to); });
}

template <class T>
void TrainerCore<T>::load(const std::string& file, HooksFromFile hooks) {
    control_.post([&] { go_to(file, hooks); }).wait();
}
template <class T>
void TrainerCore<T>::load_after_hooks(std::string file) {
    after_hooks([this, from = std::move(file)] { go_to(from, HooksFromFile::all); });
}
template <class T>
void TrainerCore<T>::go_to(const std::string& file, HooksFromFile hooks) {
    training_.buffers.halt();  // the file decides on the order of records
    LoadedRun loaded;
    model_.write([&] { loaded = parts().read(SafetensorsFile::open(file), hooks); });
    training_.step.set_seed(model_.seed());
    set(loaded.run);
    training_.constraints.set_frozen(loaded.frozen, iteration());
    const double jump = loaded.runtime - runtime();
    control_.add_running_time(jump);
    started_ += jump;
}

template <class T>
int TrainerCore<T>::load_parameters(const std::string& file, std::string_view pattern, Transfer how,
                                    const AnyFunction<std::string(std::string_view)>& rename) {
    return load_parameters_of<T>(model_, file, pattern, how, rename);
}
template <class T>
void TrainerCore<T>::save_parameters(const std::string& file) const {
    save_parameters_of<T>(model_, file);
}

// ---- what callbacks read ----

template <class T>
std::uint64_t TrainerCore<T>::batch() const {
    return std::max<std::uint64_t>(training_.batch, 1) - 1;
}

template <class T>
std::ptrdiff_t TrainerCore<T>::records_at_hand(const char* for_what) {
    if (training_.gathered == 0)
        throw StateError(sentence(for_what, " of trainer '", name_, "'"), "a step that was taken before", "none");
    return training_.records_at_hand();
}

}  // namespace sigma::detail

#ifdef SIGMA_COMPILED
template class sigma::detail::TrainerCore<float>;
template class sigma::detail::TrainerCore<double>;
#endif
