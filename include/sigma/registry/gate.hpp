// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <atomic>

namespace sigma::detail {

/// Lets calls of a user's function through until it closes; closing waits for the calls that other threads are in, so
/// that whatever the function refers to may end afterwards.
class Gate {
    struct Frame {
        const Gate* gate;
        const Frame* outer;
    };
    inline static thread_local const Frame* innermost_ = nullptr;

public:
    class Pass {
    public:
        explicit Pass(Gate& gate);
        Pass(const Pass&) = delete;
        Pass& operator=(const Pass&) = delete;
        ~Pass();
        explicit operator bool() const { return open_; }

    private:
        Gate& gate_;
        Frame frame_;
        bool open_;
    };

    /// How many calls this thread is in.
    int calls_here() const;

    void close();

private:
    std::atomic<bool> open_{true};
    std::atomic<int> running_{0};
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/registry/impl/gate.ipp>
#endif
