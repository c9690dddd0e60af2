// SPDX-License-Identifier: BSL-1.0
// Records with their current predictions, or rows from the program.
import {query} from "../connection.js";
import {clear, h, number} from "../dom.js";
import {paint} from "./paint.js";
import {polled} from "./polled.js";

const text = value => value === null ? "–" : Array.isArray(value) ? value.map(x => number(x, 4)).join(", ") : typeof value === "number" ? number(value, 4) : String(value);

/// Compares cells: numbers before texts before null.
export function compare(a, b) {
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    if (typeof a === typeof b) return a > b ? 1 : a < b ? -1 : 0;
    return typeof a === "number" ? -1 : 1;
}

export function create(panel, body) {
    const place = h("div", {class: "scroll", role: "group", tabindex: "0", "aria-label": panel.title}), why = h("p", {class: "dim"});
    body.append(place, why);
    let sort = null, got = null, before = "", pictures = null;
    function show() {
        const order = got.rows.map((_, i) => i);
        if (sort) order.sort((a, b) => compare(got.rows[a][sort.column] ?? null, got.rows[b][sort.column] ?? null) * sort.by);
        const numeric = column => got.rows.some(values => typeof values[column] === "number");
        const head = (name, column) => h("th", {class: numeric(column) ? "n" : "", "aria-sort": sort?.column === column ? (sort.by > 0 ? "ascending" : "descending") : "none"},
            h("button", {class: "quiet", onclick: () => { sort = {column, by: sort?.column === column ? -sort.by : 1}; show(); }}, name));
        const row = i => {
            const cells = got.rows[i].map((value, column) => h("td", {class: numeric(column) ? "n" : ""}, text(value)));
            if (pictures) {
                const canvas = h("canvas", {class: "pixels small"});
                paint(canvas, pictures[i], got.picture.rows, got.picture.columns);
                cells.splice(1, 0, h("td", {}, canvas));
            }
            return h("tr", {class: got.wrong?.[i] ? "wrong" : ""}, cells);
        };
        const heads = got.columns.map(head);
        if (pictures) heads.splice(1, 0, h("td"));
        const at = place.scrollTop;
        clear(place).append(h("table", {}, h("tr", {}, heads), order.map(row)));
        place.scrollTop = at;
    }
    return polled(async () => {
        const fresh = await query("/api/table", {panel: panel.id, pictures: pictures || !panel.of_records ? undefined : 1});
        pictures = fresh.pictures ?? pictures;
        delete fresh.pictures;
        const now = JSON.stringify(fresh);
        if (now === before) return;
        before = now;
        got = fresh;
        show();
    }, 1000, why);
}
