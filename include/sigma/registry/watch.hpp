// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/registry/tree.hpp>

namespace sigma {

namespace detail {

/// A name on the way from what changed up to a root.
struct Rung {
    std::string name;
    Item* item;
};

struct Call {
    std::shared_ptr<Watcher> watcher;
    std::string name;
};

void collect_calls(Branch& branch, std::vector<Rung>& rungs, std::vector<Call>& calls);

/// All are called, also after one has thrown; the first exception then goes on.
void make_calls(const std::vector<Call>& calls);

std::vector<Call> calls_about(const std::shared_ptr<Branch>& owner, const std::string& name, Item* item);

/// Tells those who watch that the value has changed. Costs two reads of atomics where nobody watches it.
void announce(Leaf& leaf);

}  // namespace detail

/// Watches as long as it lives. When its end (or stop) returns, the callback runs no more on other threads; ended
/// inside of the callback, it lets that call finish. Two callbacks that end each other's watch at once wait forever.
class [[nodiscard]] Watch {
public:
    Watch() = default;
    Watch(const std::shared_ptr<detail::Branch>& branch, std::shared_ptr<detail::Watcher> watcher);
    Watch(Watch&& other) noexcept = default;
    Watch& operator=(Watch&& other) noexcept;
    ~Watch() { stop(); }

    void stop();
    explicit operator bool() const { return watcher_ != nullptr; }

private:
    std::weak_ptr<detail::Branch> branch_;
    std::shared_ptr<detail::Watcher> watcher_;
};

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/registry/impl/watch.ipp>
#endif
