// SPDX-License-Identifier: BSL-1.0
#include <sigma/machines.hpp>

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include "beginning.hpp"

#include <sigma/core/terminal.hpp>

#include <algorithm>
#include <chrono>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

namespace sigma {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

void examine(int code, const char* what) {
    if (code == MPI_SUCCESS) return;
    char text[MPI_MAX_ERROR_STRING + 1]{};
    int length = 0;
    MPI_Error_string(code, text, &length);
    throw MachineError(sentence("MPI error in ", what, ": ", std::string_view(text, static_cast<std::size_t>(length))));
}

/// Returns a number of bytes as an int, which MPI needs.
int counted(std::size_t bytes) {
    if (bytes > INT_MAX) throw MachineError(sentence("MPI: expected a message of less than 2^31 bytes, found ", bytes));
    return static_cast<int>(bytes);
}

/// All processes of MPI_COMM_WORLD, with communicators of their own. No call blocks within MPI: a waiting process
/// checks whether another one has failed, and yields its core to processes that compute.
class Processes final : public detail::MachineGroup {
public:
    explicit Processes(double patience) {
        const machines_detail::Beginning beginning(patience);
        int begun = 0, over = 0, provided = MPI_THREAD_SINGLE;
        MPI_Initialized(&begun);
        MPI_Finalized(&over);
        if (over) throw MachineError("machines: MPI was finalized already");
        if (!begun) examine(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided), "begin");
        else MPI_Query_thread(&provided);
        if (provided < MPI_THREAD_SERIALIZED)
            throw MachineError(
                "machines: MPI was initialized without MPI_THREAD_SERIALIZED; call MPI_Init_thread, or let Sigma "
                "initialize MPI");
        examine(MPI_Comm_dup(MPI_COMM_WORLD, &work_), "communicator");
        examine(MPI_Comm_dup(MPI_COMM_WORLD, &news_), "communicator");
        MPI_Comm_set_errhandler(work_, MPI_ERRORS_RETURN);
        MPI_Comm_set_errhandler(news_, MPI_ERRORS_RETURN);
        MPI_Comm_rank(work_, &rank_);
        MPI_Comm_size(work_, &count_);
        ours_ = !begun;
    }
    /// Finalizes MPI at the end of the program.
    void close() noexcept {
        int over = 0;
        MPI_Finalized(&over);
        if (over || !ours_) return;
        if (broken_) {  // aborts, since other processes may wait in a call that this one never makes
            MPI_Request request = MPI_REQUEST_NULL;
            const auto begin = Clock::now();
            int done = MPI_Ibarrier(news_, &request) != MPI_SUCCESS;
            while (!done && seconds_since(begin) < 1 && MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS)
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
        MPI_Finalize();
    }

    int rank() const override { return rank_; }
    int count() const override { return count_; }

    void broadcast(void* data, std::size_t bytes) override {
        for (std::size_t at = 0; at < bytes; at += most) {
            const int count = counted(std::min(most, bytes - at));
            finish("broadcast", [&](MPI_Request& request) {
                return MPI_Ibcast(static_cast<char*>(data) + at, count, MPI_BYTE, 0, work_, &request);
            });
        }
    }
    void exchange(const void* data, std::span<const std::size_t> from, void* result,
                  std::span<const std::size_t> to) override {
        places(from, counts_[0], places_[0]);
        places(to, counts_[1], places_[1]);
        const auto me = static_cast<std::size_t>(rank_);
        counts_[0][me] = counts_[1][me] = 0;
        finish("exchange", [&](MPI_Request& request) {
            return MPI_Ialltoallv(data, counts_[0].data(), places_[0].data(), MPI_BYTE, result, counts_[1].data(),
                                  places_[1].data(), MPI_BYTE, work_, &request);
        });
    }
    void gather(void* data, std::span<const std::size_t> all) override {
        places(all, counts_[0], places_[0]);
        finish("gather", [&](MPI_Request& request) {
            return MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data, counts_[0].data(), places_[0].data(),
                                   MPI_BYTE, work_, &request);
        });
    }

    std::vector<std::string> texts(const std::string& own, double patience) override {
        const auto begin = Clock::now();
        if (rank_ != 0) {
            finish<false>(
                "introduction",
                [&](MPI_Request& request) {  // ends when rank 0 has received it
                    return MPI_Issend(own.data(), counted(own.size()), MPI_BYTE, 0, text_tag, news_, &request);
                },
                [&] {
                    if (seconds_since(begin) > patience)
                        give_up(sentence("no run by rank 0 within ", patience, " seconds"));
                });
            return {};
        }
        std::vector<std::string> all(static_cast<std::size_t>(count_));
        std::vector<bool> here(all.size(), false);
        all[0] = own;
        here[0] = true;
        for (std::size_t missing = all.size() - 1; missing > 0;) {
            int found = 0;
            MPI_Status status;
            examine(MPI_Iprobe(MPI_ANY_SOURCE, text_tag, news_, &found, &status), "introduction");
            if (found) {
                all[static_cast<std::size_t>(status.MPI_SOURCE)] = received(status, "introduction");
                here[static_cast<std::size_t>(status.MPI_SOURCE)] = true;
                --missing;
                continue;
            }
            look_for_failures();
            if (seconds_since(begin) > silent_after)
                for (std::size_t r = 0; r < all.size(); ++r)
                    if (!here[r]) miss(r);
            if (seconds_since(begin) > patience) {
                std::string missing_ranks;
                for (std::size_t r = 0; r < all.size(); ++r)
                    if (!here[r]) missing_ranks += sentence(missing_ranks.empty() ? "" : ", ", r);
                give_up(sentence("no run by rank ", missing_ranks, " of ", count_, " processes within ", patience,
                                 " seconds"));
            }
            std::this_thread::sleep_for(std::chrono::microseconds(200));
        }
        return all;
    }

    void post(const std::string& text) override {
        const std::lock_guard lock(mutex_);
        forget_sent();
        for (int r = 0; r < count_; ++r) {
            if (r == rank_) continue;
            Sent& one = sent_.emplace_back(text, MPI_REQUEST_NULL);  // a list: the text keeps its address
            examine(MPI_Isend(one.text.data(), counted(one.text.size()), MPI_BYTE, r, posted_tag, news_, &one.request),
                    "post");
        }
    }
    std::vector<std::string> posted() override {
        const std::lock_guard lock(mutex_);
        if (broken_) throw MachineError("machines: a process has failed before");
        look_for_failures();
        forget_sent();
        std::vector<std::string> all;
        for (MPI_Status status;;) {
            int found = 0;
            examine(MPI_Iprobe(MPI_ANY_SOURCE, posted_tag, news_, &found, &status), "posted");
            if (!found) return all;
            all.push_back(received(status, "posted"));
        }
    }

    void fail(const std::string& what) noexcept override {
        const std::lock_guard lock(mutex_);
        if (std::exchange(broken_, true)) return;
        failure_ = sentence("rank ", rank_, ": ", what).substr(0, longest);
        // Small messages arrive even if this process exits.
        const auto begin = Clock::now();
        std::vector<MPI_Request> requests;
        for (int r = 0; r < count_; ++r) {
            if (r == rank_) continue;
            requests.emplace_back();
            if (MPI_Isend(failure_.data(), static_cast<int>(failure_.size()), MPI_BYTE, r, failure_tag, news_,
                          &requests.back()) != MPI_SUCCESS)
                requests.pop_back();
        }
        for (int done = 0; !done && seconds_since(begin) < 2;) {
            if (MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE) !=
                MPI_SUCCESS)
                return;
            if (!done) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }

private:
    struct Sent {
        std::string text;
        MPI_Request request;
        Sent(std::string sent, MPI_Request of) : text(std::move(sent)), request(of) {}
    };
    /// A message of a waiting rank to rank 0.
    struct Waits {
        std::uint64_t meeting = 0;
        MPI_Request request = MPI_REQUEST_NULL;
    };
    static constexpr int text_tag = 1, failure_tag = 2, posted_tag = 3, waits_tag = 4;
    static constexpr double silent_after = machines_detail::silent_after;
    std::vector<bool> named_{};  ///< rank 0: ranks that it has printed as silent
    static constexpr std::size_t most = std::size_t{1} << 28, longest = 2000;

    MPI_Comm work_ = MPI_COMM_NULL, news_ = MPI_COMM_NULL;
    int rank_ = 0, count_ = 1;
    bool ours_ = false;
    std::mutex mutex_;  ///< guards calls of MPI, since this thread may fail while another one sums
    bool broken_ = false;
    std::string failure_;
    std::list<Sent> sent_;                ///< messages that may not be sent completely yet
    std::uint64_t meeting_ = 0;           ///< number of operations of all processes so far
    std::vector<std::uint64_t> waits_{};  ///< rank 0: the operation in which each rank was last seen to wait
    std::list<Waits> sent_waits_{};
    std::vector<int> counts_[2], places_[2];

    void places(std::span<const std::size_t> of, std::vector<int>& counts, std::vector<int>& begins) const {
        counts.clear(), begins.clear();
        for (std::size_t r = 0; r + 1 < of.size(); ++r) {
            counts.push_back(counted(of[r + 1] - of[r]));
            begins.push_back(counted(of[r]));
        }
    }
    /// Receives a message that a probe has found.
    std::string received(const MPI_Status& status, const char* what) const {
        int length = 0;
        MPI_Get_count(&status, MPI_BYTE, &length);
        std::string text(static_cast<std::size_t>(length), '\0');
        examine(MPI_Recv(text.data(), length, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, news_, MPI_STATUS_IGNORE),
                what);
        return text;
    }
    void forget_sent() {
        sent_.remove_if([](Sent& one) {
            int done = 0;
            examine(MPI_Test(&one.request, &done, MPI_STATUS_IGNORE), "post");
            return done != 0;
        });
    }
    [[noreturn]] void give_up(const std::string& what) {
        fail(what);
        throw MachineError(what);
    }
    /// Throws the failure of another process. Called under the lock.
    void look_for_failures() {
        int found = 0;
        MPI_Status status;
        examine(MPI_Iprobe(MPI_ANY_SOURCE, failure_tag, news_, &found, &status), "news");
        if (!found) return;
        broken_ = true;
        throw MachineError(received(status, "news"));
    }
    /// Prints once that a rank is silent.
    void miss(std::size_t rank) {
        named_.resize(static_cast<std::size_t>(count_));
        if (!named_[rank]) machines_detail::name_silent(sentence(rank));
        named_[rank] = true;
    }
    /// Sends rank 0 a message that this rank waits. Rank 0 prints the ranks without such a message. Called under the
    /// lock.
    void look_for_silent() {
        if (rank_ != 0) {
            if (!sent_waits_.empty() && sent_waits_.back().meeting == meeting_) return;
            sent_waits_.remove_if([](Waits& w) {
                int done = 0;
                examine(MPI_Test(&w.request, &done, MPI_STATUS_IGNORE), "news");
                return done != 0;
            });
            Waits& w = sent_waits_.emplace_back(Waits{meeting_});
            examine(MPI_Isend(&w.meeting, sizeof w.meeting, MPI_BYTE, 0, waits_tag, news_, &w.request), "news");
            return;
        }
        for (std::size_t r = 1; r < waits_.size(); ++r)
            if (waits_[r] < meeting_) miss(r);
    }
    /// Receives the messages of waiting ranks. Called in rank 0, under the lock.
    void receive_waits() {
        waits_.resize(static_cast<std::size_t>(count_));
        for (MPI_Status status;;) {
            int found = 0;
            examine(MPI_Iprobe(MPI_ANY_SOURCE, waits_tag, news_, &found, &status), "news");
            if (!found) return;
            std::uint64_t meeting = 0;
            examine(
                MPI_Recv(&meeting, sizeof meeting, MPI_BYTE, status.MPI_SOURCE, waits_tag, news_, MPI_STATUS_IGNORE),
                "news");
            waits_[static_cast<std::size_t>(status.MPI_SOURCE)] = meeting;
        }
    }
    /// Polls an operation until it ends: often at first, since most messages are short, then less often.
    template <bool all_meet = true, class Begin, class More = void (*)()>
    void finish(const char* what, Begin begin, More more = [] {}) {
        MPI_Request request = MPI_REQUEST_NULL;
        const auto began = Clock::now();
        {
            const std::lock_guard lock(mutex_);
            examine(begin(request), what);
            meeting_ += all_meet;
        }
        for (long looked = 0;; ++looked) {
            int done = 0;
            {
                const std::lock_guard lock(mutex_);
                if (broken_) throw MachineError("machines: a process has failed before");
                examine(MPI_Test(&request, &done, MPI_STATUS_IGNORE), what);
                if (!done && looked % 64 == 63) look_for_failures();
                // Waiting ranks send their message before rank 0 counts them as silent.
                if (!done && all_meet && looked > 20'000 && looked % 64 == 0) {
                    if (rank_ == 0) receive_waits();
                    if (seconds_since(began) > (rank_ == 0 ? silent_after : silent_after / 2)) look_for_silent();
                }
            }
            if (done) return;
            if (looked % 64 == 63) more();
            if (looked > 20'000) std::this_thread::sleep_for(std::chrono::microseconds(50));
            else if (looked > 50) std::this_thread::yield();
        }
    }
};

Processes* opened = nullptr;

const detail::SharedOwner<detail::MachineGroup>& processes(double patience) {
    // Never destroyed: it is closed after everything that may use it.
    static const auto* const all = [&] {
        auto made = detail::SharedOwner<Processes>::make(patience);
        opened = made.get();
        std::atexit([] { opened->close(); });
        return new detail::SharedOwner<detail::MachineGroup>(std::move(made));
    }();
    return *all;
}

}  // namespace

MachineSet machines(Device device, MachineOptions options) {
    MachineSet all{processes(options.patience), std::move(device), options};
    static_cast<void>(all.parts());
    return all;
}
MachineSet machines(WorkerSet workers, MachineOptions options) {
    return {processes(options.patience), cpu(1), options,
            detail::SharedOwner<const WorkerSet>::make(std::move(workers))};
}

}  // namespace sigma
