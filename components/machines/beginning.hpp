// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace sigma::machines_detail {

/// Seconds after which rank 0 names a process that others wait for.
inline constexpr double silent_after = 10;

/// Prints "machines: rank 2 has been silent for 10 seconds" on standard error.
void name_silent(const std::string& rank);

/// A watch over the initialization of MPI, which waits for all processes and cannot be interrupted. During its
/// lifetime, other processes of this machine can see this process, if a launcher has set its rank in the environment.
/// Rank 0 prints which ranks are missing. After `patience` seconds the process exits.
class Beginning {
public:
    explicit Beginning(double patience);
    Beginning(const Beginning&) = delete;
    Beginning& operator=(const Beginning&) = delete;
    ~Beginning();

private:
    int rank_ = -1, count_ = 0;
    bool all_here_ = false;  ///< true if all processes are on this machine
    int seen_ = -1;          ///< socket with the name of this rank, or -1
    double patience_;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool over_ = false;
    std::thread watch_;

    void watch();
    /// Returns the missing ranks of this machine as text; empty if none is known.
    std::string missing() const;
};

}  // namespace sigma::machines_detail
