// SPDX-License-Identifier: BSL-1.0
// Facts about the origin of runs: command line, machine, commit, data, and the values of the registry at the beginning.
import {number} from "./dom.js";

const known = new WeakMap();
/// Returns the facts of a run by name: numbers, texts and truth values. If a run has several trainers, names begin with the trainer.
export function facts_of(run) {
    if (!known.has(run)) known.set(run, read(run));
    return known.get(run);
}
function read(run) {
    const facts = new Map(Object.entries(run.facts ?? {})), several = run.trainers.length > 1;
    for (const {name, network, facts: own} of run.trainers)
        for (const [fact, value] of Object.entries({...network ? {network} : {}, ...own})) facts.set(several ? `${name}: ${fact}` : fact, value);
    return facts;
}
/// Formats a fact.
export const fact_text = value => typeof value === "boolean" ? (value ? "yes" : "no") : typeof value === "string" ? value : number(value ?? null, 6);

/// Returns the rows of a comparison of runs, [{name, values, same}], with a value or undefined for each run. Names come in the order of the runs' facts.
export function compared(list) {
    const all = list.map(facts_of), names = [...new Set(all.flatMap(facts => [...facts.keys()]))];
    return names.map(name => {
        const values = all.map(facts => facts.get(name));
        return {name, values, same: values.every(value => value === values[0])};
    });
}

const scores = ["loss", "validation_loss", "error", "accuracy", "validation_accuracy"];
/// Returns the numbers of a run by name: the last of each series, the facts that are numbers, iteration and seconds.
export function numbers_of(run) {
    const found = new Map(), take = (name, value) => { if (typeof value === "number" && !found.has(name)) found.set(name, value); };
    for (const {series, iteration, seconds} of run.trainers) {
        for (const name of scores) take(name, series.find(one => one.name === name)?.last);
        for (const {name, last} of series) take(name, last);
        take("iteration", iteration);
        take("seconds", seconds);
    }
    for (const [name, value] of facts_of(run)) take(name, value);
    return found;
}
/// Returns the names of all numbers of the runs, scores first.
export const numbers_in = list => {
    const all = new Set(list.flatMap(run => [...numbers_of(run).keys()]));
    return [...scores.filter(name => all.has(name)), ...[...all].filter(name => !scores.includes(name))];
};
/// Returns whether a larger value of a number is better.
export const larger_is_better = name => /accuracy|\bf1\b|\bauc\b|\br2\b/i.test(name);

/// Returns whether a fact says where and how often something was tried, and not what.
export const beside = name => /(^|: )(command|host|processor|device|git\..*|iterator\.digest|(.*\.)?seed)$/.test(name);
export const but_seeds = "*";
/// Groups runs by a fact, or by all but seeds, machine and commit. Returns [{label, runs}] in the order of the runs.
export function groups_of(list, by) {
    const rows = compared(list).filter(row => by === but_seeds ? !row.same && !beside(row.name) : row.name === by), groups = new Map();
    list.forEach((run, i) => {
        const label = rows.map(row => `${row.name} ${row.values[i] === undefined ? "–" : fact_text(row.values[i])}`).join(", ");
        if (!groups.has(label)) groups.set(label, []);
        groups.get(label).push(run);
    });
    return [...groups].map(([label, runs]) => ({label: [label, runs.length === 1 ? "1 run" : `${runs.length} runs`].filter(Boolean).join(", "), runs}));
}
