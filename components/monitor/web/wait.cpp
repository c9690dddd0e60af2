// SPDX-License-Identifier: BSL-1.0
#include <sigma/monitor/web.hpp>

#include <array>
#include <cstddef>
#include <mutex>

#include <semaphore.h>
#include <signal.h>

namespace sigma::monitor {

namespace {

/// A handler that lets SIGINT and SIGTERM wake `wait` instead of ending the process. A signal that the process ignores
/// (nohup) stays ignored. Handlers that runs set for SIGINT meanwhile come first.
class EndSignals {
public:
    EndSignals() {
        ::sem_init(&wake, 0, 0);
        for (std::size_t i = 0; i < signals.size(); ++i) {
            ::sigaction(signals[i], nullptr, &before_[i]);
            if (before_[i].sa_handler == SIG_IGN) continue;
            struct sigaction ours{};
            ours.sa_handler = [](int) { ::sem_post(&wake); };
            ours.sa_flags = SA_RESTART;
            ::sigemptyset(&ours.sa_mask);
            ::sigaction(signals[i], &ours, nullptr);
        }
    }
    EndSignals(const EndSignals&) = delete;
    EndSignals& operator=(const EndSignals&) = delete;
    ~EndSignals() {
        for (std::size_t i = 0; i < signals.size(); ++i)
            if (before_[i].sa_handler != SIG_IGN) ::sigaction(signals[i], &before_[i], nullptr);
    }
    void wait() {
        while (::sem_wait(&wake) != 0) {}  // interrupted by a signal on this thread
    }

private:
    static constexpr std::array signals{SIGINT, SIGTERM};
    static inline ::sem_t wake;  // never destroyed: a handler may still run
    std::array<struct sigaction, signals.size()> before_{};
};

}  // namespace

void Web::wait() const {
    static std::mutex one_at_a_time;
    const std::scoped_lock lock(one_at_a_time);
    EndSignals().wait();
}

}  // namespace sigma::monitor
