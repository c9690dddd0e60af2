// SPDX-License-Identifier: BSL-1.0
// Points of one line of a chart, and computations on them.
import {at_ease, query} from "../connection.js";

export const most_points = 1500;

/// Number of requests in progress: at most four, however many charts there are.
let asking = 0;
const waiting = [];
async function in_turn(work) {
    while (asking >= 4) await new Promise(resolve => waiting.push(resolve));
    ++asking;
    try { return await work(); } finally { --asking; waiting.shift()?.(); }
}

/// Converts a history to points. For merged points, y is their mean, with minimum and maximum in `low` and `high`; else both equal y.
/// Numbers that are not finite are null, with their names in `words`.
export function points_of({x, y, seconds = [], low = y, high = y, odd = []}) {
    const words = new Map();
    for (const [at, word] of odd) words.set(at, [...words.get(at) ?? [], word]);
    return {x: [...x], y: [...y], seconds: x.map((_, i) => seconds[i]), low: [...low], high: [...high], words: x.map(at => words.get(at) ?? null)};
}
const parts = ["x", "y", "seconds", "low", "high", "words"];
/// Appends points. If the run was reset to an earlier iteration, removes the points from there on first.
function append(to, points) {
    for (const [x, y, seconds] of points) {
        while (to.x.length && to.x[to.x.length - 1] >= x) for (const part of parts) to[part].pop();
        const is = typeof y === "number" ? y : null;
        [x, is, seconds, is, is, typeof y === "string" ? [y] : null].forEach((value, i) => to[parts[i]].push(value));
    }
}
/// Converts points to running time, as far as it is known.
export function by_seconds({seconds, y, low, high, words = y.map(() => null)}) {
    const known = seconds.flatMap((s, i) => Number.isFinite(s) ? [i] : []), of = values => known.map(i => values[i]);
    return {x: of(seconds), y: of(y), low: of(low), high: of(high), words: of(words)};
}

/// Returns the iterations of a line between two times, as far as its points show.
export function iterations_between({x, seconds}, from, to) {
    let first = 0, last = x.length - 1;
    while (first + 1 < x.length && seconds[first + 1] <= from) ++first;
    while (last > 0 && seconds[last - 1] >= to) --last;
    return x.length ? [x[first], x[last]] : [undefined, undefined];
}

/// A number of the current run or, if `run` is set, of another run.
export class Line {
    x = [];
    y = [];
    seconds = [];
    low = [];
    high = [];
    words = [];             // names of numbers that are not finite
    held = false;           // its points are changes: a number holds until the next
    last = undefined;       // the exact last number, if the points may be means
    #whole = null;
    #reads = 0;
    #come = null;           // points from the stream while the whole line is being read
    /// Reads the whole line again. Each answer is used, however slow the program is.
    follow = at_ease(() => this.read(null), false);
    constructor({trainer, name, run = null, place = 0, label = name}) { this.trainer = trainer; this.name = name; this.run = run; this.place = place; this.shown = label; }
    get key() { return this.run === null ? this.name : `${this.run}\n${this.name}`; }
    label(alone) { return this.run === null ? this.shown : alone ? this.run : `${this.run} ${this.name}`; }
    /// Reads a part {from, to, by_time, follows}, or the whole line. A part that follows the run has no end. Of two requests the later one counts, whichever is answered first.
    async read(zoom) {
        const mine = ++this.#reads, follows = !zoom || zoom.follows, come = this.#come = follows ? [] : null;
        let answer;
        try { answer = await this.history({...this.#range(zoom), points: most_points}); } finally { if (mine === this.#reads) this.#come = null; }
        if (mine !== this.#reads) return;
        const got = points_of(answer);
        this.held = Boolean(answer.held);
        if (zoom && this.held) this.#begin(got, zoom);
        Object.assign(this, got);
        this.last = follows ? answer.last : undefined;
        if (!follows) return;
        if (!zoom) this.#whole = got;
        this.add(come);
    }
    /// Adds the change before a part, since a number holds until the next change.
    #begin(got, {from, by_time}) {
        const all = this.#whole, at = by_time ? all?.seconds : all?.x;
        if (!at) return;
        let i = at.length - 1;
        while (i >= 0 && !(at[i] < from)) --i;
        if (i >= 0 && !(got.x[0] <= all.x[i])) for (const part of parts) got[part].unshift(all[part][i]);
    }
    #range(zoom) {
        const open = part => ({from: part.from, to: zoom?.follows ? undefined : part.to});
        if (!zoom?.by_time) return open({from: zoom?.from, to: zoom?.to});
        const [from, to] = iterations_between(this.#whole ?? this, zoom.from, zoom.to);
        return open({from, to});
    }
    /// Returns {x, y, low, high} of the visible part, in as many points as one answer has.
    async table(zoom, by_time) {
        const got = points_of(await this.history({...this.#range(zoom), points: 10000})), all = by_time ? by_seconds(got) : got;
        const keep = all.x.flatMap((x, i) => zoom && (x < zoom.from || x > zoom.to) ? [] : [i]);
        const named = {...all, y: all.y.map((y, i) => y ?? all.words[i]?.at(-1) ?? null)};
        return Object.fromEntries(["x", "y", "low", "high"].map(part => [part, keep.map(i => named[part][i])]));
    }
    async history(more) {
        const values = {trainer: this.trainer, name: this.name, ...more};
        if (this.run === null) return query("/api/history", values);
        // The server reads a long run in parts.
        for (let i = 0; ; ++i) {
            const got = await in_turn(() => query("/api/runs/history", {run: this.run, ...values}));
            if (got.read >= 1 || i === 100) return got;
        }
    }
    add(points) {
        if (!points.length) return;
        this.#come?.push(...points);
        append(this, points);
        this.last = undefined;
    }
    /// Notes points that arrive while another part is shown: the whole line reaches as far.
    pass(points) {
        if (!this.#whole || !points.length) return;
        if (this.#whole.x.length > 4 * most_points) for (const part of parts) this.#whole[part].pop();
        append(this.#whole, points.slice(-1));
    }
    /// Returns whether the ends of the whole line are known.
    get known() { return this.#whole !== null; }
    /// Removes the points before a part that follows the run, but the last of them, from which its line comes.
    forget({from, by_time}) {
        const at = by_time ? this.seconds : this.x;
        let n = 0;
        while (n + 2 < at.length && !(at[n + 1] >= from)) ++n;
        if (n > 0) for (const part of parts) this[part] = this[part].slice(n);
    }
    /// Returns the last number, and whether it is only a mean.
    latest() {
        const i = this.y.length - 1;
        return this.last !== undefined ? {value: this.last, about: false} : {value: this.y[i] ?? this.words[i]?.at(-1), about: i >= 0 && this.low[i] !== this.high[i]};
    }
    /// Returns the ends of the whole line, even while a part is shown; [] without points.
    reach(by_time) {
        const all = this.#whole ?? this, {x, low, high} = by_time ? by_seconds(all) : all;
        if (!x.length) return [];
        const before = low[0] !== high[0] && x.length > 1 ? x[1] - x[0] : 0;  // a merged first point is at the end of its points
        return [Math.max(0, x[0] - before), x[x.length - 1]];
    }
    /// Returns the points over the axis. A number that holds reaches to `to`, the progress of the run, if known.
    over(by_time, to = null) {
        const all = by_time ? by_seconds(this) : this, {x, y, low, high, words} = all, i = x.length - 1;
        if (!this.held || i < 0 || to === null || !(to > x[i])) return all;
        return {x: [...x, to], y: [...y, y[i]], low: [...low, y[i]], high: [...high, y[i]], words: [...words, null]};
    }
    /// Summarizes numbers that are not finite: {words, points, now: whether the last point is one}; null without any. NaN before the
    /// first number only means that there was no value yet.
    odd() {
        const first = this.y.findIndex(v => v !== null), from = first < 0 ? 0 : first;
        const points = this.words.slice(from).filter(Boolean);
        if (first < 0 && this.held && points.length === 1 && points[0].at(-1) === "nan") return null;
        return points.length ? {words: [...new Set(points.flat())], points: points.length, now: Boolean(this.words.at(-1))} : null;
    }
    get merged() { return this.low.some((v, i) => v !== this.high[i]); }
}

/// The part of a parent's line before the fork {run, iteration, seconds} from which the line `of` continues.
export class ParentLine extends Line {
    constructor({of, fork, trainer, name, place}) {
        super({trainer, name, place, run: fork.run});
        this.of = of;
        this.fork = fork;
        this.ids = [fork.run];
    }
    get key() { return `${this.of.key}\nparent ${super.key}`; }
    label(alone) { return `${super.label(alone)}, parent`; }
    async history(more) {
        const to = Math.min(more.to ?? Infinity, this.fork.iteration);
        return more.from > to ? {x: [], y: []} : {...await super.history({...more, to}), last: undefined};
    }
}

/// Returns the histories of several runs as one: at each place of any of them the mean of those that reach there, with low and high one standard deviation apart.
export function averaged(all) {
    const some = all.filter(one => one.x.length), held = some.length > 0 && some.every(one => one.held), places = [...new Set(some.flatMap(one => one.x))].sort((a, b) => a - b);
    const columns = {x: [], y: [], seconds: [], low: [], high: []}, next = some.map(() => 0);
    for (const x of places) {
        const values = some.map((one, i) => {
            while (next[i] + 1 < one.x.length && one.x[next[i] + 1] <= x) ++next[i];
            return between(one, next[i], x);
        }).filter(value => value && typeof value.y === "number");
        if (!values.length) continue;
        const mean = part => values.reduce((sum, value) => sum + value[part], 0) / values.length, y = mean("y");
        const apart = values.length > 1 ? Math.sqrt(values.reduce((sum, value) => sum + (value.y - y) ** 2, 0) / (values.length - 1)) : 0;
        [x, y, mean("seconds"), y - apart, y + apart].forEach((value, i) => columns[["x", "y", "seconds", "low", "high"][i]].push(value));
    }
    const lasts = some.map(one => one.last).filter(last => typeof last === "number");
    return {...columns, held, last: lasts.length ? lasts.reduce((a, b) => a + b) / lasts.length : null};
}
/// Returns the point of a history at x, whose last place up to x is `i`; null beyond its ends.
function between({x: at, y, seconds = [], held}, i, x) {
    if (at[i] > x || (i + 1 === at.length && at[i] < x && !held)) return null;
    if (at[i] === x || i + 1 === at.length || held || typeof y[i + 1] !== "number" || typeof y[i] !== "number") return {y: y[i], seconds: seconds[i]};
    const share = (x - at[i]) / (at[i + 1] - at[i]);
    return {y: y[i] + share * (y[i + 1] - y[i]), seconds: seconds[i] + share * (seconds[i + 1] - seconds[i])};
}
/// The mean of a number over several runs. Its band is one standard deviation wide to each side.
export class GroupLine extends Line {
    constructor({name, label, members, place}) {
        super({trainer: members[0].trainer, name, run: label, place});
        this.members = members;
    }
    async history(more) { return averaged(await Promise.all(this.members.map(line => line.history(more)))); }
}

/// Returns exponential moving averages, with the bias correction of Adam.
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

/// Puts all lines on one axis, sorted and without duplicates as uPlot needs it. A missing point is undefined; a gap is null.
export function aligned(lines) {
    const places = [...new Set(lines.flatMap(line => line.x))].sort((a, b) => a - b);
    const index = new Map(places.map((x, i) => [x, i]));
    return [places, ...lines.map(line => {
        const y = new Array(places.length).fill(undefined);
        line.x.forEach((x, i) => { y[index.get(x)] = line.y[i]; });
        return y;
    })];
}
