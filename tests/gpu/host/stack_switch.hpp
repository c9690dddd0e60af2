// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <ucontext.h>

#include <cstddef>
#include <cstdint>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SIGMA_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SIGMA_SANITIZED 1
#endif
#endif

namespace sigma::on_gpu {

// swapcontext gets the signal mask from the system at every change, which takes 2 µs; without it a barrier takes 0.14
// µs. Sanitizers support only swapcontext.
#if defined(__x86_64__) && !defined(SIGMA_SANITIZED)

/// Suspended work on its own stack.
class StackContext {
public:
    /// Prepares `work`, which must not return.
    void make(std::byte* stack, std::size_t bytes, void (*work)()) {
        auto* const top = reinterpret_cast<std::uintptr_t*>(stack + bytes);  // aligned to 16 bytes
        top[-1] = 0;                                                         // return address of `work`
        top[-2] = reinterpret_cast<std::uintptr_t>(work);
        for (int saved = 3; saved <= 8; ++saved) top[-saved] = 0;
        left_ = top - 8;
    }
    /// Suspends the current work in `from` and continues `to`.
    static void change(StackContext& from, const StackContext& to) { change(&from.left_, to.left_); }

private:
    void* left_ = nullptr;

#ifdef __clang__
    [[gnu::naked, gnu::noinline]]
#else
    [[gnu::naked, gnu::noipa]]
#endif
    static void change(void**, void*) {
        asm("pushq %rbp\n\tpushq %rbx\n\tpushq %r12\n\tpushq %r13\n\tpushq %r14\n\tpushq %r15\n\t"
            "movq %rsp, (%rdi)\n\tmovq %rsi, %rsp\n\t"
            "popq %r15\n\tpopq %r14\n\tpopq %r13\n\tpopq %r12\n\tpopq %rbx\n\tpopq %rbp\n\tret");
    }
};

#else

/// Suspended work on its own stack.
class StackContext {
public:
    /// Prepares `work`, which must not return.
    void make(std::byte* stack, std::size_t bytes, void (*work)()) {
        ::getcontext(&left_);
        left_.uc_stack.ss_sp = stack;
        left_.uc_stack.ss_size = bytes;
        left_.uc_link = nullptr;
        ::makecontext(&left_, work, 0);
    }
    /// Suspends the current work in `from` and continues `to`.
    static void change(StackContext& from, const StackContext& to) { ::swapcontext(&from.left_, &to.left_); }

private:
    ucontext_t left_{};
};

#endif

}  // namespace sigma::on_gpu
#undef SIGMA_SANITIZED
