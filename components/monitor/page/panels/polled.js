// SPDX-License-Identifier: BSL-1.0
import {connection} from "../connection.js";

/// Calls `look` now and at most once per `every` milliseconds while the run changes: never twice at once, and only while the page is visible. Shows
/// an error in `why` until the next success. Keeps the contents while the program does not respond.
export function polled(look, every = 1000, why = null) {
    let last = 0, busy = false, ended = true, seen = false, timer = 0;
    const go = async () => {
        clearTimeout(timer);
        if (ended || busy || document.hidden) return;
        if (connection.gone) {
            if (why && !seen) why.textContent = "The program does not respond.";
            return;
        }
        const wait = last + every - performance.now();
        if (wait > 0) { timer = setTimeout(go, wait); return; }
        busy = true;
        last = performance.now();
        try {
            await look();
            seen = true;
            if (why) why.textContent = "";
        } catch (error) { if (why && !(seen && error.status === 0)) why.textContent = error.message; } finally { busy = false; }
    };
    return {
        begin() { ended = false; connection.addEventListener("state", go); connection.addEventListener("command", go); document.addEventListener("visibilitychange", go); go(); },
        end() { ended = true; clearTimeout(timer); connection.removeEventListener("state", go); connection.removeEventListener("command", go);
                document.removeEventListener("visibilitychange", go); },
        go,
    };
}
