// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/core/terminal.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <mutex>
#include <string>
#include <thread>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace sigma::machines_detail {

/// Seconds after which rank 0 names a process that others wait for.
inline constexpr double silent_after = 10;

/// Prints "machines: rank 2 has been silent for 10 seconds" on standard error.
inline void name_silent(const std::string& rank) {
    terminal::print(stderr, sentence("machines: rank ", rank, " has been silent for ", silent_after, " seconds"));
}

/// Returns a number that Open MPI, MPICH or Slurm has set in the environment, or -1.
inline int from_environment(std::initializer_list<const char*> variables) {
    for (const char* variable : variables)
        if (std::uint64_t number = 0; const char* const text = std::getenv(variable))
            if (sigma::detail::read_number(text, number) && number < 1'000'000) return static_cast<int>(number);
    return -1;
}

/// Opens a socket with the name of a rank, or returns -1 if another process has the name. The system closes it with the
/// process. Processes of one launcher on one machine have the same parent.
inline int open_as(int rank) {
    const int made = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (made < 0) return made;
    ::sockaddr_un name{};
    name.sun_family = AF_UNIX;
    // A name that begins with zero is in no folder (Linux).
    const std::string text = sentence('\0', "sigma-machines-", ::getuid(), '-', ::getppid(), '-', rank);
    std::copy(text.begin(), text.end(), name.sun_path);
    const auto size = static_cast<::socklen_t>(offsetof(::sockaddr_un, sun_path) + text.size());
    if (::bind(made, reinterpret_cast<const ::sockaddr*>(&name), size) == 0) return made;
    ::close(made);
    return -1;
}

/// A watch over the initialization of MPI, which waits for all processes and cannot be interrupted. During its
/// lifetime, other processes of this machine can see this process, if a launcher has set its rank in the environment.
/// Rank 0 prints which ranks are missing. After `patience` seconds the process exits.
class Beginning {
public:
    explicit Beginning(double patience)
        : rank_(from_environment({"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"})),
          count_(from_environment({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"})), patience_(patience) {
        if (rank_ < 0 || count_ < 2) return;
        all_here_ = from_environment({"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"}) == count_;
        seen_ = open_as(rank_);
        watch_ = std::thread([this] { watch(); });
    }
    Beginning(const Beginning&) = delete;
    Beginning& operator=(const Beginning&) = delete;
    ~Beginning() {
        {
            const std::lock_guard lock(mutex_);
            over_ = true;
        }
        changed_.notify_all();
        if (watch_.joinable()) watch_.join();
        if (seen_ >= 0) ::close(seen_);
    }

private:
    int rank_ = -1, count_ = 0;
    bool all_here_ = false;  ///< true if all processes are on this machine
    int seen_ = -1;          ///< socket with the name of this rank, or -1
    double patience_;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool over_ = false;
    std::thread watch_;

    void watch() {
        std::unique_lock lock(mutex_);
        const auto begin = std::chrono::steady_clock::now();
        const auto ends_before = [&](double seconds) {
            const auto end = begin + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                         std::chrono::duration<double>(std::min(seconds, 1e8)));
            return changed_.wait_until(lock, end, [&] { return over_; });
        };
        if (patience_ > silent_after) {
            if (ends_before(silent_after)) return;
            if (rank_ == 0) {  // rank 0 only, since missing() takes the names of other ranks for a moment
                if (const std::string ranks = missing(); !ranks.empty()) name_silent(ranks);
                else
                    terminal::print(stderr, sentence("machines: some of ", count_, " processes have been silent for ",
                                                     silent_after, " seconds"));
            }
        }
        // Rank 0 prints first, if it is there.
        if (ends_before(patience_ + (rank_ == 0 ? 0.0 : 1.0))) return;
        const std::string missing_ranks = missing();
        terminal::print(stderr, sentence("machines: no call of machines() by ",
                                         missing_ranks.empty() ? std::string("some") : sentence("rank ", missing_ranks),
                                         " of ", count_, " processes within ", patience_, " seconds"));
        std::fflush(nullptr);
        std::_Exit(1);
    }
    /// Returns the missing ranks of this machine as text; empty if none is known.
    std::string missing() const {
        std::string all;
        for (int r = 0; all_here_ && r < count_; ++r)
            if (const int made = r == rank_ ? -1 : open_as(r); made >= 0) {
                ::close(made);
                all += sentence(all.empty() ? "" : ", ", r);
            }
        return all;
    }
};

}  // namespace sigma::machines_detail
