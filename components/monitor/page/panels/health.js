// SPDX-License-Identifier: BSL-1.0
// The health of layers: a row of small curves for each, what is probably wrong in words, and all gradients in one chart.
import {query} from "../connection.js";
import {h, number} from "../dom.js";
import * as chart from "./chart.js";
import {polled} from "./polled.js";

const wide = 84, tall = 22, last = 3, most_lines = 64;  // size of a curve; number of last points of which each must be suspicious; lines of the chart
const percent = x => typeof x === "number" ? `${number(100 * x, 3)} %` : number(x);
const short = x => number(x, 3);
const parts = [{part: "weights", head: "weights", text: short, title: "Norm of the trained parameters"},
               {part: "gradients", head: "gradients", text: short, log: true, title: "Norm of the gradients"},
               {part: "update", head: "update", text: short, log: true, title: "Change by one step, relative to the parameters: ‖w − w₀‖ / ‖w₀‖"},
               {part: "dead", head: "dead", text: percent, share: true, title: "Units that were 0 for all records of the last three batches"},
               {part: "saturated", head: "saturated", text: percent, share: true, title: "Outputs at an end of the range of a sigmoid or tanh"}];

/// Returns the coordinates of a curve in a picture of `wide` × `tall`; null has none.
export function curve_points(values, {log = false, share = false} = {}) {
    const y = values.map(v => v === null || (log && !(v > 0)) ? null : log ? Math.log10(v) : v), known = y.filter(v => v !== null);
    const low = share ? 0 : Math.min(...known), span = share ? 1 : Math.max(...known) - low || 1, step = wide / Math.max(1, y.length - 1);
    return y.flatMap((v, i) => v === null ? [] : [`${(i * step).toFixed(1)},${(tall - 2 - (v - low) / span * (tall - 4)).toFixed(1)}`]).join(" ");
}

/// Describes what is probably wrong with the layers: [{text, bad}]. A number counts only if it was suspicious at each of the last points.
export function doubts(layers) {
    const found = [], recent = (layer, part) => layer.values[part]?.y.slice(-last) ?? [];
    const always = (values, test) => values.length === last && values.every((v, i) => v !== null && test(v, i));
    const end = layers.findLast(layer => layer.values.gradients), of_end = end ? recent(end, "gradients") : [];
    const add = (text, bad = false) => found.push({text, bad});
    for (const layer of layers) {
        const {name, values} = layer, now = part => recent(layer, part).at(-1), gradients = recent(layer, "gradients");
        for (const part of ["weights", "gradients"])
            if (typeof values[part]?.last === "string") add(`The norm of the ${part} of ${name} is ${values[part].last}.`, true);
        if (always(gradients, v => v === 0)) add(`The gradient of ${name} is 0: it does not learn.`, true);
        else if (always(gradients, (v, i) => v > 0 && v < of_end[i] / 1000)) add(`The gradient of ${name} is ${number(Math.round(of_end.at(-1) / now("gradients")))} times smaller than that of ${end.name}, the last layer.`);
        if (always(recent(layer, "update"), v => v > 0.1)) add(`A step changes ${name} by ${percent(now("update"))}: the learning rate may be too large.`);
        if (always(recent(layer, "update"), v => v < 1e-6)) add(`A step changes ${name} by ${short(now("update"))} of its size: it hardly learns.`);
        if (always(recent(layer, "dead"), v => v >= 1)) add(`All units of ${name} are dead: it does not learn.`, true);
        else if (always(recent(layer, "dead"), v => v > 0.5)) add(`${percent(now("dead"))} of the units of ${name} are dead.`);
        if (always(recent(layer, "saturated"), v => v > 0.9)) add(`${percent(now("saturated"))} of the outputs of ${name} are saturated: it hardly learns.`);
    }
    return found;
}

const cell = (layer, {part, text, ...more}) => {
    const told = layer.values[part];
    if (!told) return h("td", {class: "n"}, "–");
    return h("td", {class: "n"}, h("b", {}, text(told.last)), h("svg", {viewBox: `0 0 ${wide} ${tall}`, "aria-hidden": "true"}, h("polyline", {points: curve_points(told.y, more)})));
};

export function create(panel, body) {
    const notes = h("ul", {class: "notes"}), place = h("div", {class: "scroll health", role: "group", tabindex: "0", "aria-label": panel.title}), why = h("p", {class: "dim"});
    const below = h("div", {class: "below"});
    body.append(notes, place, below, why);
    let gradients = null, drawn = "", begun = false;
    /// Draws the gradients of all layers, or of the last that a chart can hold, in a new chart if there are other layers.
    function draw_gradients(layers) {
        const shown = layers.filter(layer => layer.values.gradients).slice(-most_lines), names = shown.map(layer => layer.name), key = names.join("\n");
        if (key === drawn) return;
        drawn = key;
        gradients?.end();
        gradients?.drop();
        below.replaceChildren(h("h3", {}, "Norm of the gradients"));
        const own = {...panel, id: `${panel.id}.gradients`, title: `gradients of ${panel.trainer}`, labels: names, log_y: true, series: shown.map(layer => layer.values.gradients.series)};
        gradients = names.length ? chart.create(own, below) : null;
        if (begun) gradients?.begin();
    }
    const poll = polled(async () => {
        const {layers} = await query("/api/health", {trainer: panel.trainer}), wrong = doubts(layers);
        const help = h("li", {}, "Help: ", h("a", {href: "/page/network-does-not-learn.md", target: "_blank"}, "A network does not learn"));
        notes.replaceChildren(...wrong.map(({text, bad}) => h("li", {class: bad ? "failed" : null}, text)), ...wrong.length ? [help] : []);
        if (!layers.length) { place.replaceChildren(h("p", {class: "empty"}, "Nothing read yet")); return; }
        place.replaceChildren(h("table", {}, h("tr", {}, h("th", {}, "layer"), parts.map(({head, title}) => h("th", {class: "n", title}, head))),
            layers.map(layer => h("tr", {}, h("th", {}, layer.name), parts.map(part => cell(layer, part))))));
        draw_gradients(layers);
    }, 1000, why);
    return {
        begin() { begun = true; gradients?.begin(); poll.begin(); },
        end() { begun = false; gradients?.end(); poll.end(); },
        recolour() { gradients?.recolour(); },
        drop() { gradients?.drop(); },
    };
}
