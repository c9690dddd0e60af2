// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_function.hpp>
#include <sigma/core/owners.hpp>
#include <sigma/device/session.hpp>
#include <sigma/network/model_store.hpp>
#include <sigma/network/purpose.hpp>

#include <cstddef>
#include <limits>
#include <span>

namespace sigma::detail {

/// Pointers to the dense rows of each input, or of the targets of each cost.
template <class T>
using Rows = std::span<const T* const>;

/// Returns a source with the names of a network's layers, for profiles.
ProgramSource with_layers(ProgramSource source, const NetworkTable& network);

/// A session with the parameters of a model. The inputs of its program are those of the network, then the targets of
/// each cost.
template <class T>
class ModelSession : public Session<T> {
public:
    /// Constructs a session. If `by` is not null, call compute_by before each run as well.
    ModelSession(const ProgramSource& program, const ModelStore<T>& model, const on_cpu::OtherProducts<T>* by = nullptr)
        : Session<T>(with_layers(program, model.network())), model_(model) {
        this->run_on(model.host());
        model.bind(*this, by);
    }

    const ModelStore<T>& model() const { return model_; }

    /// Binds dense rows, from record `first`. They must exist until the program has run. `there`: see Session.
    void bind_records(Rows<T> inputs, Rows<T> targets = {}, std::ptrdiff_t first = 0, bool there = false) {
        const NetworkTable& network = model_.network();
        int number = 0, target = 0;
        // Counting elements takes longer than the rest: noticeable for small networks.
        const auto elements = [&](const Shape& record) { return first == 0 ? 0 : first * record.count(); };
        for (const T* x : inputs) this->bind_input(number, x + elements(network.inputs[number]), there), ++number;
        for (const T* y : targets) this->bind_input(number++, y + elements(network.costs[target++].target), there);
    }
    /// Runs `count` records with the model's threads.
    void run_with_threads(std::ptrdiff_t count) {
        this->run_on(model_.host(), model_.processor());
        this->prepare(count);
        this->run();
    }
    /// Runs `count` records while no thread changes the parameters.
    void run_beside_others(std::ptrdiff_t count) {
        model_.read([&] { run_with_threads(count); });
    }

private:
    const ModelStore<T>& model_;
};

/// The score of one cost.
struct CostScore {
    double error = 0;  ///< Mean loss, without the weight of the cost.
    /// Share of correct predictions, from 0 to 1: of records, or of all positions in them. NaN if the loss does not
    /// define accuracy.
    double accuracy = std::numeric_limits<double>::quiet_NaN();
    /// Number of targets that accuracy counts, if the loss ignores targets. Otherwise 0: all count.
    double answers = 0;
    /// Divisor of the sum of losses over all records, if it differs from batch to batch (ignored targets, weighted
    /// classes). Otherwise 0: records count alike.
    double counted = 0;
};

/// References to the members of a score.
struct ScoreView {
    double& error;
    double& accuracy;
    std::span<CostScore> costs;

    /// Sets the score to 0, and accuracies to NaN for costs without accuracy, before parts are added.
    void begin(const NetworkTable& network) const;
    /// Adds the score of a part with its share of the records. Costs with ignored targets are weighted by their counts.
    void add(const NetworkTable& network, double share, const ScoreView& part) const;
    /// Computes the total error after all parts are added, if costs have divisors of their own. `number` returns the
    /// weights of the costs.
    void end(const NetworkTable& network, const AnyFunction<double(int hyperparameter)>& number) const;
};

/// A program of a model that several threads can run at once. Each thread borrows a session from a pool. The pool has
/// as many sessions as were ever in use at once. The program runs on the device that holds the parameters, or else on
/// the given device.
template <class T>
class ProgramRuns {
public:
    ProgramRuns();
    ProgramRuns(const ProgramRuns&) = delete;
    ProgramRuns& operator=(const ProgramRuns&) = delete;
    ~ProgramRuns();

    /// Predicts from and to dense rows. `there`: they are in the device's memory. Stateful layers continue from the
    /// streams, or start with zeros if `streams` is null. Throws ArgumentError if the number of streams differs.
    void predict(const ModelStore<T>& model, const CompiledProgram<T>& program, const Device& device,
                 Streams<T>* streams, Rows<T> inputs, std::span<T* const> results, std::ptrdiff_t count,
                 bool there = false);
    /// Allocates memory, so that `threads` threads at once predict `count` records without an allocation. Throws
    /// ArgumentError if one of the numbers is less than 1.
    void reserve(const ModelStore<T>& model, const CompiledProgram<T>& program, const Device& device,
                 std::size_t threads, std::ptrdiff_t count);
    /// Computes the outputs of layers.
    void tap(const ModelStore<T>& model, const CompiledProgram<T>& program, const Purpose& purpose,
             const Device& device, Rows<T> inputs, std::span<T* const> results, std::ptrdiff_t count);
    /// Evaluates all records. `to` receives the mean over them. `begin`, called while the model's parameters are on the
    /// device, returns their number. `bind` binds rows from record `at` on, and returns their number.
    void evaluate(const ModelStore<T>& model, const CompiledProgram<T>& program, const Device& device,
                  const AnyFunction<std::ptrdiff_t()>& begin,
                  const AnyFunction<std::ptrdiff_t(ModelSession<T>&, std::ptrdiff_t at)>& bind, ScoreView to);
    /// Evaluates dense inputs and targets.
    void evaluate(const ModelStore<T>& model, const CompiledProgram<T>& program, const Device& device, Rows<T> inputs,
                  Rows<T> targets, std::ptrdiff_t count, bool there, ScoreView to);

private:
    struct PooledSession;
    struct SessionPool;
    Owned<SessionPool> sessions_;

    class Parts;
};

/// One stream of a frozen model on the CPU: a session of its own, with states in a fixed place.
template <class T>
class StreamSession {
public:
    StreamSession(const ModelStore<T>& model, const CompiledProgram<T>& program);
    StreamSession(const StreamSession& other);
    StreamSession& operator=(const StreamSession&) = delete;

    /// Returns whether a session is so small that each stream may have its own. Otherwise streams borrow sessions, as
    /// predictions do.
    static bool suits(const ModelStore<T>& model, const CompiledProgram<T>& program, const Device& device);
    void step(Rows<T> inputs, std::span<T* const> results);
    void forget();

private:
    const CompiledProgram<T>& program_;
    ModelSession<T> session_;
    typename Streams<T>::Batch states_{};
};

/// A list with one ProgramRuns for each program that has been used.
template <class T>
class RunsOfPrograms {
public:
    RunsOfPrograms();
    RunsOfPrograms(const RunsOfPrograms&) = delete;
    RunsOfPrograms& operator=(const RunsOfPrograms&) = delete;
    ~RunsOfPrograms();

    ProgramRuns<T>& of(const CompiledProgram<T>& program);

private:
    struct All;
    Owned<All> all_;
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/network/impl/model_session.ipp>
#endif
