// SPDX-License-Identifier: BSL-1.0
// The last predictions of a run in the folder, drawn like those of the current run.
import {query} from "../connection.js";
import {h} from "../dom.js";
import {runs} from "../runs.js";
import {polled} from "./polled.js";
import {make_predictions} from "./predictions.js";

export function create(panel, body) {
    const which = h("select", {"aria-label": "Run", onchange: () => { place.replaceChildren(); poll.go(); }}), part = h("select", {"aria-label": "Panel", hidden: true, onchange: () => draw()});
    const why = h("p", {class: "dim"}), place = h("div");
    body.append(h("div", {class: "toolbar"}, which, part), place, why);
    let end = null, listed = "", before = "", panels = [];

    function draw() {
        const told = panels[part.selectedIndex], shown = make_predictions(panel.title, async () => told);  // a file has the inputs of the worst only
        place.replaceChildren(shown.element);
        shown.show(told);
    }
    const poll = polled(async () => {
        const all = runs.others().filter(one => one.predictions).map(one => one.id), now = all.join("\n"), chosen = which.value;
        if (now !== listed) which.replaceChildren(...all.map(id => h("option", {value: id}, id)));
        if (now !== listed && all.includes(chosen)) which.value = chosen;
        listed = now;
        const run = runs.others().find(one => one.id === which.value), key = JSON.stringify([run?.id, run?.growing ? performance.now() : 0]);
        if (!run || key === before) return;
        const told = await query("/api/runs/predictions", {run: run.id}), text = JSON.stringify(told.panels);
        if (which.value !== run.id) { poll.go(); return; }
        before = key;
        if (text === JSON.stringify(panels)) return;
        panels = told.panels;
        const index = Math.max(0, Math.min(part.selectedIndex, panels.length - 1));
        part.replaceChildren(...panels.map(one => h("option", {}, `${one.trainer}, ${one.title}`)));
        part.selectedIndex = index;
        part.hidden = panels.length < 2;
        draw();
    }, 1000, why);
    return {
        begin() { end = runs.watch(); runs.addEventListener("list", poll.go); poll.begin(); },
        end() { end?.(); runs.removeEventListener("list", poll.go); poll.end(); },
    };
}
