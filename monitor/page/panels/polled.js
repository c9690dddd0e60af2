// SPDX-License-Identifier: BSL-1.0
import {connection} from "../connection.js";

/// Calls `look` now and at most every so many milliseconds while the run changes, never twice at once, and not where nobody looks.
export function polled(look, every = 1000) {
    let last = 0, busy = false, ended = false, timer = 0;
    const go = async () => {
        clearTimeout(timer);
        if (ended || busy || document.hidden) return;
        const wait = last + every - performance.now();
        if (wait > 0) { timer = setTimeout(go, wait); return; }
        busy = true;
        last = performance.now();
        try { await look(); } catch { /* the next look tells */ } finally { busy = false; }
    };
    return {
        begin() { connection.addEventListener("state", go); connection.addEventListener("command", go); document.addEventListener("visibilitychange", go); go(); },
        end() { ended = true; clearTimeout(timer); connection.removeEventListener("state", go); connection.removeEventListener("command", go);
                document.removeEventListener("visibilitychange", go); },
        go,
    };
}
