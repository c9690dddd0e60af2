// SPDX-License-Identifier: BSL-1.0
// The weights of a layer's first units as pictures: each unit is a column of the parameter.
import {query} from "../connection.js";
import {clear, h} from "../dom.js";
import {paint} from "./paint.js";
import {polled} from "./polled.js";

const most_units = 64, most_values = 100_000;  // limit of one answer

export function create(panel, body) {
    const grid = h("div", {class: "grid-of-images", role: "group", tabindex: "0", "aria-label": panel.title}), why = h("p", {class: "dim"}), inputs = panel.rows * panel.columns;
    const most = Math.min(most_units, Math.floor(most_values / inputs));
    body.append(grid, why);
    return polled(async () => {
        const got = await query("/api/parameter", {trainer: panel.trainer, name: panel.parameter, bins: 1, values: 1, columns: most, limit: most * inputs});
        const units = Math.min(most, got.shape.at(-1) ?? 1);
        if (grid.children.length !== units) clear(grid).append(...Array.from({length: units}, (_, i) => h("canvas", {class: "pixels", title: `unit ${i}`})));
        for (let unit = 0; unit < units; ++unit)
            paint(grid.children[unit], Array.from({length: inputs}, (_, i) => got.values[i * units + unit] ?? 0), panel.rows, panel.columns);
    }, 2000, why);
}
