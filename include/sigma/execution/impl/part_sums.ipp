// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/execution/part_sums.hpp>

#include <algorithm>
#include <bit>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace sigma::detail {

/// A range of neighbouring parts that one node of the tree adds up.
struct PartRange {
    int begin, end;

    int size() const { return end - begin; }
    PartRange first() const { return {begin, begin + (size() + 1) / 2}; }
    PartRange second() const { return {begin + (size() + 1) / 2, end}; }
    bool within(PartRange o) const { return begin >= o.begin && end <= o.end; }
    bool meets(PartRange o) const { return begin < o.end && o.begin < end; }
    friend bool operator==(PartRange, PartRange) = default;
};

template <class T>
struct PartSums<T>::State {
    /// The known numbers of one node of the tree.
    struct Piece {
        PartRange parts;
        const T* values;
    };
    struct Job {
        std::vector<T*> own;
        T* to;
        std::size_t first, count;
    };
    using Clock = std::chrono::steady_clock;
    static constexpr std::size_t block = 1024;                 // elements that are added up in the cache
    static constexpr std::size_t most = std::size_t{1} << 25;  // elements of one sum

    MachineGroup& group;
    const BatchParts parts;
    const int rank;
    std::vector<std::vector<PartRange>> pieces{};  // for each rank: the largest nodes of which it has all parts
    std::vector<T> sent{}, received{}, scratch;
    std::vector<std::size_t> from{}, to{}, places{};

    std::mutex mutex{};
    std::condition_variable changed{};
    std::deque<Job> jobs{};
    bool busy = false, stopping = false;
    std::exception_ptr failure{};
    Counters counted{};
    std::thread thread{};  // last, because it uses all other members

    State(MachineGroup& with, BatchParts of)
        : group(with), parts(of), rank(with.rank()),
          scratch(block * static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(of.parts)))) {
        for (int r = 0; r < parts.ranks; ++r) {
            pieces.emplace_back();
            find_pieces({0, parts.parts}, {parts.begin(r), parts.begin(r + 1)}, pieces.back());
        }
        thread = std::thread([this] { work(); });
    }
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State() {
        {
            const std::lock_guard lock(mutex);
            stopping = true;
        }
        changed.notify_all();
        thread.join();
    }

    static void find_pieces(PartRange node, PartRange own, std::vector<PartRange>& to) {
        if (!node.meets(own)) return;
        if (node.within(own)) return to.push_back(node);
        find_pieces(node.first(), own, to);
        find_pieces(node.second(), own, to);
    }

    void work() {
        std::unique_lock lock(mutex);
        while (true) {
            changed.wait(lock, [this] { return !jobs.empty() || stopping; });
            if (stopping) return;
            const Job job = std::move(jobs.front());
            jobs.pop_front();
            busy = true;
            lock.unlock();
            const auto begin = Clock::now();
            std::exception_ptr problem;
            try {
                make(job);
            } catch (...) { problem = std::current_exception(); }
            lock.lock();
            counted.busy += std::chrono::duration<double>(Clock::now() - begin).count();
            busy = false;
            if (problem && !failure) failure = problem;
            if (failure) jobs.clear();
            changed.notify_all();
        }
    }

    /// Adds up the numbers of node `of` from `offset` on, from these pieces, block by block.
    void add_up(PartRange of, std::span<const Piece> known, std::size_t offset, std::size_t count, T* result) {
        for (std::size_t at = 0; at < count; at += block)
            add_block(of, known, offset + at, std::min(block, count - at), result + at, 0);
    }
    void add_block(PartRange of, std::span<const Piece> known, std::size_t offset, std::size_t count, T* result,
                   std::size_t depth) {
        const auto found = std::ranges::find(known, of, &Piece::parts);
        if (found != known.end()) {
            std::copy_n(found->values + offset, count, result);
            return;
        }
        add_block(of.first(), known, offset, count, result, depth);
        add_block(of.second(), known, offset, count, &scratch[depth * block], depth + 1);
        const T* const other = &scratch[depth * block];
        for (std::size_t i = 0; i < count; ++i) result[i] += other[i];
    }

    void make(const Job& job) {
        std::vector<Piece> own;
        for (std::size_t i = 0; i < job.own.size(); ++i) {
            const int part = parts.begin(rank) + static_cast<int>(i);
            own.push_back({{part, part + 1}, job.own[i] + job.first});
        }
        const PartRange all{0, parts.parts};
        if (parts.ranks == 1) return add_up(all, own, 0, job.count, job.to + job.first);
        const auto ranks = static_cast<std::size_t>(parts.ranks), me = static_cast<std::size_t>(rank);
        const auto share = [&](std::size_t r) { return job.count * r / ranks; };
        const std::size_t mine = share(me + 1) - share(me);
        from.assign(1, 0), to.assign(1, 0), places.clear();
        for (std::size_t r = 0; r < ranks; ++r) {
            from.push_back(from.back() + pieces[me].size() * (share(r + 1) - share(r)) * sizeof(T));
            to.push_back(to.back() + pieces[r].size() * mine * sizeof(T));
        }
        for (std::size_t r = 0; r <= ranks; ++r) places.push_back(share(r) * sizeof(T));
        received.resize(std::max(received.size(), to.back() / sizeof(T)));
        // A single part is sent as it is. Pieces of several parts are added up first.
        const T* source = own[0].values;
        if (own.size() > 1) {
            sent.resize(std::max(sent.size(), from.back() / sizeof(T)));
            source = sent.data();
            T* next = sent.data();
            for (std::size_t r = 0; r < ranks; ++r)
                for (const PartRange& piece : pieces[me]) {
                    const std::size_t count = share(r + 1) - share(r);
                    add_up(piece, own, share(r), count, next);
                    next += count;
                }
        }
        group.exchange(source, from, received.data(), to);
        std::vector<Piece> known;
        for (std::size_t r = 0; r < ranks; ++r) {
            const T* place = (r == me ? source + from[me] / sizeof(T) : received.data() + to[r] / sizeof(T));
            for (const PartRange& piece : pieces[r]) {
                known.push_back({piece, place});
                place += mine;
            }
        }
        T* const result = job.to + job.first;
        add_up(all, known, 0, mine, result + share(me));
        group.gather(result, places);
        const std::lock_guard lock(mutex);
        counted.sent += from.back() - (from[me + 1] - from[me]) + (ranks - 1) * mine * sizeof(T);
    }
};

template <class T>
PartSums<T>::PartSums(MachineGroup& group, BatchParts parts) : state_(make_owned<State>(group, parts)) {}
template <class T>
PartSums<T>::~PartSums() = default;

template <class T>
void PartSums<T>::begin(std::span<T* const> own, T* to, std::size_t first, std::size_t count) {
    {
        const std::lock_guard lock(state_->mutex);
        for (std::size_t at = 0; at < count; at += State::most)
            state_->jobs.push_back({{own.begin(), own.end()}, to, first + at, std::min(State::most, count - at)});
    }
    state_->changed.notify_all();
}

template <class T>
void PartSums<T>::wait() {
    const auto begin = State::Clock::now();
    std::unique_lock lock(state_->mutex);
    state_->changed.wait(lock, [this] { return state_->jobs.empty() && !state_->busy; });
    state_->counted.waited += std::chrono::duration<double>(State::Clock::now() - begin).count();
    if (state_->failure) std::rethrow_exception(std::exchange(state_->failure, nullptr));
}

template <class T>
typename PartSums<T>::Counters PartSums<T>::counters() const {
    const std::lock_guard lock(state_->mutex);
    return state_->counted;
}

}  // namespace sigma::detail

SIGMA_INSTANTIATE(class sigma::detail::PartSums);
