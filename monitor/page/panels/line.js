// SPDX-License-Identifier: BSL-1.0
// Points of one line of a chart, and what is computed of them.
import {query} from "../connection.js";

export const most_points = 1500;

/// No more than a few questions at once, however many charts there are.
let asking = 0;
const waiting = [];
async function in_turn(work) {
    while (asking >= 4) await new Promise(resolve => waiting.push(resolve));
    ++asking;
    try { return await work(); } finally { --asking; waiting.shift()?.(); }
}

/// A history as points. Of many points that are one there the lowest and the highest are drawn, too, so that no spike is lost: on the way from the
/// one before, since a line has one value at a place.
export function unfolded(got) {
    const to = {x: [], y: [], seconds: []}, seconds = got.seconds ?? [];
    const on_the_way = (values, i, share) => values[i] - (i ? values[i] - values[i - 1] : (values[1] ?? values[0] + 1) - values[0]) * share;
    const put = (x, y, s) => { to.x.push(x); to.y.push(y); to.seconds.push(s); };
    got.x.forEach((x, i) => {
        if (got.low && got.low[i] !== got.high[i])
            for (const [y, share] of [[got.low[i], 2 / 3], [got.high[i], 1 / 3]]) put(on_the_way(got.x, i, share), y, seconds.length ? on_the_way(seconds, i, share) : undefined);
        put(x, got.y[i], seconds[i]);
    });
    return to;
}

/// Which iterations a line had between two times, as far as its points tell.
export function iterations_between({x, seconds}, from, to) {
    let first = 0, last = x.length - 1;
    while (first + 1 < x.length && seconds[first + 1] <= from) ++first;
    while (last > 0 && seconds[last - 1] >= to) --last;
    return x.length ? [x[first], x[last]] : [undefined, undefined];
}

/// A number of the run that goes on, or, with its name, of another run.
export class Line {
    x = [];
    y = [];
    seconds = [];
    #whole = null;
    constructor({trainer, name, run = null, place = 0}) { Object.assign(this, {trainer, name, run, place}); }
    get key() { return this.run === null ? this.name : `${this.run}\n${this.name}`; }
    label(alone) { return this.run === null ? this.name : alone ? this.run : `${this.run} ${this.name}`; }
    /// zoom: {from, to, by_time}, or nothing for all of it.
    async read(zoom) {
        let {from, to} = zoom ?? {};
        if (zoom?.by_time) [from, to] = iterations_between(this.#whole ?? this, from, to);
        const got = unfolded(await this.history({from, to, points: most_points}));
        Object.assign(this, got);
        if (!zoom) this.#whole = got;
    }
    async history(more) {
        const values = {trainer: this.trainer, name: this.name, ...more};
        if (this.run === null) return query("/api/history", values);
        // A long one is read in parts.
        for (let i = 0; ; ++i) {
            const got = await in_turn(() => query("/api/runs/history", {run: this.run, ...values}));
            if (got.read >= 1 || i === 100) return got;
        }
    }
    /// A run that has gone back takes what it had from there on with it.
    add(points) {
        for (const [x, y, seconds] of points) {
            while (this.x.length && this.x[this.x.length - 1] >= x) for (const values of [this.x, this.y, this.seconds]) values.pop();
            this.x.push(x);
            this.y.push(y);
            this.seconds.push(seconds);
        }
    }
    /// {x, y} over iterations or over running time.
    over(by_time) {
        if (!by_time) return {x: this.x, y: this.y};
        const known = this.seconds.map((s, i) => [s, i]).filter(([s]) => Number.isFinite(s));
        return {x: known.map(([s]) => s), y: known.map(([, i]) => this.y[i])};
    }
}

/// Mean with weights that fall by `share` from point to point, without the pull of a first value (as Adam's).
export function smoothed(y, share) {
    if (!share) return y;
    let sum = 0, weight = 0;
    return y.map(value => {
        if (value === null || !Number.isFinite(value)) return value;
        sum = share * sum + (1 - share) * value;
        weight = share * weight + (1 - share);
        return sum / weight;
    });
}

/// All lines over one axis, which uPlot wants sorted and of distinct places; what a line lacks is undefined (a gap is null).
export function aligned(lines) {
    const places = [...new Set(lines.flatMap(line => line.x))].sort((a, b) => a - b);
    const index = new Map(places.map((x, i) => [x, i]));
    return [places, ...lines.map(line => {
        const y = new Array(places.length).fill(undefined);
        line.x.forEach((x, i) => { y[index.get(x)] = line.y[i]; });
        return y;
    })];
}
