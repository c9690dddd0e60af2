// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace sigma::detail {

/// Ctrl-C of the terminal (SIGINT) while somebody listens: counted, and told to a thread that waits. The handler may do
/// no more: locks and conditions belong to threads.
class TerminalInterrupt {
public:
    /// Those of this process so far.
    static unsigned count() noexcept;
    /// The next one is counted, and the one after it ends the process as it does without. Nothing changes where the
    /// process ignores it (nohup, a job in the background). Not to be called by two threads at once, nor restore.
    static void listen();
    /// What the program did on it before, unless it has set another handler meanwhile.
    static void restore();
    /// Until there was one, or a call of wake.
    static void wait();
    static void wake() noexcept;
    /// One more, for the program.
    static void pass_on();
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/core/impl/terminal_interrupt.ipp>
#endif
