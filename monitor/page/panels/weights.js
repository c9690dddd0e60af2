// SPDX-License-Identifier: BSL-1.0
// Columns of a first layer's weights as pictures, or inputs that maximise a class: what is positive light, what is negative dark.
import {query} from "../connection.js";
import {clear, h} from "../dom.js";
import {polled} from "./polled.js";

export function paint(canvas, values, rows, columns) {
    canvas.width = columns;
    canvas.height = rows;
    const g = canvas.getContext("2d"), picture = g.createImageData(columns, rows), most = Math.max(1e-12, ...values.map(Math.abs));
    for (let i = 0; i < rows * columns; ++i) {
        const v = values[i] / most, light = Math.round(127 + 127 * Math.max(-1, Math.min(1, v)));
        picture.data.set([light, light, light, 255], 4 * i);
    }
    g.putImageData(picture, 0, 0);
}

export function create(panel, body) {
    const grid = h("div", {class: "grid-of-images"});
    body.append(grid);
    return polled(async () => {
        const got = await query("/api/parameter", {trainer: panel.trainer, name: panel.parameter, values: 1, limit: 64 * panel.rows * panel.columns});
        const inputs = panel.rows * panel.columns, units = Math.min(64, got.shape[1] ?? 1), full = got.shape[1] ?? 1;
        if (grid.children.length !== units) clear(grid).append(...Array.from({length: units}, (_, i) => h("canvas", {class: "pixels", title: `unit ${i}`})));
        for (let unit = 0; unit < units; ++unit)
            paint(grid.children[unit], Array.from({length: inputs}, (_, i) => got.values[i * full + unit] ?? 0), panel.rows, panel.columns);
    }, 2000);
}
