// SPDX-License-Identifier: BSL-1.0
// Runs as lines across what they were given, up to one of their numbers.
import {h, memory, number, updated} from "../dom.js";
import {compared, fact_text, larger_is_better, numbers_in, numbers_of} from "../facts.js";
import {runs} from "../runs.js";
import {coordinates, make_parallel} from "./parallel.js";
import {choose} from "./run_menu.js";

const most_axes = 12, most_words = 12;

/// Converts runs to what `coordinates` takes: facts that differ become choices, runs become trials, the best first.
export function as_trials(list, target) {
    const larger = larger_is_better(target), value = run => numbers_of(run).get(target) ?? null;
    const order = [...list].sort((a, b) => { const [x, y] = [value(a), value(b)]; return x === null || y === null ? Number(x === null) - Number(y === null) : larger ? y - x : x - y; });
    const rows = compared(order).filter(({name, values, same}) => !same && name !== target && name !== "command"
        && (values.every(v => v === undefined || typeof v === "number") || new Set(values).size <= most_words)).slice(0, most_axes);
    const choice = v => v === undefined ? null : typeof v === "number" ? [v, String(v)] : [0, fact_text(v)];
    return {choices: rows.map(row => row.name), target, larger, trials: order.map((run, i) => ({number: i, run, loss: value(run), choices: rows.map(row => choice(row.values[i]))}))};
}

export function create(panel, body) {
    const kept = {target: null, ...memory.get("parallel", {})};
    const target = h("select", {onchange: () => { kept.target = target.value; memory.set("parallel", kept); show(); }});
    const free = h("button", {class: "quiet", onclick: () => plot.free()}, "Show all"), select = h("button", {class: "quiet", onclick: () => select_wanted()}, "Show these runs in the charts");
    const said = h("p", {class: "said mono", role: "status"}), plot = make_parallel("Runs by their values", tell, brushed, "runs");
    const across = h("div", {class: "scroll across", role: "group", tabindex: "0", "aria-label": panel.title}, plot.element), empty = h("p", {class: "empty"}, "No recorded value differs between the runs");
    body.append(h("div", {class: "toolbar"}, h("label", {}, "up to", target), h("span", {class: "grow"}), free, select), empty, across, said);
    let before = "", axes = [];

    function tell(line) {
        said.textContent = line ? [line.trial.run.id, ...axes.map((axis, i) => `${axis.name} ${axis.loss ? number(line.trial.loss, 4) : axis.told(line.trial.choices[i])}`)].join(" · ")
            : "Point at a line to see its run. Drag along an axis, or move its ends, to filter the runs.";
    }
    function brushed() { free.style.visibility = select.style.visibility = plot.parts.some(part => part) ? "" : "hidden"; }
    function select_wanted() {
        const wanted = new Set(plot.wanted().map(line => line.trial.run.id));
        for (const run of runs.chosen()) if (!wanted.has(run.id)) runs.choose(run.id, false);
        for (const id of wanted) if (runs.list.some(run => run.id === id && !run.live) && !choose(id, true)) return;
    }
    function show() {
        const names = numbers_in(runs.list);
        if ([...target.options].map(one => one.value).join("\n") !== names.join("\n")) target.replaceChildren(...names.map(name => h("option", {value: name}, name)));
        target.value = names.includes(kept.target) ? kept.target : names[0];
        const got = as_trials(runs.list, target.value), now = JSON.stringify([got.choices, got.target, got.trials.map(trial => [trial.run.id, trial.loss, trial.choices])]);
        if (now === before) return;
        before = now;
        const found = coordinates(got);
        ({axes} = found);
        empty.hidden = got.choices.length > 0;
        across.hidden = said.hidden = !empty.hidden;
        if (empty.hidden) plot.show(found, true);
        if (!said.textContent) tell(null);
        brushed();
    }
    const updates = updated(runs, ["list"], show);
    return {
        begin() { plot.begin(); updates.begin(); },
        end() { updates.end(); plot.end(); },
    };
}
