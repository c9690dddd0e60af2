// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/config.hpp>
#include <sigma/device/cpu/packed.hpp>
#include <sigma/network/model_session.hpp>
#include <sigma/network/streams.hpp>

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace sigma::detail {

SIGMA_IMPL ProgramSource with_layers(ProgramSource source, const NetworkTable& network) {
    source.layers = {&network, [](const void* of, int layer) {
                         const NetworkTable& table = *static_cast<const NetworkTable*>(of);
                         const int cost = layer - table.layers.size();
                         if (layer < 0 || cost >= table.costs.size()) return std::string();
                         return std::string(cost < 0 ? table.layers[layer].name.view() : table.costs[cost].name.view());
                     }};
    return source;
}

/// Returns the position of the cost that determines the accuracy of a score.
SIGMA_IMPL std::size_t first_with_accuracy(const NetworkTable& network) {
    for (int i = 0; i < network.costs.size(); ++i)
        if (network.costs[i].has_accuracy) return static_cast<std::size_t>(i);
    return 0;
}

SIGMA_IMPL void ScoreView::begin(const NetworkTable& network) const {
    error = 0;
    for (std::size_t i = 0; i < costs.size(); ++i) {
        costs[i] = {};
        const CostRecord& cost = network.costs[static_cast<int>(i)];
        if (cost.has_accuracy && !cost.ignored.exists) costs[i].accuracy = 0;
    }
    accuracy = costs[first_with_accuracy(network)].accuracy;
}
SIGMA_IMPL void ScoreView::add(const NetworkTable& network, double share, const ScoreView& part) const {
    error += share * part.error;
    for (std::size_t i = 0; i < costs.size(); ++i) {
        CostScore& all = costs[i];
        const CostScore& more = part.costs[i];
        if (!network.costs[static_cast<int>(i)].counts) {
            all.error += share * more.error;
        } else if (more.counted > 0) {
            const double before = all.counted;
            all.counted += more.counted;
            all.error = before > 0 ? (before * all.error + more.counted * more.error) / all.counted : more.error;
        }
        if (!network.costs[static_cast<int>(i)].ignored.exists) {
            all.accuracy += share * more.accuracy;
        } else if (more.answers > 0) {
            const double right = all.answers > 0 ? all.answers * all.accuracy : 0;
            all.answers += more.answers;
            all.accuracy = (right + more.answers * more.accuracy) / all.answers;
        }
    }
    accuracy = costs[first_with_accuracy(network)].accuracy;
}

SIGMA_IMPL void ScoreView::end(const NetworkTable& network,
                               const AnyFunction<double(int hyperparameter)>& number) const {
    if (std::ranges::none_of(network.costs, [](const CostRecord& c) { return c.counts; })) return;
    if (costs.size() == 1) return void(error = costs[0].error);
    error = 0;
    for (std::size_t i = 0; i < costs.size(); ++i) {
        const CostRecord& cost = network.costs[static_cast<int>(i)];
        double weight = cost.loss_weight;
        for (int h = 0; h < network.hyperparameters.size(); ++h)
            if (network.hyperparameters[h].name.view() == sentence(cost.name.view(), ".loss_weight"))
                weight = number(h);
        error += weight * costs[i].error;
    }
}

/// A session that one thread borrows, with its buffers.
template <class T>
struct ProgramRuns<T>::PooledSession {
    ModelSession<T> session;
    std::vector<T> values{};
    typename Streams<T>::Batch states{};
};

/// The pool of sessions. A returned session is borrowed again before another one is made.
template <class T>
struct ProgramRuns<T>::SessionPool {
    std::atomic<PooledSession*> spare{nullptr};  ///< The last returned session.
    std::mutex mutex{};                          ///< Protects the members below.
    std::vector<std::unique_ptr<PooledSession>> free{};
    std::size_t made = 0;

    SessionPool() = default;
    SessionPool(const SessionPool&) = delete;
    SessionPool& operator=(const SessionPool&) = delete;
    ~SessionPool() { delete spare.load(std::memory_order_acquire); }

    std::unique_ptr<PooledSession> take(const CompiledProgram<T>& program, const ModelStore<T>& model) {
        if (PooledSession* const last = spare.exchange(nullptr, std::memory_order_acquire))
            return std::unique_ptr<PooledSession>(last);
        {
            const std::lock_guard lock(mutex);
            if (!free.empty()) {
                auto last = std::move(free.back());
                free.pop_back();
                return last;
            }
            // A session may have been returned since. While the mutex is locked, each session is free, spare or
            // borrowed.
            if (PooledSession* const last = spare.exchange(nullptr, std::memory_order_acquire))
                return std::unique_ptr<PooledSession>(last);
        }
        auto fresh = std::unique_ptr<PooledSession>(new PooledSession{{program, model, model.products()}});
        const std::lock_guard lock(mutex);
        free.reserve(++made);  // so that returning a session needs no memory
        return fresh;
    }
    void give(std::unique_ptr<PooledSession> pooled) noexcept {
        PooledSession* none = nullptr;
        if (spare.compare_exchange_strong(none, pooled.get(), std::memory_order_release, std::memory_order_relaxed)) {
            (void)pooled.release();
            return;
        }
        const std::lock_guard lock(mutex);
        free.push_back(std::move(pooled));
    }
};

template <class T>
ProgramRuns<T>::ProgramRuns() : sessions_(make_owned<SessionPool>()) {}
template <class T>
ProgramRuns<T>::~ProgramRuns() = default;

/// A batch that a program computes in parts, with a session that the thread borrows meanwhile.
template <class T>
class ProgramRuns<T>::Parts {
public:
    /// Begins a batch. The maximum of records at once bounds the arena. Only if `grows`, it depends on the number of
    /// threads: each gets as many records as one thread alone, and more for small networks, see Executor::run.
    Parts(ProgramRuns& from, const ModelStore<T>& model, const CompiledProgram<T>& program, const Device& device,
          std::ptrdiff_t count, bool grows)
        : from_(from), pooled_(from.sessions_->take(program, model)), count_(count) {
        session().run_on(device.compute_device() ? device.compute_device() : model.host(), device.processor());
        session().compute_by(model.products());
        most_ = session().is_there() ? 1 << 14 : 256;
        if (!grows || device.threads() == 1 || session().is_there()) return;
        const std::size_t room = static_cast<std::size_t>(device.threads()) << 20;
        most_ *= device.threads();
        while (most_ < count && on_cpu::arena_bytes<T>(session().plan(), static_cast<std::size_t>(2 * most_)) < room)
            most_ *= 2;
    }
    Parts(const Parts&) = delete;
    Parts& operator=(const Parts&) = delete;
    ~Parts() { from_.sessions_->give(std::move(pooled_)); }

    ModelSession<T>& session() { return pooled_->session; }
    std::vector<T>& values() { return pooled_->values; }
    typename Streams<T>::Batch& states() { return pooled_->states; }
    /// Returns the first record of the part that runs next.
    std::ptrdiff_t at() const { return at_; }
    bool left() const { return at_ < count_; }
    /// Runs the next part of at most so many records. Returns their number, which is less if a device lacks memory.
    std::ptrdiff_t run(std::ptrdiff_t most = std::numeric_limits<std::ptrdiff_t>::max()) {
        session().prepare(std::min({most_, most, count_ - at_}));
        most_ = session().run(false);
        at_ += most_;
        return most_;
    }

private:
    ProgramRuns& from_;
    std::unique_ptr<PooledSession> pooled_;
    std::ptrdiff_t count_, at_ = 0, most_;
};

/// Sets the states before a batch: those of the streams, or zeros if `streams` is null.
template <class T>
void begin_at(const Streams<T>* streams, ListView<CarriedState> states, std::ptrdiff_t count,
              typename Streams<T>::Batch& batch) {
    if (states.size() == 0) return;
    if (!streams) return Streams<T>().begin(states, count, batch);
    streams->require(count);
    streams->begin(states, count, batch);
}

template <class T>
void ProgramRuns<T>::predict(const ModelStore<T>& model, const CompiledProgram<T>& program, const Device& device,
                             Streams<T>* streams, Rows<T> inputs, std::span<T* const> results, std::ptrdiff_t count,
                             bool there) {
    const NetworkTable& network = model.network();
    check_numbers_of_pointers(network, inputs.size(), results.size());
    if (count == 0) return;
    if (network.states.size() == 0) streams = nullptr;
    const auto run = [&] {
        Parts parts(*this, model, program, device, count, true);
        if (there && parts.session().device() != device.compute_device())
            throw_other_device(parts.session().device(), device);
        begin_at(streams, network.states, count, parts.states());
        for (; parts.left(); parts.run()) {
            const std::ptrdiff_t at = parts.at();
            parts.session().bind_records(inputs, {}, at, there);
            for (int i = 0; i < network.costs.size(); ++i) {
                T* const result = results[static_cast<std::size_t>(i)];
                parts.session().bind_output(i, at == 0 ? result : result + at * network.costs[i].prediction.count(),
                                            there);
            }
            if (network.states.size() > 0)
                parts.states().bind(parts.session(), network.states, network.inputs.size(), network.costs.size(), at);
        }
        if (streams) streams->end(parts.states());
    };
    // Parameters of a frozen model in the host's memory do not change: no lock, which matters to small networks.
    if (model.frozen() && !device.compute_device() && !model.dual_buffer().compute_device()) run();
    else model.read_on(device, streams != nullptr && streams == &model.remembered(), run);
}
template <class T>
void ProgramRuns<T>::reserve(const ModelStore<T>& model, const CompiledProgram<T>& program, const Device& device,
                             std::size_t threads, std::ptrdiff_t count) {
    if (threads < 1 || count < 1)
        throw ArgumentError("reserve", "at least 1 thread and 1 record",
                            sentence(threads, " threads and ", count, " records"));
    // Predicts zeros, so that everything that a first prediction allocates exists.
    const NetworkTable& network = model.network();
    std::vector<std::vector<T>> rows;
    const auto room_for = [&](const Shape& record) {
        rows.emplace_back(static_cast<std::size_t>(record.count() * count));
        return rows.back().data();
    };
    std::vector<const T*> inputs;
    std::vector<T*> results;
    for (const Shape& input : network.inputs) inputs.push_back(room_for(input));
    for (const CostRecord& cost : network.costs) results.push_back(room_for(cost.prediction));
    const bool from_pool = model.frozen() && !device.compute_device() && !model.dual_buffer().compute_device();
    std::vector<std::unique_ptr<PooledSession>>
        taken;  // kept until the end, so that each prediction gets a new session
    do {
        predict(model, program, device, nullptr, inputs, results, count);
        if (from_pool) taken.push_back(sessions_->take(program, model));  // just returned
    } while (taken.size() < threads && from_pool);
    for (auto& pooled : taken) sessions_->give(std::move(pooled));
}
template <class T>
void ProgramRuns<T>::tap(const ModelStore<T>& model, const CompiledProgram<T>& program, const Purpose& purpose,
                         const Device& device, Rows<T> inputs, std::span<T* const> results, std::ptrdiff_t count) {
    model.read_on(device, false, [&] {
        for (Parts parts(*this, model, program, device, count, true); parts.left(); parts.run()) {
            parts.session().bind_records(inputs, {}, parts.at());
            for (std::size_t i = 0; i < results.size(); ++i)
                parts.session().bind_output(
                    static_cast<int>(i),
                    results[i] + parts.at() * model.network().layers[purpose.tapped[i]].output.count());
        }
    });
}

template <class T>
void ProgramRuns<T>::evaluate(const ModelStore<T>& model, const CompiledProgram<T>& program, const Device& device,
                              const AnyFunction<std::ptrdiff_t()>& begin,
                              const AnyFunction<std::ptrdiff_t(ModelSession<T>&, std::ptrdiff_t)>& bind, ScoreView to) {
    const NetworkTable& network = model.network();
    const std::size_t costs = to.costs.size(), several = costs > 1, right = several + costs;
    to.begin(network);
    std::vector<CostScore> scores(costs);
    std::size_t outputs = right + costs;
    for (const CostRecord& cost : network.costs) {
        outputs += cost.has_accuracy && cost.ignored.exists;
        outputs += cost.counts;
    }
    model.read_on(device, false, [&] {
        const std::ptrdiff_t count = begin();
        Parts parts(*this, model, program, device, count, false);
        parts.values().resize(outputs);
        for (std::size_t i = 0; i < outputs; ++i) parts.session().bind_output(static_cast<int>(i), &parts.values()[i]);
        while (parts.left()) {
            const std::ptrdiff_t bound = bind(parts.session(), parts.at());
            const double share = static_cast<double>(parts.run(bound)) / static_cast<double>(count);
            const auto value = [&](std::size_t i) { return static_cast<double>(parts.values()[i]); };
            double error = value(0), accuracy = 0;
            std::size_t next = right + costs;
            for (std::size_t i = 0; i < costs; ++i) {
                scores[i] = {value(several + i), value(right + i)};
                const CostRecord& cost = network.costs[static_cast<int>(i)];
                if (cost.has_accuracy && cost.ignored.exists) scores[i].answers = value(next++);
            }
            for (std::size_t i = 0; i < costs; ++i)
                if (network.costs[static_cast<int>(i)].counts) scores[i].counted = value(next++);
            to.add(network, share, {error, accuracy, scores});
        }
        to.end(network, [&](int h) { return model.hyperparameter(h); });  // within the lock, as all that it reads
    });
}

template <class T>
void ProgramRuns<T>::evaluate(const ModelStore<T>& model, const CompiledProgram<T>& program, const Device& device,
                              Rows<T> inputs, Rows<T> targets, std::ptrdiff_t count, bool there, ScoreView to) {
    check_numbers_of_pointers(model.network(), inputs.size(), targets.size());
    const auto bind = [&](ModelSession<T>& session, std::ptrdiff_t at) {
        session.bind_records(inputs, targets, at, there);
        return count - at;
    };
    evaluate(model, program, device, [count] { return count; }, bind, to);
}

template <class T>
StreamSession<T>::StreamSession(const ModelStore<T>& model, const CompiledProgram<T>& program)
    : program_(program), session_(program, model, model.products()) {
    const NetworkTable& network = model.network();
    Streams<T>().begin(network.states, 1, states_);
    states_.bind(session_, network.states, network.inputs.size(), network.costs.size());
    session_.prepare(1);  // so that no step allocates
}
template <class T>
StreamSession<T>::StreamSession(const StreamSession& other) : StreamSession(other.session_.model(), other.program_) {
    for (std::size_t i = 0; i < states_.before.size(); ++i)
        std::ranges::copy(other.states_.before[i], states_.before[i].begin());
}
template <class T>
bool StreamSession<T>::suits(const ModelStore<T>& model, const CompiledProgram<T>& program, const Device& device) {
    constexpr std::size_t little = 16 * 1024;
    return model.frozen() && !device.compute_device() && on_cpu::arena_bytes<T>(program.plan(), 1) <= little &&
           program.plan().kernels.size() <= 64;
}
template <class T>
void StreamSession<T>::step(Rows<T> inputs, std::span<T* const> results) {
    session_.compute_by(session_.model().products());
    session_.bind_records(inputs);
    for (std::size_t i = 0; i < results.size(); ++i) session_.bind_output(static_cast<int>(i), results[i]);
    session_.prepare(1);
    session_.run();
    for (std::size_t i = 0; i < states_.before.size(); ++i)
        std::ranges::copy(states_.after[i], states_.before[i].begin());
}
template <class T>
void StreamSession<T>::forget() {
    for (auto& rows : states_.before) std::ranges::fill(rows, T(0));
}

template <class T>
struct RunsOfPrograms<T>::All {
    std::mutex mutex{};
    std::vector<std::pair<const CompiledProgram<T>*, std::unique_ptr<ProgramRuns<T>>>> runs{};
};
template <class T>
RunsOfPrograms<T>::RunsOfPrograms() : all_(make_owned<All>()) {}
template <class T>
RunsOfPrograms<T>::~RunsOfPrograms() = default;
template <class T>
ProgramRuns<T>& RunsOfPrograms<T>::of(const CompiledProgram<T>& program) {
    const std::lock_guard lock(all_->mutex);
    for (auto& [known, runs] : all_->runs)
        if (known == &program) return *runs;
    return *all_->runs.emplace_back(&program, std::make_unique<ProgramRuns<T>>()).second;
}

}  // namespace sigma::detail

SIGMA_INSTANTIATE(class sigma::detail::ProgramRuns);
SIGMA_INSTANTIATE(class sigma::detail::StreamSession);
SIGMA_INSTANTIATE(class sigma::detail::RunsOfPrograms);
