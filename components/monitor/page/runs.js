// SPDX-License-Identifier: BSL-1.0
// The runs in the program's folder, and the selection of those that charts show.
import {request} from "./connection.js";
import {memory} from "./dom.js";

const every = 3000, most = 16;

class Runs extends EventTarget {
    list = [];
    left_out = 0;
    #places = memory.get("runs", null);  // each selected run has a place, so that it keeps its color: [id or null]
    #names = "";
    #watchers = 0;
    #timer = 0;
    #busy = false;

    /// Returns whether the user has never selected or deselected a run.
    get untouched() { return this.#places === null; }
    place(id) { return this.#places?.indexOf(id) ?? -1; }
    /// Returns the selected runs that exist, without the one that the page shows live.
    chosen() { return this.list.filter(run => !run.live && this.place(run.id) >= 0).sort((a, b) => this.place(a.id) - this.place(b.id)); }
    others() { return this.list.filter(run => !run.live); }
    /// Selects or deselects a run. Returns false if too many are selected.
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
    /// The fact by which charts group the selected runs; "" for single runs.
    get grouping() { return memory.get("runs.group", ""); }
    set grouping(by) {
        memory.set("runs.group", by);
        this.dispatchEvent(new Event("chosen"));
    }
    /// Updates the list regularly until the returned function is called.
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
        } catch { /* tried again with the next update */ } finally { this.#busy = false; }
        if (this.#watchers > 0) this.#timer = setTimeout(() => this.#look(), this.list.some(run => run.read < 1) ? every / 6 : every);
    }
}
export const runs = new Runs();

/// Returns the trainer of a run that has these numbers, preferably the one of this name.
export function trainer_with(run, trainer, name) {
    const has = one => one.series.some(series => series.name === name);
    return run.trainers.find(one => one.name === trainer && has(one)) ?? run.trainers.find(has);
}
