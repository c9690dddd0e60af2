// SPDX-License-Identifier: BSL-1.0
// Records and what the network says of them.
import {query} from "../connection.js";
import {clear, h, number} from "../dom.js";
import {polled} from "./polled.js";

export function create(panel, body) {
    const place = h("div", {class: "scroll"});
    body.append(place);
    let sort = null, before = "";
    return polled(async () => {
        const got = await query("/api/table", {panel: panel.id}), now = JSON.stringify([got, sort]);
        if (now === before) return;
        before = now;
        const rows = [...got.rows];
        if (sort) rows.sort((a, b) => (a[sort.column] > b[sort.column] ? 1 : a[sort.column] < b[sort.column] ? -1 : 0) * sort.by);
        clear(place).append(h("table", {},
            h("tr", {}, got.columns.map((name, column) => h("th", {class: typeof rows[0]?.[column] === "number" ? "n" : "", "aria-sort": sort?.column === column ? (sort.by > 0 ? "ascending" : "descending") : "none"},
                h("button", {class: "quiet", onclick: () => { sort = {column, by: sort?.column === column ? -sort.by : 1}; before = ""; }}, name)))),
            rows.map(row => h("tr", {}, row.map(value => h("td", {class: typeof value === "number" ? "n" : ""}, typeof value === "number" ? number(value, 4) : value))))));
    }, 1500);
}
