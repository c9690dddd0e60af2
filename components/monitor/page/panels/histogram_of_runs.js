// SPDX-License-Identifier: BSL-1.0
// Distributions of a tensor of a run in the folder, drawn like those of the current run.
import {query} from "../connection.js";
import {h} from "../dom.js";
import {runs} from "../runs.js";
import {make_histogram} from "./histogram.js";
import {polled} from "./polled.js";

/// Lists runs with histograms, one entry for each trainer that has some.
export const with_histograms = list => list.flatMap(run => {
    const trainers = run.trainers.filter(trainer => trainer.tensors > 0);
    return trainers.map(trainer => ({run, trainer: trainer.name, key: JSON.stringify([run.id, trainer.name]),
                                     text: trainers.length > 1 ? `${run.id}, ${trainer.name}` : run.id}));
});

export function create(panel, body) {
    const which = h("select", {"aria-label": "Run", onchange: () => { histogram.clear(); poll.go(); }}), why = h("p", {class: "dim"});
    const histogram = make_histogram(panel.title, () => poll.go());
    body.append(h("div", {class: "toolbar"}, which, histogram.names, histogram.way), ...histogram.elements, why);
    let end = null, before = "", complete = null;  // key of the shown tensor once its run is complete

    /// Updates the list of runs and keeps the selected one.
    function choices() {
        const all = with_histograms(runs.others()), now = JSON.stringify(all.map(one => one.key));
        if (now !== before) {
            before = now;
            const chosen = which.value;
            which.replaceChildren(...all.map(one => h("option", {value: one.key}, one.text)));
            if (all.some(one => one.key === chosen)) which.value = chosen;
            else histogram.clear();
        }
        return all.find(one => one.key === which.value);
    }
    const poll = polled(async () => {
        const one = choices();
        if (!one) return;
        const asked = JSON.stringify([one.key, histogram.names.value]);
        if (complete === asked && !one.run.growing) return;
        const told = await query("/api/runs/histogram", {run: one.run.id, trainer: one.trainer, name: histogram.names.value});
        if (which.value !== one.key || !histogram.show(told)) { poll.go(); return; }
        complete = told.read < 1 || one.run.growing ? null : JSON.stringify([one.key, histogram.names.value]);
    }, 1000, why);
    return {
        begin() { end = runs.watch(); runs.addEventListener("list", poll.go); poll.begin(); },
        end() { end?.(); runs.removeEventListener("list", poll.go); poll.end(); },
        recolour: histogram.recolour,
    };
}
