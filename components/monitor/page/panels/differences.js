// SPDX-License-Identifier: BSL-1.0
// The selected runs side by side: their origins and parameters, first only those that differ.
import {clear, h, memory, number, updated} from "../dom.js";
import {compared, fact_text} from "../facts.js";
import {runs} from "../runs.js";

export function create(panel, body) {
    const kept = {all: false, ...memory.get("differences", {})};
    const all = h("button", {class: "quiet", "aria-pressed": String(kept.all), onclick: () => {
        kept.all = !kept.all;
        memory.set("differences", kept);
        all.setAttribute("aria-pressed", String(kept.all));
        show();
    }}, "show equal values"), count = h("span", {class: "dim"});
    const place = h("div", {class: "scroll", role: "group", tabindex: "0", "aria-label": panel.title});
    body.append(h("div", {class: "toolbar"}, all, h("span", {class: "grow"}), count), place);
    let before = "";

    function show() {
        const list = [...runs.list.filter(run => run.live), ...runs.chosen()], rows = compared(list), different = rows.filter(row => !row.same), shown = kept.all ? rows : different;
        const now = JSON.stringify([list.map(run => run.id), shown.map(row => [row.name, row.values])]);
        if (now === before) return;
        before = now;
        count.textContent = list.length < 2 ? "" : `${number(different.length)} of ${number(rows.length)} values differ`;
        clear(place);
        if (list.length < 2 || !shown.length) {
            place.append(h("p", {class: "empty"}, list.length < 2 ? "Select two or more runs in the table of runs" : rows.length ? "All recorded values are equal" : "These runs have no recorded values"));
            return;
        }
        const cell = (value, row) => h("td", {class: value === row.values[0] ? "" : "other"}, value === undefined ? "–" : h("span", {class: "fact", title: fact_text(value)}, fact_text(value)));
        place.append(h("table", {class: "differences"}, h("tr", {}, h("td"), list.map(run => h("th", {scope: "col"}, run.id))),
            shown.map(row => h("tr", {class: row.same ? "same" : ""}, h("th", {scope: "row"}, row.name), row.values.map(value => cell(value, row))))));
    }
    return updated(runs, ["list", "chosen"], show);
}
