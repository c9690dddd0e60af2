// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owners.hpp>
#include <sigma/execution/machine_group.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstring>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace support {

/// Threads of this process in place of processes: what a MachineGroup is, without MPI.
class ThreadGroup {
public:
    explicit ThreadGroup(int count) : count_(count) {
        for (int r = 0; r < count; ++r) members_.push_back(std::make_shared<Member>(*this, r));
    }
    sigma::detail::SharedOwner<sigma::detail::MachineGroup> member(int rank) {
        return std::shared_ptr<sigma::detail::MachineGroup>(members_[static_cast<std::size_t>(rank)]);
    }
    /// f(rank) on a thread each; what each has thrown, or "".
    std::vector<std::string> run(const std::function<void(int)>& f) {
        std::vector<std::string> thrown(static_cast<std::size_t>(count_));
        std::vector<std::thread> threads;
        for (int r = 0; r < count_; ++r)
            threads.emplace_back([&, r] {
                try {
                    f(r);
                } catch (const std::exception& e) { thrown[static_cast<std::size_t>(r)] = e.what(); }
            });
        for (std::thread& t : threads) t.join();
        return thrown;
    }

private:
    /// What one rank has put down for the others, who take it before it goes on.
    struct Place {
        const void* data = nullptr;
        std::vector<std::size_t> places{};
    };
    /// Of nothing there may be no address.
    static void copy(void* to, const void* from, std::size_t bytes) {
        if (bytes > 0) std::memcpy(to, from, bytes);
    }
    class Member final : public sigma::detail::MachineGroup {
    public:
        Member(ThreadGroup& of, int rank) : of_(of), rank_(rank) {}
        int rank() const override { return rank_; }
        int count() const override { return of_.count_; }
        void broadcast(void* data, std::size_t bytes) override {
            of_.meet(rank_, {data, {}}, [&](const std::vector<Place>& all) {
                if (rank_ != 0) copy(data, all[0].data, bytes);
            });
        }
        void exchange(const void* data, std::span<const std::size_t> from, void* result,
                      std::span<const std::size_t> to) override {
            of_.meet(rank_, {data, {from.begin(), from.end()}}, [&](const std::vector<Place>& all) {
                for (std::size_t r = 0; r < all.size(); ++r) {
                    const std::size_t begin = all[r].places[static_cast<std::size_t>(rank_)];
                    const std::size_t bytes = all[r].places[static_cast<std::size_t>(rank_) + 1] - begin;
                    if (bytes > 0)
                        copy(static_cast<char*>(result) + to[r], static_cast<const char*>(all[r].data) + begin, bytes);
                }
            });
        }
        void gather(void* data, std::span<const std::size_t> places) override {
            of_.meet(rank_, {data, {}}, [&](const std::vector<Place>& all) {
                for (std::size_t r = 0; r < all.size(); ++r)
                    if (r != static_cast<std::size_t>(rank_))
                        copy(static_cast<char*>(data) + places[r], static_cast<const char*>(all[r].data) + places[r],
                             places[r + 1] - places[r]);
            });
        }
        std::vector<std::string> texts(const std::string& own, double patience) override {
            std::vector<std::string> result;
            of_.meet(
                rank_, {&own, {}},
                [&](const std::vector<Place>& all) {
                    for (const Place& p : all)
                        if (rank_ == 0) result.push_back(*static_cast<const std::string*>(p.data));
                },
                patience);
            return result;
        }
        void post(const std::string& text) override {
            const std::lock_guard lock(of_.mutex_);
            for (const auto& each : of_.members_)
                if (each.get() != this) each->come_.push_back(text);
        }
        std::vector<std::string> posted() override {
            const std::lock_guard lock(of_.mutex_);
            if (!of_.failure_.empty()) throw sigma::MachineError(of_.failure_);
            return std::exchange(come_, {});
        }
        void fail(const std::string& what) noexcept override {
            of_.fail("rank " + std::to_string(rank_) + ": " + what);
        }

    private:
        ThreadGroup& of_;
        int rank_;
        std::vector<std::string> come_{};
    };

    /// All put something down, take what they need, and go on when all have.
    template <class Take>
    void meet(int rank, Place place, Take take, double patience = 1e6) {
        const auto self = static_cast<std::size_t>(rank);
        wait_for_all([&] { places_[self] = std::move(place); }, patience);
        take(places_);
        wait_for_all([] {}, patience);
    }
    template <class Arrive>
    void wait_for_all(Arrive arrive, double patience) {
        std::unique_lock lock(mutex_);
        places_.resize(static_cast<std::size_t>(count_));
        arrive();
        const std::size_t round = round_;
        if (++arrived_ == count_) {
            arrived_ = 0;
            ++round_;
            changed_.notify_all();
        }
        const bool came = changed_.wait_for(lock, std::chrono::duration<double>(std::min(patience, 600.0)),
                                            [&] { return round_ != round || !failure_.empty(); });
        if (round_ != round && came) return;
        if (failure_.empty()) failure_ = "some have not come";
        changed_.notify_all();
        throw sigma::MachineError(failure_);
    }
    void fail(const std::string& what) noexcept {
        const std::lock_guard lock(mutex_);
        if (failure_.empty()) failure_ = what;
        changed_.notify_all();
    }

    const int count_;
    std::vector<std::shared_ptr<Member>> members_;
    std::mutex mutex_;
    std::condition_variable changed_;
    int arrived_ = 0;
    std::size_t round_ = 0;
    std::vector<Place> places_;
    std::string failure_;
};

}  // namespace support
