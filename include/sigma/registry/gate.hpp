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
        explicit Pass(Gate& gate) : gate_(gate), frame_{&gate, innermost_} {
            innermost_ = &frame_;
            gate_.running_.fetch_add(1);  // before open_ is read: the closing thread does the reverse
            open_ = gate_.open_.load();
        }
        Pass(const Pass&) = delete;
        Pass& operator=(const Pass&) = delete;
        ~Pass() {
            innermost_ = frame_.outer;
            gate_.running_.fetch_sub(1);
            gate_.running_.notify_all();
        }
        explicit operator bool() const { return open_; }

    private:
        Gate& gate_;
        Frame frame_;
        bool open_;
    };

    /// How many calls this thread is in.
    int calls_here() const {
        int count = 0;
        for (const Frame* f = innermost_; f; f = f->outer) count += f->gate == this;
        return count;
    }

    void close() {
        open_.store(false);
        const int own = calls_here();
        for (int running = running_.load(); running > own; running = running_.load()) running_.wait(running);
    }

private:
    std::atomic<bool> open_{true};
    std::atomic<int> running_{0};
};

}  // namespace sigma::detail
