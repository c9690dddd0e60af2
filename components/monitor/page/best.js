// SPDX-License-Identifier: BSL-1.0
// The best value of a trainer so far, of its most important number.
import {connection, query} from "./connection.js";

/// Numbers by their importance, and whether a larger one is better.
/** @type {[string, boolean][]} */
const ranks = [["validation_accuracy", true], ["accuracy", true], ["validation_loss", false], ["validation_error", false], ["error", false], ["loss", false]];
const most_points = 10_000, again_after = 5000;

/// Returns the better of two places {value, x}; the earlier one if they are equal.
export const better = (a, b, larger) => a === null || (larger ? b.value > a.value : b.value < a.value) ? b : a;
/// Returns the best place {value, x} of a history; x is null for merged points, whose iteration is unknown.
export function best_of({x, y, low = y, high = y}, larger) {
    let found = null;
    x.forEach((at, i) => {
        const value = larger ? high[i] : low[i];
        if (typeof value === "number") found = better(found, {value, x: low[i] === high[i] ? at : null}, larger);
    });
    return found;
}
/// Returns the first number of `ranks` that is among `series` [{name, last}] and has a value.
export const rank_of = series => ranks.find(([name]) => series.some(one => one.name === name && typeof one.last === "number")) ?? null;

class Best {
    #trainer = null;
    #name = null;
    #larger = false;
    #found = null;
    #asked = -Infinity;
    #end = null;
    constructor() {
        connection.addEventListener("hello", () => { this.#asked = -Infinity; this.#forget(); });
    }
    /// Returns {name, value, x} of the trainer; null if nothing is known yet.
    of(trainer) {
        if (trainer !== this.#trainer) {
            this.#forget();
            this.#trainer = trainer;
            this.#asked = -Infinity;
        }
        if (connection.online && performance.now() - this.#asked > again_after) this.#look();
        return this.#found && {name: this.#name, ...this.#found};
    }
    #forget() {
        this.#end?.();
        this.#end = this.#name = this.#found = null;
    }
    /// Looks for a number that says more than the present one.
    async #look() {
        this.#asked = performance.now();
        const trainer = this.#trainer;
        try {
            const rank = rank_of(await query("/api/series", {trainer}));
            if (!rank || trainer !== this.#trainer || rank[0] === this.#name) return;
            this.#forget();
            [this.#name, this.#larger] = rank;
            this.#end = connection.subscribe(trainer, this.#name, {
                add: points => { for (const [x, value] of points) if (typeof value === "number") this.#found = better(this.#found, {value, x}, this.#larger); },
                again: () => this.#read(),
            });
            await this.#read();
        } catch { /* tried again */ }
    }
    async #read() {
        const trainer = this.#trainer, name = this.#name;
        if (!name) return;
        try {
            const found = best_of(await query("/api/history", {trainer, name, points: most_points}), this.#larger);
            if (trainer === this.#trainer && name === this.#name) this.#found = found;
        } catch { /* kept */ }
    }
}
export const best = new Best();
