// SPDX-License-Identifier: BSL-1.0
// Inputs that maximize the probability of each class.
import {query} from "../connection.js";
import {clear, h} from "../dom.js";
import {percent} from "./bars.js";
import {paint} from "./paint.js";
import {polled} from "./polled.js";

export function create(panel, body) {
    const grid = h("div", {class: "grid-of-images large", role: "group", tabindex: "0", "aria-label": panel.title}), why = h("p", {class: "dim"}), note = h("p", {class: "dim"}, "Searching for inputs…");
    body.append(grid, note, why);
    return polled(async () => {
        const {inputs} = await query("/api/maximised", {panel: panel.id});
        if (!inputs.length) return;
        note.textContent = "";
        if (grid.children.length !== inputs.length)
            clear(grid).append(...inputs.map(() => h("figure", {}, h("canvas", {class: "pixels"}), h("figcaption"))));
        inputs.forEach((one, i) => {
            const [canvas, caption] = grid.children[i].children;
            paint(canvas, one.values, one.rows, one.columns);
            caption.textContent = `${one.class} · ${percent(one.probability)}`;
        });
    }, 1500, why);
}
