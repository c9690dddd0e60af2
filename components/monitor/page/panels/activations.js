// SPDX-License-Identifier: BSL-1.0
// One record through the network: the output of each layer, channels of images as pictures, other outputs as rows of cells.
import {query} from "../connection.js";
import {h, number} from "../dom.js";
import {paint} from "./paint.js";
import {polled} from "./polled.js";

const most_channels = 16, longest_row = 64;

/// Splits an output into pictures {values, rows, columns}: the channels of "(28, 28, 8)", or all of another shape in rows of equal length.
export function pictures_of({shape, values, count}) {
    const [rows, columns, channels = 1, ...more] = (shape.match(/\d+/g) ?? []).map(Number);
    if (!more.length && rows > 1 && columns > 1 && rows * columns * channels === count) {
        const whole = Math.min(channels, most_channels, values.length === count ? channels : 0);
        if (whole) return Array.from({length: whole}, (_, c) => ({rows, columns, values: Array.from({length: rows * columns}, (__, i) => values[i * channels + c])}));
    }
    const across = Math.min(values.length, longest_row);
    return [{values, rows: Math.ceil(values.length / across), columns: across}];
}

export function create(panel, body) {
    const why = h("p", {class: "dim"}), target = h("span", {class: "dim"}), place = h("div", {class: "activations"});
    const which = h("input", {type: "number", min: 0, max: panel.records - 1, step: 1, value: 0, "aria-label": `Record of ${panel.title}`, onchange: () => poll.go()});
    const by = step => () => { which.value = String((Number(which.value) + step + panel.records) % panel.records); poll.go(); };
    body.append(h("div", {class: "toolbar"}, h("label", {}, "record", which), h("button", {class: "quiet", "aria-label": "Previous record", onclick: by(-1)}, "←"),
        h("button", {class: "quiet", "aria-label": "Next record", onclick: by(1)}, "→"), target), place, why);
    const figure = layer => {
        const canvases = pictures_of(layer).map(({values, rows, columns}) => {
            const strip = columns > 4 * rows, canvas = h("canvas", {class: strip ? "pixels strip" : "pixels", role: "img", "aria-label": `output of ${layer.name}`});
            paint(canvas, values, rows, columns);
            if (strip) canvas.style.height = `${12 * rows}px`;
            return canvas;
        });
        const zeros = layer.zeros ? `, ${number(100 * layer.zeros / layer.count, 3)} % zeros` : "";
        return h("section", {}, h("h3", {}, `${layer.name} ${layer.shape}`), h("div", {class: canvases.length > 1 ? "grid-of-images" : ""}, canvases),
            h("p", {class: "dim"}, `${number(layer.low, 3)} … ${number(layer.high, 3)}${zeros}`));
    };
    let before = "";
    const poll = polled(async () => {
        const record = Number(which.value), told = await query("/api/activations", {panel: panel.id, record}), now = JSON.stringify(told);
        if (Number(which.value) !== record) return;  // another was chosen meanwhile, and the next request has it
        if (now === before) return;
        before = now;
        target.textContent = told.target === undefined ? "" : `target ${told.target}`;
        place.replaceChildren(...told.layers.map(figure));
    }, 1000, why);
    return poll;
}
