// SPDX-License-Identifier: BSL-1.0
// A picture that the program draws.
import {query} from "../connection.js";
import {h} from "../dom.js";
import {paint} from "./paint.js";
import {polled} from "./polled.js";

export function create(panel, body) {
    const canvas = h("canvas", {class: "pixels", role: "img", "aria-label": panel.title}), why = h("p", {class: "dim"});
    body.append(canvas, why);
    return polled(async () => {
        const {rows, columns, values} = await query("/api/picture", {panel: panel.id});
        paint(canvas, values, rows, columns);
    }, 1000, why);
}
