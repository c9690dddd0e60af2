// SPDX-License-Identifier: BSL-1.0
// Changes by hand and checkpoints of the trainers.
import {connection, query} from "../connection.js";

const most = 1000;

/// Describes a mark in words: "optimizer.learning_rate 0.02 → 0.01 by 127.0.0.1".
export function mark_text({kind, name, before, after, client}) {
    const what = kind === "set" ? `${name} ${before} → ${after}` : `${kind === "save" ? "saved" : "loaded"} ${name.split("/").at(-1)}`;
    return client ? `${what} by ${client}` : what;
}

class Marks extends EventTarget {
    #all = [];
    constructor() {
        super();
        for (const event of ["hello", "missed"]) connection.addEventListener(event, () => this.#read());
        connection.addEventListener("mark", event => this.#take([event.detail]));
    }
    of(trainer) { return this.#all.filter(mark => mark.trainer === trainer); }
    #take(fresh) {
        const last = this.#all.at(-1)?.number ?? 0;
        fresh = fresh.filter(mark => mark.number > last);
        if (!fresh.length) return;
        this.#all = [...this.#all, ...fresh].slice(-most);
        this.dispatchEvent(new Event("change"));
    }
    /// Reads all marks after a greeting, since another program numbers them again from 1, and after a run was reset.
    async #read() {
        try {
            const all = await query("/api/marks", {});
            this.#all = [];
            this.#take(all);
            this.dispatchEvent(new Event("change"));
        } catch { /* tried again at the next greeting */ }
    }
}
export const marks = new Marks();
