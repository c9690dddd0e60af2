// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <gpu/host/host_options.hpp>
#include <gpu/host/stack_switch.hpp>
#include <sigma/core/error.hpp>

#include <sys/mman.h>

#include <cstddef>
#include <new>
#include <vector>

namespace sigma::on_gpu {

/// The position of a thread of a kernel: sigma_context of kernels/language.hpp.
struct HostContext {
    long long block, blocks;
    int thread, threads, lanes;
    void (*meet)(const HostContext*, int whole_block);
};

using HostKernel = void (*)(const void* words, const HostContext* context);

/// An error of threads of a block that do not all reach the same barrier; a device would wait forever.
struct BarrierError : Error {
    using Error::Error;
};

/// The threads of one block, which take turns on one thread of the system. A turn ends at a barrier. The first group
/// that can continue does so until it waits for the block, so that a barrier of the group cannot act as one of the
/// block.
class Fibers {
public:
    Fibers(int threads, int lanes)
        : lanes_(lanes), fibers_(static_cast<std::size_t>(threads)), stacks_(fibers_.size()) {}
    Fibers(const Fibers&) = delete;
    Fibers& operator=(const Fibers&) = delete;

    /// Runs one block of `threads`, a multiple of the lanes. Throws BarrierError.
    void run(HostKernel kernel, const void* words, long long block, long long blocks, int threads, HostOrder order) {
        kernel_ = kernel;
        words_ = words;
        threads_ = threads;
        order_ = order;
        for (int i = 0; i < threads; ++i) {
            Fiber& fiber = at(i);
            static_cast<HostContext&>(fiber) = {block, blocks, i, threads, lanes_, &meet};
            fiber.owner = this;
            fiber.state = State::ready;
            if (!fiber.begun) begin(i);
        }
        const int groups = threads / lanes_;
        for (;;) {
            for (int g = 0; g < groups; ++g) run_group(placed(g, groups) * lanes_);
            if (count(0, threads, State::ended) == threads) return;
            if (count(0, threads, State::at_block) != threads) give_up(block);
            for (int i = 0; i < threads; ++i) at(i).state = State::ready;
        }
    }

private:
    enum class State : unsigned char { ready, at_group, at_block, ended };
    struct Fiber : HostContext {
        StackContext context;
        Fibers* owner = nullptr;
        State state = State::ended;
        bool begun = false;
    };
    /// Stacks with an unmapped page below each, so that an overflow ends the process instead of overwriting another
    /// stack.
    class Stacks {
    public:
        static constexpr std::size_t bytes = 256 * 1024, guard = 64 * 1024;
        explicit Stacks(std::size_t count) : size_(count * (bytes + guard)) {
            data_ = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
            if (data_ == MAP_FAILED) throw std::bad_alloc();
            for (std::size_t i = 0; i < count; ++i) ::mprotect(of(i) - guard, guard, PROT_NONE);
        }
        Stacks(const Stacks&) = delete;
        Stacks& operator=(const Stacks&) = delete;
        ~Stacks() { ::munmap(data_, size_); }
        std::byte* of(std::size_t i) const { return static_cast<std::byte*>(data_) + i * (bytes + guard) + guard; }

    private:
        void* data_ = nullptr;
        std::size_t size_;
    };

    int lanes_, threads_ = 0;
    HostOrder order_ = HostOrder::forward;
    HostKernel kernel_ = nullptr;
    const void* words_ = nullptr;
    std::vector<Fiber> fibers_;
    Stacks stacks_;
    StackContext scheduler_;
    Fiber* running_ = nullptr;
    inline static thread_local Fibers* beginning_ = nullptr;

    Fiber& at(int i) { return fibers_[static_cast<std::size_t>(i)]; }
    int placed(int i, int of) const { return order_ == HostOrder::forward ? i : of - 1 - i; }
    int count(int first, int many, State state) {
        int found = 0;
        for (int i = first; i < first + many; ++i) found += at(i).state == state;
        return found;
    }

    void begin(int i) {
        Fiber& fiber = at(i);
        fiber.context.make(stacks_.of(static_cast<std::size_t>(i)), Stacks::bytes, &Fibers::work);
        fiber.begun = true;
    }
    // Fibers are reused for all blocks: a new context for each would cost more than most kernels.
    static void work() {
        Fibers* const owner = beginning_;
        Fiber* const me = owner->running_;
        for (;;) {
            owner->kernel_(owner->words_, me);
            me->state = State::ended;
            StackContext::change(me->context, owner->scheduler_);
        }
    }
    static void meet(const HostContext* context, int whole_block) {
        auto* const me = const_cast<Fiber*>(static_cast<const Fiber*>(context));
        if (!whole_block && me->lanes == 1) return;
        me->state = whole_block ? State::at_block : State::at_group;
        StackContext::change(me->context, me->owner->scheduler_);
    }
    void resume(Fiber& fiber) {
        beginning_ = this;
        running_ = &fiber;
        StackContext::change(scheduler_, fiber.context);
    }
    void run_group(int first) {
        for (;;) {
            for (int i = 0; i < lanes_; ++i) {
                Fiber& fiber = at(first + placed(i, lanes_));
                if (fiber.state == State::ready) resume(fiber);
            }
            if (count(first, lanes_, State::at_group) != lanes_) return;
            for (int i = first; i < first + lanes_; ++i) at(i).state = State::ready;
        }
    }
    [[noreturn]] void give_up(long long block) {
        const int ended = count(0, threads_, State::ended);
        const int waiting = count(0, threads_, State::at_block);
        for (Fiber& fiber : fibers_) fiber.begun = false;  // discards their work and reuses their stacks
        throw BarrierError(sentence("expected all ", threads_, " threads of block ", block, " to meet, found ", waiting,
                                    " at a barrier of the block, ", threads_ - waiting - ended,
                                    " at one of their group and ", ended,
                                    " at the end: not all threads of the block meet"));
    }
};

}  // namespace sigma::on_gpu
