// SPDX-License-Identifier: BSL-1.0
// The page: head, tabs, cards, and their arrangement, which the browser remembers.
import {connection, request, session} from "./connection.js";
import {ask, clear, h, memory, toast} from "./dom.js";
import {make_head} from "./head.js";
import {fit, is_enlarged, make_enlarger, measure, restore, unwatch, watch} from "./layout.js";
import {arrangement_in, edit_panel, find_numbers, from_word, panels_in, share} from "./own_panels.js";
import {kinds} from "./panels/kinds.js";
import {runs} from "./runs.js";

const places = {head: document.getElementById("head"), tabs: document.getElementById("tabs"), panels: document.getElementById("panels")};
// {tabs: [name], tab: name, of: {panel id: tab}, order: [id], width: {id: 1|2|3}, hidden: [id], own: [panel of the user]}
const arrangement = {tabs: [], of: {}, order: [], width: {}, hidden: [], ...memory.get("arrangement", {}), tab: memory.get("tab", null)};
arrangement.own = panels_in(arrangement.own);
// All windows of a browser share what is remembered. A window that was opened for one tab does not write which tab is open.
const said = new URLSearchParams(location.hash.slice(1)), own_tab = said.get("tab");
// The address that the program prints has a ticket, which admits one browser once. Remove it from the address bar.
if (said.has("ticket")) {
    const ticket = said.get("ticket");
    said.delete("ticket");
    history.replaceState(null, "", `${location.pathname}${said.size ? `#${said}` : ""}`);
    try { session.set((await request("/api/login", {ticket})).session ?? null); } catch { /* the ticket was used: the page shows the token dialog */ }
}
if (own_tab !== null) arrangement.tab = own_tab;
// The program keeps the arrangement, but for the open tab, for all browsers.
const common = () => { const {tab: _, ...rest} = arrangement; return rest; };
let version = 0, timer = 0, sending = false, kept = JSON.stringify(common());
let visiting = false;  // shows the arrangement of an address, which is nobody's until the user keeps it
function remember() {
    if (visiting) return;
    memory.set("arrangement", common());
    if (own_tab === null) memory.set("tab", arrangement.tab);
    if (JSON.stringify(common()) === kept || connection.state?.read_only || connection.state?.only_runs) return;
    memory.set("unsent", JSON.stringify(common()));  // also if the page is closed or loaded again before it is sent
    clearTimeout(timer);
    timer = setTimeout(send_arrangement, 200);
}
// Another window may have changed the arrangement since, and will send it: only what was sent here is no longer unsent.
const is_sent = text => { if (memory.get("unsent", null) === text) memory.set("unsent", null); };
async function send_arrangement(text = JSON.stringify(common())) {
    clearTimeout(timer);
    timer = 0;
    sending = true;
    try {
        ({version} = await request("/api/arrangement", {arrangement: JSON.parse(text)}));
        kept = text;
        is_sent(text);
    } catch (error) {
        if (error.status !== 0 && error.status !== 429) is_sent(text);  // refused: only this browser remembers it
    } finally { sending = false; }
}
/// Takes over the arrangement of another browser.
async function read_arrangement() {
    const arranged = connection.state?.arranged ?? 0;
    if (timer || sending || visiting) return;
    const unsent = memory.get("unsent", null);
    if (unsent !== null && !connection.state?.read_only) {
        send_arrangement(unsent);
        return;
    }
    if (arranged === version) return;
    version = arranged;
    try {
        const answer = await request("/api/arrangement"), found = arrangement_in(answer.arrangement);
        if (memory.get("unsent", null) !== unsent) return;  // the user has changed it since, in this window or in another
        ({version} = answer);
        if (!found || timer || sending) return;
        Object.assign(arrangement, {...found, tab: arrangement.tab});
        kept = JSON.stringify(common());
        change_own(arrangement.own);
    } catch { version = -1; /* tried again with the next state */ }
}
window.addEventListener("storage", event => {
    if (event.key !== "sigma.arrangement" || visiting) return;
    Object.assign(arrangement, memory.get("arrangement", {}), {tab: arrangement.tab});
    kept = JSON.stringify(common());  // the window that has changed it sends it
    change_own(panels_in(arrangement.own), false);
});
// An address may have an arrangement that somebody shares.
const before_visit = structuredClone(arrangement);
if (said.has("view")) {
    const shared = from_word(said.get("view"));
    said.delete("view");
    history.replaceState(null, "", `${location.pathname}${said.size ? `#${said}` : ""}`);
    if (shared) {
        Object.assign(arrangement, shared);
        visiting = true;
    } else toast("The address has no valid arrangement.", "bad");
}
function end_visit(keep) {
    visiting = false;
    if (!keep) {
        Object.assign(arrangement, before_visit);
        version = 0;
        read_arrangement();
    }
    change_own(arrangement.own);
    places.tabs.querySelector('[aria-selected="true"]')?.focus();
}
let told = [], panels = [], shown = [];  // the program's panels; all, from the first answer on

/// Replaces the panels of the user.
function change_own(own, keep = true) {
    arrangement.own = own;
    panels = [...told, ...own];
    if (keep) remember();
    draw();
}
function rearranged() { remember(); draw(); }
const find = () => find_numbers(arrangement.tab ?? "Training", panel => {
    change_own([...arrangement.own, panel]);
    toast(`Added ${panel.title}.`, "good");
    cards.get(panel.id)?.element.scrollIntoView({block: "nearest"});
    cards.get(panel.id)?.element.focus({preventScroll: true});
});
async function edit(panel) {
    const now = await edit_panel(panel);
    if (now === undefined) return;
    const replace = () => change_own(arrangement.own.flatMap(one => one.id !== panel.id ? [one] : now ? [{...now, tab: one.tab}] : []));
    if (now) replace(); else leave(panel.id, replace);
}

const tab_of = panel => arrangement.of[panel.id] ?? panel.tab ?? kinds[panel.kind]?.tab ?? "Training";
function tabs() {
    const all = new Set(["Training", "Parameters", "Network", "Log", "Health"].filter(tab => panels.some(panel => tab_of(panel) === tab)));
    for (const tab of arrangement.tabs) all.add(tab);
    for (const panel of panels) all.add(tab_of(panel));
    return [...all];
}

function draw_tabs() {
    const names = tabs();
    if (names.length && !names.includes(arrangement.tab)) arrangement.tab = names[0];  // empty while the panels are loading
    const key = button => button.getAttribute("aria-label") ?? button.textContent, focused = places.tabs.contains(document.activeElement) ? key(document.activeElement) : null;
    const list = h("div", {role: "tablist", "aria-label": "Tabs"});
    clear(places.tabs).append(list);
    names.forEach(name => list.append(h("button", {
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
    places.tabs.append(h("button", {class: "quiet", title: "New tab", "aria-label": "New tab", onclick: () => new_tab()}, "+"),
        h("button", {class: "quiet", title: "Open this tab in a new window", "aria-label": "Open this tab in a new window",
                     onclick: () => window.open(`/#${new URLSearchParams({tab: arrangement.tab})}`, "_blank", "popup,width=1000,height=800")}, "↗"));
    places.tabs.append(h("button", {class: "quiet", title: "Find numbers and add a panel (/)", onclick: find}, "Add panel"),
        h("button", {class: "quiet", title: "Share this arrangement by an address", onclick: () => share(arrangement)}, "Share"));
    if (visiting)
        places.tabs.append(h("span", {class: "visit"}, "From an address:"), h("button", {title: "Keep this arrangement for the run", onclick: () => end_visit(true)}, "Keep"),
            h("button", {title: "Return to the arrangement of the run", onclick: () => end_visit(false)}, "Undo"));
    if (arrangement.hidden.length)
        places.tabs.append(h("button", {class: "quiet", onclick: () => { arrangement.hidden = []; rearranged(); }},
            `Show ${arrangement.hidden.length} hidden`));
    if (focused !== null) ([...places.tabs.querySelectorAll("button")].find(button => key(button) === focused) ?? places.tabs.querySelector('[aria-selected="true"]'))?.focus({preventScroll: true});
}
const scrolled = new Map();  // tab -> its scroll position
function open_tab(name) {
    const other = name !== arrangement.tab;
    if (other) scrolled.set(arrangement.tab, scrollY);
    arrangement.tab = name;
    rearranged();
    if (other) scrollTo(0, scrolled.get(name) ?? 0);
}
function new_tab(open = open_tab) {
    const name = prompt("Name of the new tab")?.trim().slice(0, 40);
    if (!name) return;
    if (!arrangement.tabs.includes(name)) arrangement.tabs.push(name);
    open(name);
}
function move_to_tab(id, tab) {
    if (!panels.some(panel => panel.id === id)) return;
    arrangement.of[id] = tab;
    rearranged();
}

function sorted(list) {
    // Workers appear during a run: at the top, below a table of trainers.
    const first = panels[0]?.kind === "overview" ? 1e6 + 0.5 : -1;
    const place = panel => { const i = arrangement.order.indexOf(panel.id); return i >= 0 ? i : panel.kind === "workers" ? first : 1e6 + panels.indexOf(panel); };
    return [...list].sort((a, b) => place(a) - place(b));
}
/// Moves panel `id` before panel `before`, or to the end.
function move_before(id, before) {
    const ids = sorted(panels).map(panel => panel.id).filter(other => other !== id);
    ids.splice(before === null ? ids.length : ids.indexOf(before), 0, id);
    arrangement.order = ids;
    rearranged();
}

/// Moves the focus to the next card, or to the previous one, when a card leaves the tab.
function leave(id, work) {
    const i = shown.findIndex(one => one.panel.id === id), next = shown[i + 1] ?? shown[i - 1];
    work();
    (next?.element ?? places.tabs.querySelector('[aria-selected="true"]'))?.focus();
}
async function ask_tab(panel) {
    const here = tab_of(panel), names = tabs().filter(name => name !== here);
    const answer = await ask(h("h2", {}, `Move ${panel.title} to a tab`),
        h("div", {class: "row"}, names.map((name, i) => h("button", {value: String(i)}, name)), h("button", {value: "new"}, "New tab"), h("button", {value: ""}, "Cancel")));
    if (answer === "") return;
    const move = name => leave(panel.id, () => { move_to_tab(panel.id, name); toast(`Moved ${panel.title} to ${name}.`); });
    if (answer === "new") new_tab(move); else move(names[Number(answer)]);
}

const width_of = panel => arrangement.width[panel.id] ?? panel.width ?? kinds[panel.kind].width ?? 1;
function card(panel) {
    const kind = kinds[panel.kind];
    const body = h("div", {class: "body"}), tools = h("div", {class: "tools"});
    const title = h("h2", {title: panel.title}, panel.title);
    const element = h("section", {class: "card", tabindex: "-1", "data-panel": panel.id, "data-kind": panel.kind,
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
    };
    if (panel.own) tools.append(h("button", {class: "quiet", title: "Edit", "aria-label": `Edit ${panel.title}`, onclick: () => edit(panel)}, "edit"));
    tools.append(...(view.tools ?? []), make_enlarger(element, panel.title),
        h("button", {class: "quiet", title: "Move earlier", "aria-label": `Move ${panel.title} earlier`, onclick: () => neighbour(-1)}, "←"),
        h("button", {class: "quiet", title: "Move later", "aria-label": `Move ${panel.title} later`, onclick: () => neighbour(1)}, "→"),
        h("button", {class: "quiet", title: "Change width", "aria-label": `Change width of ${panel.title}`, onclick: () => {
            arrangement.width[panel.id] = width_of(panel) % 3 + 1;
            rearranged();
        }}, "↔"),
        h("button", {class: "quiet", title: "Move to a tab", "aria-label": `Move ${panel.title} to a tab`, onclick: () => ask_tab(panel)}, "⇥"),
        h("button", {class: "quiet", title: "Hide", "aria-label": `Hide ${panel.title}`, onclick: () => leave(panel.id, () => {
            arrangement.hidden.push(panel.id);
            rearranged();
        })}, "×"));
    return {panel, key: JSON.stringify(panel), element, view, begun: false};
}

const cards = new Map();  // panel id -> its card, from the first time it is visible
function drop(one) {
    if (is_enlarged(one.element)) restore();
    unwatch(one.element);
    if (one.begun) one.view.end?.();
    one.view.drop?.();
    one.element.remove();
    cards.delete(one.panel.id);
}
/// Hides a card. It keeps its place and width, and so its state and scroll position.
function put_away(one) {
    if (is_enlarged(one.element)) restore();
    if (!one.element.classList.contains("away")) {
        one.element.style.width = `${one.element.offsetWidth}px`;
        one.element.classList.add("away");
    }
    if (!one.begun) return;
    one.begun = false;
    one.view.end?.();
}
function bring(one) {
    const {classList, style} = one.element, width = width_of(one.panel);
    classList.toggle("wide", width === 2);
    classList.toggle("full", width === 3);
    classList.remove("away");
    style.width = "";
    classList.toggle("solo", shown.length === 1 && kinds[one.panel.kind].fills === true);
    if (!one.begun) {
        one.begun = true;
        one.view.begin?.();
    }
    watch(one.element);
}

/// Updates the cards. A card of an unchanged panel keeps what the user has drawn or typed, whichever tab is open.
function draw() {
    draw_tabs();
    const focused = document.activeElement;
    const mine = sorted(panels.filter(panel => kinds[panel.kind] && tab_of(panel) === arrangement.tab && !arrangement.hidden.includes(panel.id)));
    const now = new Map(panels.map(panel => [panel.id, JSON.stringify(panel)]));
    for (const one of [...cards.values()]) if (now.get(one.panel.id) !== one.key) drop(one);
    for (const note of places.panels.querySelectorAll(":scope > .empty")) note.remove();
    for (const panel of mine) if (!cards.has(panel.id)) cards.set(panel.id, card(panel));
    shown = mine.map(panel => cards.get(panel.id));
    const elements = new Set(shown.map(one => one.element));
    for (const one of cards.values()) if (!elements.has(one.element)) put_away(one);
    // Moves only elements that are not in their place: moving costs an element the focus and its scroll position.
    let at = places.panels.firstElementChild;
    for (const one of shown) {
        while (at && !elements.has(at)) at = at.nextElementSibling;
        if (at === one.element) at = at.nextElementSibling; else places.panels.insertBefore(one.element, at);
        bring(one);
    }
    fit(shown.map(one => one.element));
    if (focused !== document.activeElement && focused?.isConnected && !focused.closest(".away")) focused.focus({preventScroll: true});
    if (!mine.length) places.panels.append(h("p", {class: "empty"}, panels.length ? "This tab is empty. Drag the title of a card here." : "Waiting for the program…"));
}

// Panels appear and disappear with their trainers.
const least_wait = 3000;
let asked = -Infinity, asking = false;
async function load_panels() {
    if (asking || performance.now() - asked < least_wait) return;
    asking = true;
    asked = performance.now();
    try {
        const fresh = await request("/api/panels");
        if (JSON.stringify(fresh) === JSON.stringify(told)) return;
        told = fresh;
        panels = [...told, ...arrangement.own];
        draw();
    } catch { /* tried again with the next state */ } finally { asking = false; }
}

/// Shows the token dialog if the program needs a token. The session that replaces it is valid until the program ends. Returns whether the page is admitted.
async function ask_token() {
    try {
        await request("/api/state");
        return true;
    } catch (error) { if (error.status !== 401) return true; }
    return new Promise(resolve => {
        const field = h("input", {type: "password", autocomplete: "off", "aria-label": "Token"}), why = h("p", {class: "dim"}, "Enter the token that the program printed when it started.");
        // A browser closes a dialog at the second Escape, even if the first is cancelled.
        const dialog = h("dialog", {onclose: () => { dialog.remove(); resolve(false); }}, h("form", {onsubmit: async event => {
            event.preventDefault();
            try {
                session.set((await request("/api/login", {token: field.value.trim()})).session ?? null);
                asked = -Infinity;
                resolve(true);
                dialog.close();
            } catch (error) { why.textContent = error.message; field.select(); }
        }}, h("h2", {}, "Token"), why, h("div", {class: "row"}, field, h("button", {class: "main"}, "Enter"))));
        document.body.append(dialog);
        dialog.showModal();
    });
}

let entering = null, left = false;
/// Shows one dialog, however many requests were refused. After the user has closed it, only the button in the head opens it again.
function enter() {
    left = false;
    return entering ??= ask_token().then(entered => {
        left = !entered;
        head.locked(left);
        if (entered) connection.connect();
    }, () => connection.connect()).finally(() => { entering = null; });
}

const head = make_head(places.head, enter, find);
document.addEventListener("sigma-theme", () => {
    for (const one of cards.values()) {
        if (one.view.recolour) one.view.recolour();
        else if (one.begun) one.view.go?.();
    }
});
connection.addEventListener("hello", load_panels);
connection.addEventListener("state", load_panels);
connection.addEventListener("hello", () => { version = 0; });
connection.addEventListener("state", read_arrangement);
connection.addEventListener("locked", () => { if (!left) enter(); });
connection.addEventListener("hello", () => { left = false; head.locked(false); });
// Without a trainer, the page has a chart for each number of the runs.
runs.addEventListener("names", () => { if (connection.state?.only_runs) { asked = -Infinity; load_panels(); } });
let away = null;  // the message that the program does not respond, until it does
connection.addEventListener("online", event => {
    away?.remove();
    away = event.detail ? null : toast("The program does not respond. Trying again…", "bad");
});
connection.addEventListener("log", event => {
    for (const {level, source, message} of event.detail.filter(record => ["warning", "error", "critical"].includes(record.level)).slice(-3))
        toast(source ? `${source}: ${message}` : message, level === "warning" ? "note" : "bad");
});
measure(places.panels);
draw();
enter();
load_panels();  // in parallel with the stream, so that charts appear sooner
