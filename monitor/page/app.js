// SPDX-License-Identifier: BSL-1.0
// The page: head, tabs, cards, and what the browser remembers of their arrangement.
import {connection, request} from "./connection.js";
import {clear, h, memory, toast} from "./dom.js";
import {make_head} from "./head.js";
import {kinds} from "./panels/kinds.js";
import {runs} from "./runs.js";

const places = {head: document.getElementById("head"), tabs: document.getElementById("tabs"), panels: document.getElementById("panels")};
// {tabs: [name], tab: name, of: {panel id: tab}, order: [id], width: {id: 1|2|3}, hidden: [id]}
const arrangement = {tabs: [], tab: null, of: {}, order: [], width: {}, hidden: [], ...memory.get("arrangement", {})};
// A window that was opened for one tab keeps that to itself; all else is common to the windows of a browser.
const own_tab = new URLSearchParams(location.hash.slice(1)).get("tab");
let common_tab = arrangement.tab;
if (own_tab !== null) arrangement.tab = own_tab;
const remember = () => memory.set("arrangement", own_tab === null ? arrangement : {...arrangement, tab: common_tab});
window.addEventListener("storage", event => {
    if (event.key !== "sigma.arrangement") return;
    const {tab, ...rest} = memory.get("arrangement", {});
    common_tab = tab ?? common_tab;
    Object.assign(arrangement, rest);
    draw();
});
let panels = [], shown = [];

const tab_of = panel => arrangement.of[panel.id] ?? panel.tab ?? kinds[panel.kind]?.tab ?? "Training";
function tabs() {
    const all = new Set(["Training", "Parameters", "Network", "Log"].filter(tab => panels.some(panel => tab_of(panel) === tab)));
    for (const tab of arrangement.tabs) all.add(tab);
    for (const panel of panels) all.add(tab_of(panel));
    return [...all];
}

function draw_tabs() {
    const names = tabs();
    if (names.length && !names.includes(arrangement.tab)) arrangement.tab = names[0];  // none: panels are on their way
    clear(places.tabs).setAttribute("role", "tablist");
    names.forEach(name => places.tabs.append(h("button", {
        role: "tab", "aria-selected": String(name === arrangement.tab), tabindex: name === arrangement.tab ? "0" : "-1",
        onclick: () => open_tab(name),
        onkeydown: event => {
            const by = {ArrowRight: 1, ArrowLeft: -1}[event.key];
            if (!by) return;
            open_tab(names[(names.indexOf(name) + by + names.length) % names.length]);
            places.tabs.querySelector('[aria-selected="true"]').focus();
        },
        ondragover: event => event.preventDefault(),
        ondrop: event => { event.preventDefault(); move_to_tab(event.dataTransfer.getData("text/sigma-panel"), name); },
    }, name)));
    places.tabs.append(h("button", {class: "quiet", title: "A new tab", "aria-label": "A new tab", onclick: new_tab}, "+"),
        h("button", {class: "quiet", title: "This tab in a window of its own", "aria-label": "This tab in a window of its own",
                     onclick: () => window.open(`/#${new URLSearchParams({tab: arrangement.tab})}`, "_blank", "popup,width=1000,height=800")}, "↗"));
    if (arrangement.hidden.length)
        places.tabs.append(h("button", {class: "quiet", onclick: () => { arrangement.hidden = []; remember(); draw(); }},
            `Show ${arrangement.hidden.length} hidden`));
}
function open_tab(name) { arrangement.tab = name; remember(); draw(); }
function new_tab() {
    const name = prompt("Name of the tab")?.trim().slice(0, 40);
    if (!name) return;
    if (!arrangement.tabs.includes(name)) arrangement.tabs.push(name);
    open_tab(name);
}
function move_to_tab(id, tab) {
    if (!panels.some(panel => panel.id === id)) return;
    arrangement.of[id] = tab;
    remember();
    draw();
}

function sorted(list) {
    const place = panel => { const i = arrangement.order.indexOf(panel.id); return i < 0 ? 1e6 + panels.indexOf(panel) : i; };
    return [...list].sort((a, b) => place(a) - place(b));
}
/// Puts panel `id` before panel `before`, or last.
function move_before(id, before) {
    const ids = sorted(panels).map(panel => panel.id).filter(other => other !== id);
    ids.splice(before === null ? ids.length : ids.indexOf(before), 0, id);
    arrangement.order = ids;
    remember();
    draw();
}

function card(panel) {
    const kind = kinds[panel.kind];
    const width = arrangement.width[panel.id] ?? panel.width ?? kind.width ?? 1;
    const body = h("div", {class: "body"}), tools = h("div", {class: "tools"});
    const title = h("h2", {title: panel.title}, panel.title);
    const element = h("section", {class: `card ${["", "", "wide", "full"][width]}`, "data-panel": panel.id, "data-kind": panel.kind,
                                  "aria-label": panel.title}, h("div", {class: "bar", draggable: "true"}, title, tools), body);
    const bar = element.firstChild;
    bar.addEventListener("dragstart", event => {
        event.dataTransfer.setData("text/sigma-panel", panel.id);
        event.dataTransfer.effectAllowed = "move";
        element.classList.add("moving");
    });
    bar.addEventListener("dragend", () => element.classList.remove("moving"));
    element.addEventListener("dragover", event => {
        if (!event.dataTransfer.types.includes("text/sigma-panel")) return;
        event.preventDefault();
        element.classList.add("target");
    });
    element.addEventListener("dragleave", () => element.classList.remove("target"));
    element.addEventListener("drop", event => {
        event.preventDefault();
        const id = event.dataTransfer.getData("text/sigma-panel");
        if (id && id !== panel.id) move_before(id, panel.id);
    });
    let view;
    try {
        view = kind.create(panel, body);
    } catch (error) {
        body.append(h("p", {class: "empty"}, error.message));
        view = {};
    }
    const neighbour = by => {
        const ids = shown.map(other => other.panel.id), i = ids.indexOf(panel.id) + by;
        if (i < 0 || i >= ids.length) return;
        move_before(by < 0 ? panel.id : ids[i], by < 0 ? ids[i] : panel.id);
        document.querySelector(`[data-panel="${CSS.escape(panel.id)}"] .tools button`)?.focus();
    };
    tools.append(...(view.tools ?? []),
        h("button", {class: "quiet", title: "Move before", "aria-label": `Move ${panel.title} before`, onclick: () => neighbour(-1)}, "←"),
        h("button", {class: "quiet", title: "Move behind", "aria-label": `Move ${panel.title} behind`, onclick: () => neighbour(1)}, "→"),
        h("button", {class: "quiet", title: "Wider or narrower", "aria-label": `Width of ${panel.title}`, onclick: () => {
            arrangement.width[panel.id] = width % 3 + 1;
            remember();
            draw();
        }}, "↔"),
        h("button", {class: "quiet", title: "Hide", "aria-label": `Hide ${panel.title}`, onclick: () => {
            arrangement.hidden.push(panel.id);
            remember();
            draw();
        }}, "×"));
    return {panel, element, view};
}

/// Cards of panels that are what they were stay as they are, with what was drawn or typed there; `anew` makes all of them again.
function draw(anew = false) {
    draw_tabs();
    const mine = sorted(panels.filter(panel => kinds[panel.kind] && tab_of(panel) === arrangement.tab && !arrangement.hidden.includes(panel.id)));
    const key = panel => JSON.stringify([panel, arrangement.width[panel.id]]);
    const before = new Map(anew ? [] : shown.map(one => [one.key, one])), kept = new Set(mine.map(key).filter(k => before.has(k)));
    for (const one of shown) if (!kept.has(one.key)) { one.view.end?.(); one.element.remove(); }
    for (const note of places.panels.querySelectorAll(":scope > .empty")) note.remove();
    shown = mine.map(panel => before.get(key(panel)) ?? {...card(panel), key: key(panel), fresh: true});
    shown.forEach((one, i) => {
        if (places.panels.children[i] !== one.element) places.panels.insertBefore(one.element, places.panels.children[i] ?? null);
        if (one.fresh) { one.fresh = false; one.view.begin?.(); }
    });
    if (!mine.length) places.panels.append(h("p", {class: "empty"}, panels.length ? "Nothing is on this tab: drag a panel's title here." : "Waiting for the program…"));
}

// Trainers come and go, and panels with them.
const least_wait = 3000;
let asked = -Infinity, asking = false;
async function load_panels() {
    if (asking || performance.now() - asked < least_wait) return;
    asking = true;
    asked = performance.now();
    try {
        const fresh = await request("/api/panels");
        if (JSON.stringify(fresh) === JSON.stringify(panels)) return;
        panels = fresh;
        draw();
    } catch { /* asked again with the next state */ } finally { asking = false; }
}

/// Asks for the token where the program wants one; the cookie is the program's.
async function ask_token() {
    const check = await fetch("/api/state");
    if (check.status !== 401) return;
    await new Promise(resolve => {
        const field = h("input", {type: "password", autocomplete: "off", "aria-label": "Token"}), why = h("p", {class: "dim"}, "The program printed it when it started.");
        const dialog = h("dialog", {}, h("form", {onsubmit: async event => {
            event.preventDefault();
            try {
                await request("/api/login", {token: field.value.trim()});
                dialog.remove();
                asked = -Infinity;
                resolve();
            } catch (error) { why.textContent = error.message; field.select(); }
        }}, h("h2", {}, "Token"), why, h("div", {class: "row"}, field, h("button", {class: "main"}, "Enter"))));
        document.body.append(dialog);
        dialog.addEventListener("cancel", event => event.preventDefault());
        dialog.showModal();
    });
}

let entering = null;
/// One dialog at a time, however many requests were told.
const enter = () => entering ??= ask_token().then(() => connection.connect(), () => {}).finally(() => { entering = null; });

make_head(places.head);
document.addEventListener("sigma-theme", () => draw(true));
connection.addEventListener("hello", load_panels);
connection.addEventListener("state", load_panels);
connection.addEventListener("locked", enter);
// Without a trainer there is a chart of each number that a run has.
runs.addEventListener("names", () => { if (connection.state?.only_runs) { asked = -Infinity; load_panels(); } });
connection.addEventListener("online", event => { if (!event.detail) toast("The program does not answer; trying again.", "bad"); });
connection.addEventListener("log", event => {
    for (const {level, source, message} of event.detail.filter(record => ["warning", "error", "critical"].includes(record.level)).slice(-3))
        toast(source ? `${source}: ${message}` : message, level === "warning" ? "note" : "bad");
});
draw();
enter();
load_panels();  // beside the stream: a chart is there the sooner
