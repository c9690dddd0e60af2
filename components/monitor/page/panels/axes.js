// SPDX-License-Identifier: BSL-1.0
// Axes of a chart: the visible part, and the places of labels.
import {duration, number} from "../dom.js";

/// Returns two different ends of a scale, even if all values are equal.
export function spread(low, high, log) {
    if (low === null || low === undefined) return [null, null];
    if (low !== high) return [low, high];
    return log ? [low / 1.1, low * 1.1] : [low - 0.5, low + 0.5];
}
/// Returns the ends of a logarithmic scale with some room at both ends.
export function roomy(low, high) {
    if (low === null || low === undefined || !(low > 0)) return [null, null];
    if (low === high) return [low / 2, high * 2];
    const room = (high / low) ** 0.04;
    return [low / room, high * room];
}

/// The first digits of labels, and of how many decades each.
/** @type {[number[], number][]} */
const steps = [[[1, 2, 5], 1], [[1, 3], 1], [[1], 1], [[1], 2], [[1], 3], [[1], 5], [[1], 10], [[1], 20], [[1], 50]];
const there = (low, high, v) => v >= low * (1 - 1e-9) && v <= high * (1 + 1e-9);
/// Returns places of labels on a logarithmic axis of `length` pixels, at least `least` pixels apart: 1, 2, 5 of each decade, fewer for many decades, and
/// even steps within one decade.
export function log_splits(low, high, length, least = 58) {
    if (!(low > 0 && high > low)) return [];
    const apart = (a, b) => Math.log(b / a) / Math.log(high / low) * length;
    const fits = places => places.every((v, i) => i === 0 || apart(places[i - 1], v) >= least);
    const first = Math.floor(Math.log10(low)), last = Math.ceil(Math.log10(high));
    let chosen = [];
    for (const [leads, every] of steps) {
        chosen = [];
        for (let d = first; d <= last; ++d) if (d % every === 0) chosen.push(...leads.map(lead => Number(`${lead}e${d}`)).filter(v => there(low, high, v)));
        if (fits(chosen)) break;
    }
    if (chosen.length >= 3) return chosen;
    for (let d = Math.floor(Math.log10(high - low)) - 2; d <= last; ++d)
        for (const lead of [1, 2, 5]) {
            const step = Number(`${lead}e${d}`), even = [];
            if ((high - low) / step > 100) continue;
            for (let k = Math.ceil(low / step * (1 - 1e-9)); there(low, high, k * step); ++k) even.push(Number((k * step).toPrecision(12)));
            if (fits(even)) return even.length > chosen.length ? even : chosen;
        }
    return chosen;
}

/// Formats labels of a time axis, with fractions of a second if the labels are close.
export function time_labels(places) {
    const real = places.filter(v => v !== null), least = real.slice(1).reduce((d, v, i) => Math.min(d, v - real[i]), Infinity);
    return places.map(v => v === null ? "" : least >= 1 && Number.isInteger(v) || v >= 600 ? duration(v) : `${number(v, 4)} s`);
}

// A part of an axis is {from, to}; on a logarithmic one all is measured in logarithms.
const way = log => log ? [Math.log, Math.exp] : [v => v, v => v];
const within = (a, b, [low, high]) => b - a >= high - low ? null : a < low ? [low, low + b - a] : b > high ? [high - (b - a), high] : [a, b];
function changed({from, to}, whole, log, f) {
    const [into, out] = way(log), found = within(...f(into(from), into(to)), [into(whole.from), into(whole.to)]);
    return found && {from: out(found[0]), to: out(found[1])};
}
/// Returns the middle of a part, `factor` times enlarged; null if that is everything.
export const nearer = (part, whole, factor, log) => changed(part, whole, log, (a, b) => [(a + b) / 2 - (b - a) / 2 / factor, (a + b) / 2 + (b - a) / 2 / factor]);
/// Returns a part of the same size, moved by a share of it.
export const beside = (part, whole, share, log) => changed(part, whole, log, (a, b) => [a + share * (b - a), b + share * (b - a)]);
/// Returns the end of an axis of the given size; everything if that is less.
export const last_part = ({from, to}, size) => ({from: Math.max(from, to - size), to});
