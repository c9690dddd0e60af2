// SPDX-License-Identifier: BSL-1.0
// Parallel coordinates: an axis for each choice of a search and one for the loss; each trial is a line.
import {clear, h, number} from "../dom.js";
import {log_splits, spread} from "./axes.js";

/// Converts a number of JSON, which has words for infinities and NaN.
export const real = x => typeof x === "number" ? x : x === "inf" ? Infinity : x === "-inf" ? -Infinity : NaN;

/// Makes the scale of an axis of numbers: {log, low, high, place(x): 0 to 1 or null, at(place), marks: [{place, text}]}.
export function of_numbers(numbers) {
    const finite = numbers.filter(Number.isFinite), least = finite.reduce((a, b) => Math.min(a, b), Infinity), most = finite.reduce((a, b) => Math.max(a, b), -Infinity);
    const log = least > 0 && most / least > 100, [low, high] = spread(finite.length ? least : 0, finite.length ? most : 1, log);
    const way = log ? Math.log : x => x, back = log ? Math.exp : x => x;
    // Halves avoid an overflow of the difference of two very large numbers.
    const place = x => !Number.isFinite(x) ? null : Math.min(1, Math.max(0, (way(x) / 2 - way(low) / 2) / (way(high) / 2 - way(low) / 2)));
    const at = share => back(way(low) * (1 - share) + way(high) * share);
    const distinct = [...new Set(finite)];
    const values = distinct.length <= 8 && distinct.every(Number.isInteger) && !log ? distinct
        : log ? [low, ...log_splits(low, high, 260, 40).filter(x => place(x) > 0.08 && place(x) < 0.92), high] : [0, 0.25, 0.5, 0.75, 1].map(at);
    return {log, low, high, place, at, marks: values.map(x => ({place: place(x), text: number(x, 3)}))};
}

/// Makes the axis of a choice, for which each trial has [number, text] or null. If a text differs from its number, the axis has words.
export function axis_of(name, choices) {
    const there = choices.filter(choice => choice);
    const word = ([x, text]) => text.trim() === "" || !(Math.abs(Number(text) - x) <= 1e-3 * Math.abs(x));
    if (!there.some(word)) return {name, ...of_numbers(there.map(([x]) => x)), of: choice => choice ? choice[0] : null, told: choice => choice?.[1] ?? "–"};
    // In the order of the program.
    const order = new Map();
    for (const [x, text] of there) order.set(text, Math.min(order.get(text) ?? Infinity, x ?? 0));
    const words = [...order].sort((a, b) => a[1] - b[1]).map(([text]) => text), share = i => words.length > 1 ? i / (words.length - 1) : 0.5;
    return {name, words, place: text => words.includes(text) ? share(words.indexOf(text)) : null, at: x => words[Math.round(x * (words.length - 1))], marks: words.map((text, i) => ({place: share(i), text})),
            of: choice => choice ? choice[1] : null, told: choice => choice?.[1] ?? "–"};
}
/// Converts an answer of /api/runs/search to axes, with the loss or another target last, and to one line per successful trial, the best first: its place on each
/// axis, or null. If `larger` is true, a larger target is better.
export function coordinates({choices, trials, target = "loss", larger = false}) {
    const axes = choices.map((name, i) => axis_of(name, trials.map(trial => trial.choices[i])));
    axes.push({name: target, loss: true, larger, ...of_numbers(trials.map(trial => real(trial.loss))), told: x => number(x, 4)});
    const lines = trials.filter(trial => !trial.failed).map((trial, rank) => ({trial, rank, places: axes.map((axis, i) => axis.loss ? axis.place(real(trial.loss)) : axis.place(axis.of(trial.choices[i])))}));
    return {axes, lines};
}
/// Returns whether a line is within the selected parts: [from, to], or null for the whole axis.
export const within = (places, parts) => parts.every((part, i) => !part || places[i] !== null && places[i] >= part[0] - 1e-9 && places[i] <= part[1] + 1e-9);
/// Returns a part of an axis after moving one end (0 or 1); null if it is the whole axis.
export function moved(part, end, to) {
    const [from, upto] = part ?? [0, 1], x = Math.min(1, Math.max(0, to));
    const now = end ? [Math.min(from, x), x] : [x, Math.max(upto, x)];
    return now[0] <= 0 && now[1] >= 1 ? null : now;
}
/// Returns the distance of a point from a polyline.
export function distance(points, x, y) {
    let least = Infinity;
    for (let i = 0; i < points.length; ++i) {
        const [ax, ay] = points[i], [bx, by] = points[i + 1] ?? points[i];
        const dx = bx - ax, dy = by - ay, size = dx * dx + dy * dy, t = size ? Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / size)) : 0;
        least = Math.min(least, Math.hypot(ax + t * dx - x, ay + t * dy - y));
    }
    return least;
}

const top = 38, height = 300, under = 16, side = 46, apart = 104, step = 0.02;
const y_of = place => top + (1 - place) * height;
const cut = (text, most) => [...text].length > most ? `${[...text].slice(0, most - 1).join("")}…` : text;
/// Returns the color of a loss, from --best (lowest) by --middle to --worst. Lightness changes monotonically, and so do yellow and blue, which nearly everyone can distinguish.
const shade = place => place === null ? "var(--dim)" : place < 0.5 ? `color-mix(in oklab, var(--middle) ${Math.round(200 * place)}%, var(--best))` : `color-mix(in oklab, var(--worst) ${Math.round(200 * place - 100)}%, var(--middle))`;

/// Makes the lines of `label`. Calls told(line or null) when the user points at a line, brushed() when the parts change. `what` is the plural of what a line is.
export const make_parallel = (label, told, brushed, what = "trials") => new Parallel(label, told, brushed, what);

class Parallel {
    element = h("div", {class: "parallel"});
    parts = [];             // [from, to] of each axis; null: the whole axis
    #axes = [];
    #lines = [];
    #drawn = [];            // {line, path}
    #ends = [];             // of each axis: its two handles
    #bands = [];
    #pointed = null;        // line under the pointer
    #wide = 0;
    #svg = null;

    constructor(label, told, brushed, what) {
        this.label = label; this.told = told; this.brushed = brushed; this.what = what;
        this.observer = new ResizeObserver(() => { if (this.#axes.length && Math.max(this.element.clientWidth, this.#least) !== this.#wide) this.#draw(); });
    }
    get #least() { return 2 * side + apart * (this.#axes.length - 1); }
    #x_of(i) { return side + i * (this.#wide - 2 * side) / Math.max(1, this.#axes.length - 1); }
    #points_of(line) { return line.places.flatMap((place, i) => place === null ? [] : [[this.#x_of(i), y_of(place)]]); }
    wanted() { return this.#lines.filter(line => within(line.places, this.parts)); }

    #point(line) {
        if (this.#pointed === line) return;
        this.#pointed = line;
        this.#look();
        this.told(line);
    }
    #look() {
        const seen = new Set(this.wanted()), pointed = this.#pointed;
        this.#drawn.forEach(({line, path}) => {
            path.classList.toggle("out", !seen.has(line));
            path.classList.toggle("on", line === pointed);
        });
        const over = this.#drawn.find(({line}) => line === pointed);
        if (over) over.path.parentNode.append(over.path);
        this.#svg?.classList.toggle("pointed", pointed !== null);
        this.#axes.forEach((axis, i) => {
            const [from, to] = this.parts[i] ?? [0, 1], band = this.#bands[i];
            this.#ends[i].forEach((handle, end) => {
                const at = [from, to][end];
                handle.setAttribute("transform", `translate(${this.#x_of(i)},${y_of(at)})`);
                handle.setAttribute("aria-valuenow", String(Math.round(100 * at)));
                handle.setAttribute("aria-valuetext", axis.words ? String(axis.at(at)) : number(axis.at(at), 3));
            });
            band.setAttribute("y", y_of(to));
            band.setAttribute("height", Math.max(2, y_of(from) - y_of(to)));
            band.classList.toggle("part", this.parts[i] !== null);
        });
    }
    #brush(i, part) {
        this.parts[i] = part;
        if (this.#pointed && !within(this.#pointed.places, this.parts)) this.#point(null);
        this.#look();
        this.brushed();
    }
    #handle(axis, i, end) {
        return h("g", {class: "end", role: "slider", tabindex: "0", "data-key": `${i} ${end}`, "aria-label": `${axis.name}, ${end ? "maximum" : "minimum"}`,
            "aria-orientation": "vertical", "aria-valuemin": "0", "aria-valuemax": "100",
            onkeydown: event => {
                const now = (this.parts[i] ?? [0, 1])[end], by = axis.words ? 1 / Math.max(1, axis.words.length - 1) : step;
                const to = {ArrowUp: now + by, ArrowRight: now + by, ArrowDown: now - by, ArrowLeft: now - by, PageUp: now + 5 * by, PageDown: now - 5 * by, Home: 0, End: 1}[event.key];
                if (event.key === "Escape") this.#brush(i, null);
                else if (to === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
                else this.#brush(i, moved(this.parts[i], end, to));
                event.preventDefault();
                event.stopPropagation();
            }}, h("rect", {x: -11, y: end ? -13 : 1, width: 22, height: 12, rx: 4}));
    }
    #axis_element(axis, i) {
        const x = this.#x_of(i), last = i === this.#axes.length - 1, anchor = axis.name.length < 9 ? "middle" : i === 0 ? "start" : last ? "end" : "middle";
        const name = h("text", {class: "name", "text-anchor": anchor, x: anchor === "start" ? 4 : anchor === "end" ? this.#wide - 4 : x, y: 16}, h("title", {}, axis.name), cut(axis.name, 15));
        this.#bands[i] = h("rect", {class: "band", x: x - 7, width: 14});
        this.#ends[i] = [0, 1].map(end => this.#handle(axis, i, end));
        return h("g", {class: axis.loss ? "axis loss" : "axis"}, h("line", {x1: x, x2: x, y1: top, y2: top + height}), this.#bands[i],
            axis.marks.flatMap(({place, text}) => [h("line", {x1: x - 4, x2: x + 4, y1: y_of(place), y2: y_of(place)}),
                h("text", {x: last ? x - 9 : x + 9, y: y_of(place) + 4, "text-anchor": last ? "end" : "start"}, h("title", {}, text), cut(text, 11))]),
            name, axis.log ? h("text", {class: "dim", "text-anchor": "middle", x, y: top + height + under + 12}, "log") : null, this.#ends[i]);
    }
    #draw() {
        const wide = this.#wide = Math.max(this.element.clientWidth || 900, this.#least), lines = this.#lines, axes = this.#axes;
        const focused = this.element.contains(document.activeElement) ? document.activeElement.dataset.key : null;
        const best = lines.find(line => line.places.at(-1) !== null);
        this.#drawn = lines.map(line => {
            const loss = line.places.at(-1), path = h("polyline", {points: this.#points_of(line).map(at => at.map(v => v.toFixed(1)).join(",")).join(" "), "data-trial": line.trial.number,
                class: [line === best ? "best" : "", line.trial.early ? "early" : "", loss === null ? "none" : ""].filter(Boolean).join(" ")});
            path.style.stroke = shade(loss !== null && axes.at(-1).larger ? 1 - loss : loss);
            return {line, path};
        });
        const group = h("g", {class: "lines", role: "img", tabindex: "0", "data-key": "lines", "aria-label": `${lines.length} ${this.what}. Arrow keys select one, from the best on.`},
            this.#drawn.map(({path}) => path).reverse());  // the best on top
        const svg = this.#svg = h("svg", {viewBox: `0 0 ${wide} ${top + height + under + 18}`, width: wide, height: top + height + under + 18, role: "group", "aria-label": this.label}, group, axes.map((axis, i) => this.#axis_element(axis, i)));
        svg.style.setProperty("--seen", Math.min(0.85, Math.max(0.2, 100 / lines.length)));  // many lines are more transparent
        clear(this.element).append(svg);
        this.#listen_to_pointer(svg, group);
        this.#listen_to_keys(group);
        this.#look();
        if (focused) this.element.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus({preventScroll: true});
    }
    #listen_to_pointer(svg, group) {
        const at = event => { const box = svg.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top].map(v => v * this.#wide / box.width); };
        // A drop close to an end counts as the end.
        const share = y => { const x = 1 - (y - top) / height; return x < 0.01 ? 0 : x > 0.99 ? 1 : x; };
        let held = null;  // {axis, from, y} or {axis, end}: the current drag
        svg.addEventListener("pointerdown", event => {
            const [x, y] = at(event), i = this.#axes.findIndex((_, k) => Math.abs(this.#x_of(k) - x) <= 12), end = this.#ends.findIndex(pair => pair.some(handle => handle.contains(event.target)));
            if (end >= 0) held = {axis: end, end: this.#ends[end].findIndex(handle => handle.contains(event.target))};
            else if (i >= 0 && y >= top - 2 && y <= top + height + 2) held = {axis: i, from: share(y), y};
            else return;
            svg.setPointerCapture(event.pointerId);
            event.preventDefault();  // do not select text
            if (end >= 0) this.#ends[end][held.end].focus({preventScroll: true});
        });
        svg.addEventListener("pointermove", event => {
            const [x, y] = at(event);
            if (!held) this.#nearest(x, y);
            else if (held.end !== undefined) this.#brush(held.axis, moved(this.parts[held.axis], held.end, share(y)));
            else if (Math.abs(y - held.y) > 3) this.#brush(held.axis, [Math.min(held.from, share(y)), Math.max(held.from, share(y))]);
        });
        svg.addEventListener("pointerup", event => {
            const [x, y] = at(event);
            if (held && held.from !== undefined && Math.abs(y - held.y) <= 3) this.#brush(held.axis, null);  // a click selects the whole axis
            if (!held) this.#nearest(x, y);
            held = null;
        });
        svg.addEventListener("pointercancel", () => { held = null; });
        svg.addEventListener("pointerleave", () => { if (!held && document.activeElement !== group) this.#point(null); });
    }
    #listen_to_keys(group) {
        group.addEventListener("focus", () => { if (!this.#pointed && group.matches(":focus-visible")) this.#point(this.wanted()[0] ?? null); });
        group.addEventListener("blur", () => this.#point(null));
        group.addEventListener("keydown", event => {
            const all = this.wanted(), i = all.indexOf(this.#pointed);
            const to = {ArrowRight: i + 1, ArrowDown: i + 1, ArrowLeft: i - 1, ArrowUp: i - 1, Home: 0, End: all.length - 1}[event.key];
            if (event.key === "Escape") this.#point(null);
            else if (to === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
            else this.#point(all[Math.min(all.length - 1, Math.max(0, to))] ?? null);
            event.preventDefault();
        });
    }
    #nearest(x, y) {
        let found = null, least = 10;
        for (const line of this.wanted()) {
            const far = distance(this.#points_of(line), x, y);
            if (far < least) { least = far; found = line; }
        }
        this.#point(found);
    }
    show({axes, lines}, keep) {
        // Keeps the parts of unchanged axes, although new numbers move their ends. An end that the user has not moved stays at the end.
        const before = new Map(this.#axes.map((axis, i) => {
            const part = this.parts[i];
            return [axis.name, {words: String(axis.words), part: part && (axis.words ? part : part.map(x => x <= 0 || x >= 1 ? null : axis.at(x)))}];
        }));
        const number_of = this.#pointed?.trial.number;
        this.#axes = axes;
        this.#lines = lines;
        this.parts = axes.map(axis => {
            const {words, part} = keep ? before.get(axis.name) ?? {} : {};
            return !part || words !== String(axis.words) ? null : axis.words ? part : part.map((x, end) => x === null ? end : axis.place(x));
        });
        this.#pointed = lines.find(line => line.trial.number === number_of) ?? null;
        this.#draw();
        if (number_of !== undefined) this.told(this.#pointed);
    }
    /// Points at the line of a trial, by its number.
    point(trial) { this.#point(this.#lines.find(line => line.trial.number === trial) ?? null); }
    free() { this.parts = this.parts.map(() => null); this.#look(); this.brushed(); }
    begin() { this.observer.observe(this.element); }
    end() { this.observer.disconnect(); }
}
