// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/device/cpu/packed.hpp>
#include <sigma/network/program_runs.hpp>

#include <algorithm>

namespace sigma::detail {

/// Of which cost a score's accuracy is.
SIGMA_IMPL std::size_t first_with_accuracy(const NetworkTable& network) {
    for (int i = 0; i < network.costs.size(); ++i)
        if (network.costs[i].has_accuracy) return static_cast<std::size_t>(i);
    return 0;
}

SIGMA_IMPL void ScoreView::begin(const NetworkTable& network) const {
    error = 0;
    for (std::size_t i = 0; i < costs.size(); ++i) {
        costs[i] = {};
        if (network.costs[static_cast<int>(i)].has_accuracy) costs[i].accuracy = 0;
    }
    accuracy = costs[first_with_accuracy(network)].accuracy;
}
SIGMA_IMPL void ScoreView::add(double share, const ScoreView& part) const {
    error += share * part.error;
    accuracy += share * part.accuracy;
    for (std::size_t i = 0; i < costs.size(); ++i) {
        costs[i].error += share * part.costs[i].error;
        costs[i].accuracy += share * part.costs[i].accuracy;
    }
}

template <class T>
ProgramRuns<T>::ProgramRuns() = default;
template <class T>
ProgramRuns<T>::~ProgramRuns() = default;

/// f(piece, the most records at a time, threads): that bounds its arena, and an accelerator may take fewer, see
/// Executor::run_some.
template <class T>
template <class F>
void ProgramRuns<T>::with_piece(const ModelStore<T>& model, const CompiledProgram<T>& program, bool alone, int threads,
                                std::ptrdiff_t count, F f) {
    const auto run = [&] {
        const bool there = model.dual_buffer().compute_device() != nullptr;
        model.with_threads(there ? 1 : threads, count, [&](on_cpu::ThreadPool* pool) {
            workspaces_.with<Piece>(
                typename Piece::From(program, model), [](Piece&) {},
                [&](Piece& piece) { f(piece, there ? 4096 : 256, pool); });
        });
    };
    if (alone) model.template read<true>(run);
    else model.read(run);
}

template <class T>
void ProgramRuns<T>::predict(const ModelStore<T>& model, const CompiledProgram<T>& program, int threads, bool anew,
                             Rows<T> inputs, std::span<T* const> results, std::ptrdiff_t count) {
    const NetworkTable& network = model.network();
    const bool remembers = network.states.size() > 0 && !anew;
    if (count == 0) return;
    with_piece(model, program, remembers, threads, count, [&](Piece& piece, std::ptrdiff_t most, auto* pool) {
        if (pool) {  // each has as many as one would have alone, and more of small networks: see on_cpu::Executor::run
            const std::size_t room = static_cast<std::size_t>(threads) << 20;
            most *= threads;
            while (most < count &&
                   on_cpu::arena_bytes<T>(piece.runner.plan(), static_cast<std::size_t>(2 * most)) < room)
                most *= 2;
        }
        Streams<T> none, &streams = remembers ? model.remembered() : none;
        streams.require(count);
        streams.begin(network.states, count, piece.states);
        for (std::ptrdiff_t at = 0; at < count; at += most) {
            piece.runner.bind_records(inputs, {}, at);
            for (int i = 0; i < network.costs.size(); ++i)
                piece.runner.bind_output(
                    i, results[static_cast<std::size_t>(i)] + at * network.costs[i].prediction.count());
            piece.states.bind(piece.runner, network.states, network.inputs.size(), network.costs.size(), at);
            piece.runner.prepare(std::min(most, count - at));
            most = piece.runner.run_some(pool);
        }
        streams.end(piece.states);
    });
}

template <class T>
void ProgramRuns<T>::evaluate(const ModelStore<T>& model, const CompiledProgram<T>& program, int threads,
                              Rows<T> inputs, Rows<T> targets, std::ptrdiff_t count, bool there, ScoreView to) {
    const NetworkTable& network = model.network();
    const std::size_t costs = to.costs.size(), several = costs > 1, right = several + costs;
    to.begin(network);
    with_piece(model, program, false, threads, count, [&](Piece& piece, std::ptrdiff_t most, auto* pool) {
        piece.values.resize(2 * costs + several);
        for (std::size_t i = 0; i < piece.values.size(); ++i)
            piece.runner.bind_output(static_cast<int>(i), &piece.values[i]);
        for (std::ptrdiff_t at = 0; at < count; at += most) {
            piece.runner.bind_records(inputs, targets, at);
            piece.runner.inputs_are_there(there);
            piece.runner.prepare(std::min(most, count - at));
            most = piece.runner.run_some(pool);
            const double weight = static_cast<double>(most) / static_cast<double>(count);
            const auto value = [&](std::size_t i) { return weight * static_cast<double>(piece.values[i]); };
            to.error += value(0);
            for (std::size_t i = 0; i < costs; ++i) {
                to.costs[i].error += value(several + i);
                to.costs[i].accuracy += value(right + i);
            }
            to.accuracy += value(right + first_with_accuracy(network));
        }
    });
}

}  // namespace sigma::detail

#ifdef SIGMA_COMPILED
template class sigma::detail::ProgramRuns<float>;
template class sigma::detail::ProgramRuns<double>;
#endif
