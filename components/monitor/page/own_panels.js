// SPDX-License-Identifier: BSL-1.0
// Panels that the user adds in the browser, the search for numbers, and addresses that share an arrangement.
import {attempt, connection, query} from "./connection.js";
import {ask, clear, h, number, toast} from "./dom.js";
import {runs} from "./runs.js";

const kinds = ["chart", "bars", "parameters"], most_panels = 50, most_names = 16, most_text = 200, most_rows = 200;

const text_of = value => typeof value === "string" ? value.slice(0, most_text) : "";
const texts_of = (list, most) => Array.isArray(list) ? list.filter(text => typeof text === "string").slice(0, most).map(text_of) : [];
const entries_of = (object, fits) => Object.fromEntries(Object.entries(object && typeof object === "object" ? object : {}).slice(0, 500).filter(([, value]) => fits(value)));

const names_of = one => texts_of(one.kind === "parameters" ? one.names : one.series, most_names);
/// Returns the valid panels of a list that comes from an address or from storage.
export function panels_in(list) {
    const found = (Array.isArray(list) ? list : []).filter(one => one && typeof one === "object" && kinds.includes(one.kind) && /^own-[\w-]{1,40}$/.test(one.id ?? "") && names_of(one).length).slice(0, most_panels);
    return found.map(one => ({id: one.id, kind: one.kind, title: text_of(one.title), trainer: text_of(one.trainer), tab: text_of(one.tab) || "Training", own: true,
                              ...one.only_runs === true && one.kind === "chart" ? {only_runs: true} : {}, [one.kind === "parameters" ? "names" : "series"]: names_of(one)}));
}
/// Returns the valid parts of an arrangement that comes from an address; null if it is none.
export function arrangement_in(value) {
    if (!value || typeof value !== "object") return null;
    const text = x => typeof x === "string" && x.length <= most_text;
    return {tabs: texts_of(value.tabs, 50), tab: text(value.tab) ? value.tab : null, of: entries_of(value.of, text), order: texts_of(value.order, 500),
            width: entries_of(value.width, width => [1, 2, 3].includes(width)), hidden: texts_of(value.hidden, 500), own: panels_in(value.own)};
}
/// Converts an arrangement to a text for an address, and back; null for a text that is none.
export function to_word(arrangement) {
    const bytes = new TextEncoder().encode(JSON.stringify(arrangement));
    return btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join("")).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}
export function from_word(word) {
    try {
        const bytes = Uint8Array.from(atob(word.replaceAll("-", "+").replaceAll("_", "/")), sign => sign.charCodeAt(0));
        return arrangement_in(JSON.parse(new TextDecoder().decode(bytes)));
    } catch { return null; }
}

/// Returns the values that contain all words of a text, in any order: names that begin with the text come first.
export function matching(values, text) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean), whole = text.trim().toLowerCase();
    const found = values.filter(value => { const name = `${value.trainer} ${value.name}`.toLowerCase(); return words.every(word => name.includes(word)); });
    return found.sort((a, b) => b.name.toLowerCase().startsWith(whole) - a.name.toLowerCase().startsWith(whole));
}

/// Returns all numbers and all values that can be set: [{trainer, name, value, chart, control}]; those of the runs on a page without a trainer.
async function all_values() {
    if (connection.state?.only_runs) {
        const names = new Set(runs.list.flatMap(run => run.trainers.flatMap(trainer => trainer.series.map(series => series.name))));
        return [...names].sort().map(name => ({trainer: "", name, value: "", chart: true, control: false}));
    }
    const trainers = (connection.state?.trainers ?? []).filter(trainer => !trainer.closed).map(trainer => trainer.name);
    const lists = await Promise.all(trainers.map(async trainer => {
        const [series, registry] = await Promise.all([query("/api/series", {trainer}), query("/api/registry", {trainer, pattern: "**"})]), all = new Map();
        for (const {name, last} of series) all.set(name, {trainer, name, value: number(last), chart: true, control: false});
        for (const {name, text, writable, type} of registry) {
            if (writable && !type.startsWith("array")) all.set(name, {trainer, name, chart: false, value: text, ...all.get(name), control: true});
        }
        return [...all.values()];
    }));
    return lists.flat();
}

let serial = 0;
const fresh_id = () => `own-${Date.now().toString(36)}-${++serial}`;
export const title_of = names => names.join(", ");

/// Shows the search for numbers. `add(panel)` adds what the user chooses.
export async function find_numbers(tab, add) {
    const values = await attempt(all_values);
    if (!values) return;
    const chosen = new Set(), many = new Set(values.map(value => value.trainer)).size > 1;
    const list = h("div", {class: "found", role: "group", "aria-label": "Numbers"}), said = h("p", {class: "dim", role: "status"});
    const chart = h("button", {class: "main", value: "chart", disabled: true}, "Add chart"), bars = h("button", {value: "bars", disabled: true}, "Add bars"), control = h("button", {value: "parameters", disabled: true}, "Add control");
    const show_buttons = () => {
        const picked = [...chosen], one = new Set(picked.map(value => value.trainer)).size === 1 && picked.length <= most_names;
        chart.disabled = !one || !picked.every(value => value.chart);
        bars.disabled = chart.disabled || Boolean(connection.state?.only_runs);
        control.disabled = !one || !picked.every(value => value.control) || Boolean(connection.state?.read_only);
        said.textContent = !picked.length ? `${number(values.length)} values. Select those of one panel.` : one ? `${picked.length} selected` : `Select at most ${most_names} numbers of one trainer.`;
    };
    const row = value => h("label", {}, h("input", {type: "checkbox", checked: chosen.has(value), onchange: event => { chosen[event.currentTarget.checked ? "add" : "delete"](value); show_buttons(); }}),
        h("span", {class: "mono"}, many ? `${value.trainer}: ${value.name}` : value.name), h("span", {class: "dim mono"}, value.value.length > 24 ? `${value.value.slice(0, 23)}…` : value.value));
    const show = () => {
        const found = matching(values, search.value);
        clear(list).append(...found.slice(0, most_rows).map(row));
        if (!found.length) list.append(h("p", {class: "empty"}, "No values match"));
        else if (found.length > most_rows) list.append(h("p", {class: "empty"}, `${number(found.length - most_rows)} more`));
    };
    const search = h("input", {type: "search", placeholder: "Search", "aria-label": "Search numbers", autocomplete: "off", oninput: show, onkeydown: event => {
        if (event.key !== "Enter") return;
        event.preventDefault();
        const [first] = matching(values, search.value);
        if (!chosen.size && first) { chosen.add(first); show(); show_buttons(); }
        [chart, control].find(button => !button.disabled)?.click();
    }});
    show();
    show_buttons();
    const answer = ask(h("h2", {}, "Find numbers"), search, list, said, h("div", {class: "row"}, chart, bars, control, h("button", {value: ""}, "Cancel")));
    search.focus();
    const kind = await answer, all = [...chosen], names = all.map(value => value.name);
    if (!kinds.includes(kind) || !names.length) return;
    add({id: fresh_id(), kind, title: title_of(names), trainer: all[0].trainer, tab, own: true, ...connection.state?.only_runs ? {only_runs: true} : {}, ...kind === "parameters" ? {names} : {series: names}});
}

/// Shows a dialog for a panel of the user. Returns the changed panel, null to remove it, or undefined for no change.
export async function edit_panel(panel) {
    const names = panel.series ?? panel.names;
    const title = h("input", {type: "text", value: panel.title, maxlength: String(most_text), "aria-label": "Title"});
    const lines = h("textarea", {rows: "5", spellcheck: "false", "aria-label": "Names, one per line"});
    lines.value = names.join("\n");
    const kind = h("select", {"aria-label": "Kind", disabled: panel.kind === "parameters" || panel.only_runs}, (panel.kind === "parameters" ? ["parameters"] : ["chart", "bars"]).map(word => h("option", {value: word}, word)));
    kind.value = panel.kind;
    const answer = await ask(h("h2", {}, `Edit ${panel.title}`), h("div", {class: "form"}, h("label", {}, "Title", title), h("label", {}, "Kind", kind), h("label", {}, "Names, one per line", lines)),
        h("div", {class: "row"}, h("button", {class: "main", value: "save"}, "Save"), h("button", {value: "remove"}, "Remove panel"), h("button", {value: ""}, "Cancel")));
    if (answer === "remove") return null;
    if (answer !== "save") return undefined;
    const now = lines.value.split("\n").map(name => name.trim()).filter(Boolean), renamed = title.value.trim();
    const changed = {...panel, kind: kind.value, title: renamed && renamed !== title_of(names) ? renamed : title_of(now), ...panel.series ? {series: now} : {names: now}};
    const [valid] = panels_in([changed]);
    if (!valid) toast("A panel needs at least one name.", "bad");
    return valid;
}

/// Shows the address that opens this arrangement in another browser.
export async function share(arrangement) {
    const address = `${location.origin}${location.pathname}#${new URLSearchParams({view: to_word(arrangement)})}`;
    const field = h("input", {type: "text", value: address, readonly: true, "aria-label": "Address"}), said = h("p", {class: "dim", role: "status"}, "This address opens the page with these tabs, panels and widths.");
    field.addEventListener("focus", () => field.select());
    const copy = h("button", {class: "main", type: "button", onclick: async () => {
        field.select();
        try { await navigator.clipboard.writeText(address); said.textContent = "Copied."; } catch { said.textContent = "Press Ctrl-C to copy the selected address."; }
    }}, "Copy");
    await ask(h("h2", {}, "Share this arrangement"), said, h("div", {class: "row"}, field, copy, h("button", {value: ""}, "Close")));
}
