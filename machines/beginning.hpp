// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace sigma::machines_detail {

/// Seconds after which rank 0 names a process that others wait for.
inline constexpr double silent_after = 10;

/// "machines: rank 2 has been silent for 10 seconds", on standard error.
void name_silent(const std::string& rank);

/// MPI begins when all processes do it, and cannot be left meanwhile. While this lives the process is seen by others of
/// this machine, where a launcher has told its number; rank 0 names those that have not come, and after so many seconds
/// the process ends.
class Beginning {
public:
    explicit Beginning(double patience);
    Beginning(const Beginning&) = delete;
    Beginning& operator=(const Beginning&) = delete;
    ~Beginning();

private:
    int rank_ = -1, count_ = 0;
    bool all_here_ = false;  ///< on this machine
    int seen_ = -1;          ///< a socket of this process's number
    double patience_;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool over_ = false;
    std::thread watch_;

    void watch();
    /// Those of this machine that have not come, as text; "" where none is known.
    std::string missing() const;
};

}  // namespace sigma::machines_detail
