// SPDX-License-Identifier: BSL-1.0
// The runs in the program's folder: which there are, and which of them charts show over each other.
import {request} from "./connection.js";
import {memory} from "./dom.js";

const every = 3000, most = 16;

class Runs extends EventTarget {
    list = [];
    left_out = 0;
    #places = memory.get("runs", null);  // each run has its place, so that it keeps its colour: [id or null]
    #names = "";
    #watchers = 0;
    #timer = 0;
    #busy = false;

    /// Was any ever chosen, or none on purpose?
    get untouched() { return this.#places === null; }
    place(id) { return this.#places?.indexOf(id) ?? -1; }
    /// Those that are chosen and there, but for the one that the page shows live.
    chosen() { return this.list.filter(run => !run.live && this.place(run.id) >= 0).sort((a, b) => this.place(a.id) - this.place(b.id)); }
    others() { return this.list.filter(run => !run.live); }
    /// False where there are too many.
    choose(id, on) {
        const places = [...this.#places ?? []], at = places.indexOf(id);
        if (on === at >= 0) return true;
        if (!on) places[at] = null;
        else {
            let free = places.indexOf(null);
            if (free < 0) free = places.length < most ? places.length : places.findIndex(other => !this.list.some(run => run.id === other));
            if (free < 0) return false;
            places[free] = id;
        }
        while (places.length && places[places.length - 1] === null) places.pop();
        this.#places = places;
        memory.set("runs", places);
        this.dispatchEvent(new Event("chosen"));
        return true;
    }
    /// Asks for them now and then; what is returned ends it.
    watch() {
        if (this.#watchers++ === 0) this.#look();
        let ended = false;
        return () => {
            if (ended) return;
            ended = true;
            if (--this.#watchers === 0) clearTimeout(this.#timer);
        };
    }
    async #look() {
        clearTimeout(this.#timer);
        if (this.#busy) return;
        this.#busy = true;
        try {
            if (!document.hidden) {
                const got = await request("/api/runs"), names = JSON.stringify([...new Set(got.runs.flatMap(run => run.trainers.flatMap(trainer => trainer.series.map(series => series.name))))].sort());
                this.list = got.runs;
                this.left_out = got.left_out;
                this.dispatchEvent(new Event("list"));
                if (names !== this.#names) {
                    this.#names = names;
                    this.dispatchEvent(new Event("names"));
                }
            }
        } catch { /* the next look tells */ } finally { this.#busy = false; }
        if (this.#watchers > 0) this.#timer = setTimeout(() => this.#look(), this.list.some(run => run.read < 1) ? every / 6 : every);
    }
}
export const runs = new Runs();

/// Of a run that may call its trainer by another name: the trainer that has these numbers.
export function trainer_with(run, trainer, name) {
    const has = one => one.series.some(series => series.name === name);
    return run.trainers.find(one => one.name === trainer && has(one)) ?? run.trainers.find(has);
}
