// SPDX-License-Identifier: BSL-1.0
import {connection} from "../connection.js";

/// Calls `look` now and at most every so many milliseconds while the run changes, never twice at once, and not where nobody looks. What was
/// refused stands in `why` until a look is answered again.
export function polled(look, every = 1000, why = null) {
    let last = 0, busy = false, ended = false, timer = 0;
    const go = async () => {
        clearTimeout(timer);
        if (ended || busy || document.hidden) return;
        const wait = last + every - performance.now();
        if (wait > 0) { timer = setTimeout(go, wait); return; }
        busy = true;
        last = performance.now();
        try {
            await look();
            if (why) why.textContent = "";
        } catch (error) { if (why) why.textContent = error.message; } finally { busy = false; }
    };
    return {
        begin() { connection.addEventListener("state", go); connection.addEventListener("command", go); document.addEventListener("visibilitychange", go); go(); },
        end() { ended = true; clearTimeout(timer); connection.removeEventListener("state", go); connection.removeEventListener("command", go);
                document.removeEventListener("visibilitychange", go); },
        go,
    };
}
