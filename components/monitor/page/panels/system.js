// SPDX-License-Identifier: BSL-1.0
// Processor, memory and GPUs, what a run waits for, and a profile of its steps as a table and a flame graph.
import {attempt, connection, query} from "../connection.js";
import {h, number} from "../dom.js";
import {curve_points} from "./health.js";
import {polled} from "./polled.js";

const percent = x => typeof x === "number" ? `${number(100 * x, 3)} %` : "–";
/// Formats a number in a thousand times a unit as its size demands: seconds as "12.3 µs", bytes as "4 MB".
const sized = (x, units, smallest) => {
    let i = 0, y = x / smallest;
    for (; y >= 999.5 && i + 1 < units.length; ++i) y /= 1000;
    return `${number(y, 3)} ${units[i]}`;
};
export const time = seconds => sized(seconds, ["ns", "µs", "ms", "s"], 1e-9);
export const bytes = count => count > 0 ? sized(count, ["B", "kB", "MB", "GB", "TB"], 1) : "–";
const amount = (x, unit) => unit === "share" ? percent(x) : unit === "MB" ? bytes(1e6 * x) : `${number(x, 3)}${unit ? ` ${unit}` : ""}`;

/// Returns the bars of a flame graph of an iteration: {name, seconds, depth, from, to}, with places from 0 to 1. Depths are those of the iteration, its
/// parts, the layers of the step, and their kernels.
export function flame_of({seconds, parts = [], kernels = []}) {
    const bars = [], layers = [...new Set(kernels.map(kernel => kernel.layer))], sum = list => list.reduce((all, one) => all + one.seconds, 0);
    const add = (name, length, depth, from, size = length / seconds) => { bars.push({name, seconds: length, depth, from, to: from + size}); return from + size; };
    add("iteration", seconds, 0, 0, 1);
    let place = 0;
    for (const part of parts.filter(({name}) => name !== "validation" && name !== "hooks of epochs")) {
        let at = place;
        place = add(part.name, part.seconds, 1, place);
        if (part.name !== "step") continue;
        // Kernels and loop are measured in different iterations: their sum may be a little longer than the step.
        const scale = Math.min(1, part.seconds / sum(kernels)) / seconds;
        for (const layer of layers) {
            const own = kernels.filter(kernel => kernel.layer === layer);
            let inner = at;
            at = add(layer || "other", sum(own), 2, at, sum(own) * scale);
            for (const one of own) inner = add(`${one.part ? `${one.part}: ` : ""}${one.operation}`, one.seconds, 3, inner, one.seconds * scale);
        }
    }
    return bars;
}

/// Draws a flame graph. A click enlarges a bar to the whole width, a click on the iteration shows all again.
function flame(profile) {
    const least = 0.0005, place = h("div", {class: "flame", role: "group", "aria-label": "Flame graph of an iteration"});
    const bars = flame_of(profile), first = /** @type {any} */ ({from: 0, to: 1});
    const show = ({from, to}) => place.replaceChildren(...bars.filter(bar => bar.to > from && bar.from < to && (bar.to - bar.from) / (to - from) > least).map(bar => {
        const left = Math.max(0, (bar.from - from) / (to - from)), right = Math.min(1, (bar.to - from) / (to - from)), text = `${bar.name}, ${time(bar.seconds)}, ${percent(bar.seconds / profile.seconds)}`;
        const element = h("button", {class: `depth${bar.depth}`, title: text, "aria-label": text, onclick: () => show(bar)}, bar.name);
        element.style.left = `${100 * left}%`;
        element.style.width = `${100 * (right - left)}%`;
        return element;
    }));
    show(first);
    return place;
}

const heads = ["kernel", "layer", "part", "operation", "time", "share", "bytes", "of peak"];
const is_number = i => i === 0 || i > 3;
function table(kernels) {
    const cells = one => [String(one.number), one.layer || "–", one.part || "–", one.operation, time(one.seconds), percent(one.share), bytes(one.bytes), percent(one.peak)];
    const row = (tag, texts) => h("tr", {}, texts.map((text, i) => h(tag, {class: is_number(i) ? "n" : null}, text)));
    return h("div", {class: "scroll", role: "group", tabindex: "0", "aria-label": "Kernels of a step"}, h("table", {}, row("th", heads),
        [...kernels].sort((a, b) => b.seconds - a.seconds).map(one => row("td", cells(one)))));
}

/// Returns the elements that show a profile.
function shown(profile) {
    if (profile.failed) return [h("p", {class: "empty"}, profile.failed)];
    const {iterations, seconds, device, threads, records, kernels} = profile;
    const where = device ? ` on ${device}, ${threads} ${threads === 1 ? "thread" : "threads"}, ${number(records, 4)} records a step` : "";
    const parts = profile.parts.map(part => h("span", {}, `${part.name} `, h("b", {}, `${time(part.seconds)}, ${percent(part.share)}`)));
    return [h("p", {}, `Mean of ${number(iterations)} iterations of ${time(seconds)}${where}`), h("p", {class: "parts"}, parts), flame(profile), h("p", {class: "dim"}, "Select a bar to enlarge it, and the iteration to see all again."),
            kernels ? table(kernels) : h("p", {class: "dim"}, "The device does not measure its kernels.")];
}

export function create(panel, body) {
    const place = h("div", {class: "scroll system", role: "group", tabindex: "0", "aria-label": panel.title}), why = h("p", {class: "dim"});
    const button = h("button", {onclick: () => attempt(async () => { await connection.command(panel.trainer, "profile"); await poll.go(); })}, "Profile 100 steps");
    const progress = h("span", {class: "dim", role: "status"}), below = h("div", {class: "profile"});
    body.append(place, h("div", {class: "toolbar"}, button, progress), below, why);
    let seen = 0, hellos = 0;
    const row = ({label, unit, last, y}) => h("tr", {}, h("th", {}, label), h("td", {class: "n"}, h("b", {}, amount(last, unit))),
        h("td", {}, h("svg", {viewBox: "0 0 84 22", preserveAspectRatio: "none", "aria-hidden": "true"}, h("polyline", {points: curve_points(y, {share: unit === "share"})}))));
    const poll = polled(async () => {
        if (hellos !== connection.hellos) { hellos = connection.hellos; seen = 0; }  // another program counts from 1 again
        const {numbers, profile, missing} = await query("/api/system", {trainer: panel.trainer, seen});
        place.replaceChildren(numbers.length ? h("table", {}, numbers.map(row)) : h("p", {class: "empty"}, "Nothing read yet"), ...missing ? [h("p", {class: "dim"}, missing)] : []);
        button.disabled = Boolean(connection.state?.read_only) || profile?.measuring !== undefined;
        progress.textContent = profile?.measuring === undefined ? "" : `${profile.measuring} of 100 steps`;
        if (!profile || profile.measuring !== undefined || profile.version === seen) return;
        seen = profile.version;
        below.replaceChildren(...shown(profile));
    }, 1000, why);
    return poll;
}
