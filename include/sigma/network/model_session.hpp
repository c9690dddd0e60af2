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

/// Where the dense rows of each input, or of the targets of each cost, are.
template <class T>
using Rows = std::span<const T* const>;

/// A session on the parameters of a model. The program's inputs are those of the network and then a target for each
/// cost.
template <class T>
class ModelSession : public Session<T> {
public:
    /// One that computes products `by` these, where there are any, is told so before it runs, too.
    ModelSession(const CompiledProgram<T>& program, const ModelStore<T>& model,
                 const on_cpu::OtherProducts<T>* by = nullptr)
        : Session<T>(program), model_(model) {
        model.bind(*this, by);
    }

    const ModelStore<T>& model() const { return model_; }

    /// Dense rows, from a record on, that stay alive until the program has run. `there`: see Session.
    void bind_records(Rows<T> inputs, Rows<T> targets = {}, std::ptrdiff_t first = 0, bool there = false) {
        const NetworkTable& network = model_.network();
        int number = 0, target = 0;
        // Counting elements takes longer than the rest, which small networks feel.
        const auto elements = [&](const Shape& record) { return first == 0 ? 0 : first * record.count(); };
        for (const T* x : inputs) this->bind_input(number, x + elements(network.inputs[number]), there), ++number;
        for (const T* y : targets) this->bind_input(number++, y + elements(network.costs[target++].target), there);
    }
    /// On so many records, while nobody changes the parameters.
    void run_beside_others(std::ptrdiff_t count, on_cpu::ThreadPool* pool = nullptr) {
        model_.read([&] {
            this->prepare(count);
            this->run(pool);
        });
    }

private:
    const ModelStore<T>& model_;
};

struct CostScore {
    double error = 0;  ///< mean loss, without its weight
    /// Share of what is right: of records, or of all positions and answers in them; NaN where the loss knows no right
    /// and wrong.
    double accuracy = std::numeric_limits<double>::quiet_NaN();
    /// Of how many answers that is the share, where the loss ignores targets; else 0: of all.
    double answers = 0;
    /// What the sum of losses is divided by over all records, where that differs from batch to batch (targets are
    /// ignored, or classes weighed); else 0: records count alike.
    double counted = 0;
};

/// A score whose costs are somewhere else.
struct ScoreView {
    double& error;
    double& accuracy;
    std::span<CostScore> costs;

    /// Where parts are added up: 0, and NaN where there is no accuracy.
    void begin(const NetworkTable& network) const;
    /// Adds a part with the share of records that it is of; where targets are ignored by what counts.
    void add(const NetworkTable& network, double share, const ScoreView& part) const;
    /// When all parts are added: the total of several costs with these weights, where they count by themselves.
    void end(const NetworkTable& network, const AnyFunction<double(int hyperparameter)>& number) const;
};

/// One program of a model, run by many threads at a time: each borrows a session, of which there are as many as were
/// ever in use at a time. On the device that has the parameters, else on the one that is named, else on the processor.
template <class T>
class ProgramRuns {
public:
    ProgramRuns();
    ProgramRuns(const ProgramRuns&) = delete;
    ProgramRuns& operator=(const ProgramRuns&) = delete;
    ~ProgramRuns();

    /// A program to predict, from and to dense rows; `there`: in the device's memory. A network that remembers goes on
    /// where these streams have stopped, or begins anew where there are none. Throws ArgumentError where they are of
    /// another number.
    void predict(const ModelStore<T>& model, const CompiledProgram<T>& program, const Device& device,
                 Streams<T>* streams, Rows<T> inputs, std::span<T* const> results, std::ptrdiff_t count,
                 bool there = false);
    /// From then on so many threads at a time predict so many records without allocating. Throws ArgumentError where
    /// one of them is below 1.
    void reserve(const ModelStore<T>& model, const CompiledProgram<T>& program, const Device& device,
                 std::size_t threads, std::ptrdiff_t count);
    /// A program to see the outputs of layers.
    void tap(const ModelStore<T>& model, const CompiledProgram<T>& program, const Purpose& purpose,
             const Device& device, Rows<T> inputs, std::span<T* const> results, std::ptrdiff_t count);
    /// A program to evaluate; `to` becomes the mean over all records.
    void evaluate(const ModelStore<T>& model, const CompiledProgram<T>& program, const Device& device, Rows<T> inputs,
                  Rows<T> targets, std::ptrdiff_t count, bool there, ScoreView to);

private:
    struct Piece;
    struct Kept;
    Owned<Kept> kept_;

    struct Batch;
    struct Loan;
    void predict_few(const ModelStore<T>& model, const CompiledProgram<T>& program, Streams<T>* streams, Rows<T> inputs,
                     std::span<T* const> results, std::ptrdiff_t count);
    static void predict_by(Piece& piece, const ModelStore<T>& model, Streams<T>* streams, Rows<T> inputs,
                           std::span<T* const> results, std::ptrdiff_t count);
    template <class F>
    void run_batches(const ModelStore<T>& model, const CompiledProgram<T>& program, const Batch& batch, F bind);
    template <class F>
    void with_piece(const ModelStore<T>& model, const CompiledProgram<T>& program, const Device& device, bool alone,
                    std::ptrdiff_t count, F f);
};

/// One stream of a model that nobody changes, on the processor: a session of its own, whose states stay where they are
/// bound.
template <class T>
class StreamSession {
public:
    StreamSession(const ModelStore<T>& model, const CompiledProgram<T>& program);
    StreamSession(const StreamSession& other);
    StreamSession& operator=(const StreamSession&) = delete;

    /// Is a session so small that each stream may have one? Else streams borrow them, as predictions do.
    static bool suits(const ModelStore<T>& model, const CompiledProgram<T>& program, const Device& device);
    void step(Rows<T> inputs, std::span<T* const> results);
    void forget();

private:
    const CompiledProgram<T>& program_;
    ModelSession<T> session_;
    typename Streams<T>::Batch states_{};
};

/// One of each program that has been asked for.
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
