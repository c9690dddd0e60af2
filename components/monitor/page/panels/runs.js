// SPDX-License-Identifier: BSL-1.0
// The table of the runs in the folder: their latest numbers, and whether charts show them.
import {connection, ending_of} from "../connection.js";
import {clear, duration, h, memory, number, updated} from "../dom.js";
import {but_seeds, compared, fact_text, facts_of} from "../facts.js";
import {runs} from "../runs.js";
import {choose, dashes, make_popover} from "./run_menu.js";

/// Orders states from best to worst; a run has the worst state of its trainers.
const ranks = ["finished", "left", "stopped", "paused", "running", "broken off", "failed"];
export const worst_of = run => run.trainers.filter(trainer => trainer.state).reduce((worst, trainer) => !worst || ranks.indexOf(trainer.state) > ranks.indexOf(worst.state) ? trainer : worst, null);

/// Returns whether a run is in progress: its file grows, and none of its trainers has said that its run has ended.
export const goes_on = run => run.growing && run.trainers.every(trainer => !trainer.state || ["running", "paused"].includes(trainer.state));

const first = ["loss", "validation_loss", "error", "accuracy", "validation_accuracy"], most_columns = 8;

const series_of = run => run.trainers.flatMap(trainer => trainer.series);
/// Returns the names of all numbers and facts of the runs.
const names_in = list => [...new Set(list.flatMap(run => [...series_of(run).map(series => series.name), ...facts_of(run).keys()]))];
/// Returns the names of the first columns: the scores, then constants and facts that differ between the runs, such as a hyperparameter, then other numbers.
export function columns_of(list) {
    const all = new Map();  // name -> its series
    for (const series of list.flatMap(series_of)) {
        if (!all.has(series.name)) all.set(series.name, []);
        all.get(series.name).push(series);
    }
    const constant = series => series.every(one => one.points <= 1), differs = series => new Set(series.map(one => one.last)).size > 1;
    const rank = (name, series) => first.includes(name) ? first.indexOf(name) : constant(series) ? (differs(series) ? 10 : 30) : 20;
    // A command line differs nearly always, and is long.
    const facts = compared(list).filter(({name, same}) => !same && !all.has(name) && name !== "command");
    return [...[...all].map(([name, series], i) => ({name, i, rank: rank(name, series)})), ...facts.map(({name}, i) => ({name, i, rank: 15}))].sort((a, b) => a.rank - b.rank || a.i - b.i).slice(0, most_columns).map(one => one.name);
}

/// Returns the last number of this name among all trainers of a run.
export const last_of = (run, name) => run.trainers.flatMap(trainer => trainer.series).find(series => series.name === name)?.last ?? null;

/// Returns the last number of this name, or else the fact.
export const value_of = (run, name) => last_of(run, name) ?? facts_of(run).get(name) ?? null;
function value_cell(value) {
    if (typeof value === "number" || value === null) return number(value, 4);
    const text = fact_text(value);
    return h("span", {class: "fact", title: text}, text);
}

/// Sorts rows by a column; rows without a value come last.
export function sorted(rows, value, by) {
    const empty = x => x === null || x === undefined || x === "";
    return [...rows].sort((a, b) => {
        const x = value(a), y = value(b);
        return empty(x) || empty(y) ? Number(empty(x)) - Number(empty(y)) : (x > y ? 1 : x < y ? -1 : 0) * by;
    });
}

/// Makes {element, show(all, chosen)}: a menu of the numbers that are columns. It changes kept.columns, null for `usual()`.
function make_column_menu(usual, kept, changed) {
    const {element, boxes} = make_popover("columns");
    let before = "";
    return {element, show(all, chosen) {
        const now = JSON.stringify([all, chosen]);
        element.hidden = !all.length;
        if (now === before) return;
        before = now;
        const focused = document.activeElement?.dataset?.column;
        clear(boxes).append(h("button", {class: "quiet", disabled: kept.columns === null, onclick: () => { kept.columns = null; changed(); }}, "Reset"),
            ...[...all].sort().map(name => h("label", {}, h("input", {type: "checkbox", checked: chosen.includes(name), "data-column": name, onchange: event => {
                const names = (kept.columns ?? usual()).filter(other => other !== name);
                kept.columns = event.currentTarget.checked ? [...names, name] : names;
                changed();
            }}), h("span", {}, name))));
        if (focused) boxes.querySelector(`[data-column="${CSS.escape(focused)}"]`)?.focus();
    }};
}

/// Makes {element, show()}: a menu of the facts by which charts group the selected runs.
function make_group_menu() {
    const select = h("select", {class: "quiet", "aria-label": "Group runs", onchange: () => { runs.grouping = select.value; }});
    let before = "";
    return {element: select, show() {
        const now = runs.grouping, names = compared(runs.chosen()).filter(({name, same}) => !same || name === now).map(row => row.name);
        const told = JSON.stringify([now, names]);
        if (told === before) return;
        before = told;
        select.replaceChildren(h("option", {value: ""}, "single runs"), h("option", {value: but_seeds}, "groups by all but seeds"),
            ...[...names, ...now && now !== but_seeds && !names.includes(now) ? [now] : []].map(name => h("option", {value: name}, `groups by ${name}`)));
        select.value = now;
    }};
}

/// Makes the head of a column {name, key, n: whether numbers}. Its button sorts by the column, or in the other direction.
export const head_of = ({name, key = name, n}, kept, changed) => h("th", {class: n ? "n" : "", "aria-sort": kept.sort !== key ? "none" : kept.by > 0 ? "ascending" : "descending"},
    h("button", {class: "quiet", "data-key": `column ${key}`, onclick: () => {
        kept.by = kept.sort === key ? -kept.by : 1;
        kept.sort = key;
        changed();
    }}, name));

/// Returns the parents of a run's trainers in words, "" without any: "20261121-101500-digits at 3 000".
export const parents_of = run => [...new Set(run.trainers.flatMap(({parent}) => parent ? [`${parent.run} at ${number(parent.iteration)}`] : []))].join(", ");

export function create(_, body) {
    const kept = {sort: null, by: 1, filter: "", columns: null, ...memory.get("runs.table", {})}, keep = () => memory.set("runs.table", kept);
    const search = h("input", {type: "search", placeholder: "Filter", "aria-label": "Filter runs", value: kept.filter, oninput: () => { kept.filter = search.value; keep(); show(); }});
    const place = h("div", {class: "scroll"}), note = h("span", {class: "dim"});
    const menu = make_column_menu(() => columns_of(runs.list), kept, () => { keep(); show(); });
    const groups = make_group_menu();
    body.append(h("div", {class: "toolbar"}, search, menu.element, groups.element, h("span", {class: "grow"}), note), place);
    let before = "";

    const when = run => run.began ? new Date(1000 * run.began).toLocaleString([], {dateStyle: "short", timeStyle: "short"}) : "–";
    function show() {
        if (runs.untouched && connection.state?.only_runs) for (const run of runs.list.slice(0, 4)) runs.choose(run.id, true);
        const wanted = kept.filter.trim().toLowerCase(), all = runs.list.filter(run => `${run.id} ${run.name} ${run.trainers.map(t => `${t.name} ${t.network} ${t.optimizer}`).join(" ")} ${[...facts_of(run).values()].join(" ")}`.toLowerCase().includes(wanted));
        const names = kept.columns ?? columns_of(runs.list);
        menu.show(names_in(runs.list), names);
        groups.show();
        const greatest = (run, what) => run.trainers.reduce((most, trainer) => Math.max(most, trainer[what] ?? -1), -1);
        const columns = [
            {name: "run", value: run => run.id, cell: run => h("span", {title: run.trainers.map(t => `${t.name}: ${t.network}${t.optimizer ? `, ${t.optimizer}` : ""}`).join("\n")}, run.id)},
            {name: "state", value: run => worst_of(run)?.state ?? "", cell: run => {
                const {state, reason, ended} = worst_of(run) ?? {};
                if (!state) return "–";
                const why = state === "broken off" ? "The program or its machine was killed." : ending_of({state, reason});
                return h("span", {class: "state", title: why}, h("span", {class: `pill ${state.replace(" ", "-")}`}, state), reason || typeof ended === "number" && state !== "finished"
                    ? h("span", {class: "reason"}, [reason, typeof ended === "number" ? `at ${number(ended)}` : ""].filter(Boolean).join(" ")) : null);
            }},
            {name: "started", value: run => run.began, cell: when},
            ...runs.list.some(parents_of) ? [{name: "parent", value: parents_of, cell: run => parents_of(run) || "–"}] : [],
            {name: "iteration", n: true, value: run => greatest(run, "iteration"), cell: run => greatest(run, "iteration") < 0 ? "–" : number(greatest(run, "iteration"))},
            {name: "elapsed", n: true, value: run => greatest(run, "seconds"), cell: run => greatest(run, "seconds") < 0 ? "–" : duration(greatest(run, "seconds"))},
            ...names.map(name => ({name, n: runs.list.every(run => typeof (value_of(run, name) ?? 0) === "number"), value: run => value_of(run, name), cell: run => value_cell(value_of(run, name))})),
        ];
        const by = columns.find(column => column.name === kept.sort), rows = by ? sorted(all, by.value, kept.by) : all;
        note.textContent = [runs.left_out ? `${number(runs.left_out)} older runs not shown` : "", runs.list.some(run => run.read < 1) ? "reading…" : ""].filter(Boolean).join(" · ");
        const now = JSON.stringify([rows, columns.map(column => column.name), kept, rows.map(run => runs.place(run.id))]);
        if (now === before) return;
        before = now;
        const focused = document.activeElement?.dataset?.key;
        clear(place);
        if (!rows.length) {
            place.append(h("p", {class: "empty"}, runs.list.length ? "No runs match" : "No runs yet"));
            return;
        }
        const mark = run => {
            const at = runs.place(run.id), element = h("i", {class: "swatch"});
            if (at >= 0 && !run.live) element.style.background = `var(--series-${at % 8 + 1})`;
            if (at >= 0 && dashes[Math.floor(at / 8) % dashes.length].length) element.classList.add("dashed");
            return element;
        };
        place.append(h("table", {class: "runs"},
            h("tr", {}, h("td"), columns.map(column => head_of(column, kept, () => { keep(); show(); }))),
            rows.map(run => h("tr", {"data-run": run.id},
                h("td", {}, h("label", {class: "row"}, h("input", {type: "checkbox", "aria-label": `Show ${run.id}`, "data-key": `run ${run.id}`, checked: run.live || runs.place(run.id) >= 0, disabled: run.live,
                    onchange: event => { if (!choose(run.id, event.currentTarget.checked)) event.currentTarget.checked = false; }}), mark(run))),
                columns.map((column, i) => h("td", {class: column.n ? "n" : ""}, column.cell(run),
                    i ? null : run.live ? h("span", {class: "pill running"}, "this run") : goes_on(run) ? h("span", {class: "pill running"}, "running") : null,
                    i || !run.damaged ? null : h("span", {class: "pill gone", title: "File damaged; shown up to the last valid record."}, "damaged")))))));
        if (focused) place.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
    }
    return updated(runs, ["list", "chosen"], show);
}
