// SPDX-License-Identifier: BSL-1.0
// The head of the page: selected trainer, progress, and commands.
import {connection, ending_of, has_ended} from "./connection.js";
import {best} from "./best.js";
import {ask, clear, duration, h, memory, number, toast} from "./dom.js";
import {make_notifier} from "./notify.js";

const keys = [["space", "run or pause"], ["s", "take one step"], ["r", "rewind (asks first)"], ["x", "stop (if no control has the focus)"], ["w", "save a checkpoint"], ["t", "switch between dark and light"], ["f", "enlarge the card with the focus or the pointer, or bring it back"], ["1 … 9", "open a tab"], ["/", "find numbers and add a panel"], ["?", "show these keys"]];

/// The trainer whose commands and facts the head shows; every panel has its own.
export const selected = () => {
    const trainers = connection.state?.trainers ?? [];
    return trainers.find(trainer => trainer.name === memory.get("trainer", "")) ?? trainers[0];
};

const labels = {resume: "Run", start: "Run", pause: "Pause", step: "Step", rewind: "Rewind", reset: "Reset", stop: "Stop", save: "Save", load: "Load"};
const done_words = {resume: "is running", start: "is running", pause: "is paused", step: "took one step", rewind: "is back at the beginning of its run", reset: "is reset",
                    stop: "is stopped", save: "is saved", load: "is loaded"};

const whole = x => number(typeof x === "number" && Math.abs(x) >= 1000 ? Math.round(x) : x, 4);

/// Names of files that were saved or loaded, the latest first.
const most_files = 20;
export const files_with = (files, file) => [file, ...files.filter(other => other !== file)].slice(0, most_files);

async function ask_file(word) {
    const files = memory.get("files", []), why = h("p", {class: "why", role: "alert", hidden: true});
    const field = h("input", {type: "text", value: files[0] ?? "run.sigma", "aria-label": "File name", list: "files", autocomplete: "off", oninput: () => { why.hidden = true; }});
    const go = h("button", {class: "main", value: "go", onclick: event => {
        if (field.value.trim()) return;
        event.preventDefault();
        why.textContent = "Enter a name.";
        why.hidden = false;
        field.focus();
    }}, word);
    const answer = ask(h("h2", {}, `${word} a checkpoint`), h("p", {class: "dim"}, "The file is in the folder of the run."), h("datalist", {id: "files"}, files.map(file => h("option", {value: file}))),
        h("div", {class: "row"}, field, go, h("button", {value: ""}, "Cancel")), why);
    field.select();
    return await answer === "go" ? field.value.trim() : null;
}

/// Returns why a command is not available now; null if it is.
function why_not(name) {
    const trainer = selected(), {state} = connection;
    if (!state) return "Waiting for data from the program.";
    if (!connection.online) return "The program does not respond.";
    if (!trainer) return "There is no trainer.";
    if (state.read_only) return "This page is read-only.";
    if ((name === "step" || name === "stop") && trainer.state !== "running" && trainer.state !== "paused") return `${trainer.name} ${has_ended(trainer) ? "has" : "is"} ${trainer.state}: there is no run to ${name}.`;
    if (trainer.closed) return `${trainer.name} no longer exists.`;
    return null;
}
function refused(name) {
    const why = why_not(name);
    if (why) toast(why);
    return why !== null;
}

/// Makes the buttons of the commands: {element, act: functions by name, stepping(), show()}.
function make_commands() {
    const buttons = {};
    const pending = new Map();  // commands in progress -> their buttons
    let turns = 0;  // number of changes of the first button's text
    let does = "resume";  // command that the first button shows: a click means this command, even if the state has changed since
    let steps = 0, stepping = false;  // steps that wait for the previous one
    /// Gives a command. Returns true when it is done.
    const give = async (command, more) => {
        const name = command === "pause" || command === "start" ? "resume" : command, trainer = selected(), button = buttons[name];
        if (refused(name)) return false;
        if (name !== "step") steps = 0;
        // The new state may arrive before the end of the command that caused it: the next command does not wait for that.
        const key = `${trainer.name}\n${command}\n${turns}`;
        if (pending.has(key)) { toast(`${labels[command]} is in progress.`); return false; }
        pending.set(key, button);
        button.classList.add("pending");
        try {
            await connection.command(trainer.name, command, more);
            if (name !== "step") toast(`${trainer.name} ${done_words[command]}`, "good");
            return true;
        } catch (error) {
            toast(error.message, "bad");
            return false;
        } finally {
            pending.delete(key);
            if (![...pending.values()].includes(button)) button.classList.remove("pending");
        }
    };
    const step = async () => {
        if (refused("step")) return;
        ++steps;
        if (stepping) return;
        stepping = true;
        const {name} = selected();
        let done = 0;
        while (steps > 0 && selected()?.name === name && await give("step")) { ++done; --steps; }
        if (done) toast(done === 1 ? `${name} ${done_words.step}` : `${name} took ${done} steps`, "good");
        steps = 0;
        stepping = false;
    };
    const with_file = async command => {
        if (refused(command)) return;
        const file = await ask_file(labels[command]);
        if (file && await give(command, {file})) memory.set("files", files_with(memory.get("files", []), file));
    };
    const rewind = async () => {
        if (refused("rewind")) return;
        const answer = await ask(h("h2", {}, `Rewind ${selected().name}?`), h("p", {}, "The run returns to its beginning. This discards the trained parameters."),
            h("div", {class: "row"}, h("button", {class: "main", value: "go"}, "Rewind"), h("button", {value: ""}, "Cancel")));
        if (answer === "go") await give("rewind");
    };
    const act = {resume: () => give(does), step, rewind, stop: () => give("stop"), save: () => with_file("save"), load: () => with_file("load")};
    for (const name of ["resume", "step", "rewind", "stop", "save", "load"])
        buttons[name] = h("button", {class: name === "resume" ? "main" : "", "data-command": name, disabled: true, onclick: act[name]}, labels[name]);
    return {element: h("div", {class: "commands", role: "group", "aria-label": "Commands"}, Object.values(buttons)), act, stepping: () => stepping, show() {
        const trainer = selected(), says = has_ended(trainer) ? "start" : {running: "pause", idle: "start"}[trainer?.state] ?? "resume";
        if (says !== does) { does = says; ++turns; }
        buttons.resume.textContent = labels[does];
        for (const name of Object.keys(buttons)) buttons[name].disabled = why_not(name) !== null;
    }};
}

/// Returns the share of the current epoch, and of the whole run; null for a run without end.
function progress_of(trainer) {
    const part = trainer.batches_per_epoch ? Math.min(1, (trainer.batch ?? 0) / trainer.batches_per_epoch) : 0;
    return {part, share: trainer.epochs_planned ? Math.min(1, (trainer.epoch + part) / trainer.epochs_planned) : null};
}
/// Returns the elements of the facts: first those that tell whether the run goes well.
function facts_of(trainer, {trainers, tasks = [], read_only}) {
    const fact = (name, value) => value === null || value === undefined || value === "" ? null : h("span", {}, `${name} `, h("b", {}, value));
    const task = tasks[0] && fact(tasks[0].kind, `${tasks[0].description}${tasks[0].total ? ` ${Math.floor(100 * tasks[0].done / tasks[0].total)} %` : ""}${tasks.length > 1 ? ` and ${tasks.length - 1} more` : ""}`);
    const {share} = progress_of(trainer), found = best.of(trainer.name);
    return [
        trainers.length > 1 ? null : fact("trainer", trainer.name),
        fact("epoch", trainer.epochs_planned ? `${number(trainer.epoch)} of ${number(trainer.epochs_planned)}` : number(trainer.epoch)),
        share === null ? null : fact("done", `${Math.floor(100 * share)} %`),
        trainer.left === null || trainer.left === undefined ? null : fact("left", duration(trainer.left)),
        found ? h("span", {class: "best"}, `best ${found.name} `, h("b", {}, number(found.value)), found.x === null ? "" : ` at ${number(found.x)}`) : null,
        fact("iteration", number(trainer.iteration)), fact("records/s", whole(trainer.records_per_second)), fact("elapsed", duration(trainer.runtime)), fact("device", trainer.device),
        fact("optimizer", trainer.optimizer),
        trainer.dropped ? h("span", {class: "warn", title: "Some points were dropped because the program trains faster than the monitor can record."}, "dropped ", h("b", {}, number(trainer.dropped)), " points") : null,
        task, read_only ? h("span", {}, h("b", {}, "read-only")) : null].filter(Boolean);
}

/// Calls the functions of keys, unless the user types.
function listen_to_keys(what, stepping) {
    document.addEventListener("keydown", event => {
        if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea, dialog, [contenteditable]")) return;
        if (event.key === " " && event.target.closest("button, summary")) return;
        const tab = /^[1-9]$/.test(event.key) ? document.querySelectorAll('nav [role="tab"]')[Number(event.key) - 1] : null;
        if (event.repeat && (event.key !== "s" || stepping())) return;  // a held key does not queue commands
        if (event.key === "x" && !event.target.matches("body, main, .card")) { toast("Press x to stop the run while no control has the focus."); return; }
        const work = what[event.key] ?? (tab ? () => tab.click() : null);
        if (!work) return;
        event.preventDefault();
        work();
    });
}
function change_theme() {
    const to = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    document.documentElement.dataset.theme = to;
    try { localStorage.setItem("sigma.theme", to); } catch { /* not remembered */ }
    document.dispatchEvent(new CustomEvent("sigma-theme"));
}
const show_keys = () => ask(h("h2", {}, "Keys"), h("table", {}, keys.map(([key, what]) => h("tr", {}, h("td", {}, h("kbd", {}, key)), h("td", {}, what)))),
    h("button", {class: "main"}, "Close"));
const enlarge_card = () => (document.activeElement?.closest(".card") ?? document.querySelector(".card:hover"))?.querySelector(".enlarge")?.click();

/// Makes the head. `enter` opens the token dialog, `find` the search for numbers. Returns {locked(on)}, which shows a button for the dialog.
export function make_head(place, enter, find) {
    const title = h("span", {}, "Sigma"), pill = h("span", {class: "pill gone"}, "connecting"), fill = h("i");
    const facts = h("div", {class: "facts", role: "group", tabindex: "0", "aria-label": "Facts"}), ending = h("p", {class: "ending", role: "status", hidden: true});
    const select = h("select", {"aria-label": "Trainer", hidden: true, onchange: () => { memory.set("trainer", select.value); show(); }});
    const notifier = make_notifier(), commands = make_commands(), {act} = commands, token = h("button", {class: "main", hidden: true, onclick: enter}, "Enter token");
    clear(place).append(
        h("div", {class: "row"},
            h("h1", {class: "title"}, h("img", {src: "/page/icon.svg", alt: ""}), title), select, pill, token, h("span", {class: "grow"}),
            commands.element,
            h("div", {class: "row"}, notifier.button, h("button", {class: "quiet", title: "Switch between dark and light", "aria-label": "Switch between dark and light", onclick: change_theme}, "◐"),
                h("button", {class: "quiet", title: "Show keys", "aria-label": "Show keys", onclick: show_keys}, "?"))),
        facts, ending, h("div", {class: "progress"}, fill));

    function show() {
        const {state} = connection, trainer = selected();
        if (!state) return;
        title.textContent = state.environment?.name || (state.only_runs ? "Runs" : "Sigma");
        document.title = trainer ? `${trainer.name} · ${connection.online ? trainer.state : "not responding"} · Sigma` : state.only_runs ? "Runs · Sigma" : "Sigma";
        commands.element.hidden = Boolean(state.only_runs);
        const names = state.trainers.map(t => t.name);
        if ([...select.options].map(o => o.value).join("\n") !== names.join("\n")) clear(select).append(...names.map(name => h("option", {value: name}, name)));
        select.hidden = names.length < 2;
        if (trainer) select.value = trainer.name;
        const word = !connection.online ? "gone" : trainer?.state ?? (state.only_runs ? "runs" : "idle");
        pill.hidden = word === "runs";
        pill.className = `pill ${word}`;
        pill.textContent = word === "gone" ? "not responding" : word;
        // Shows why a run has ended until the next begins; a finished run has no reason.
        ending.hidden = !has_ended(trainer) || !trainer.reason;
        ending.className = `ending ${trainer?.state}`;
        const said = ending.hidden ? "" : `${trainer.name} ${ending_of(trainer)}`;
        if (ending.textContent !== said) ending.textContent = said;
        clear(facts);
        if (trainer) {
            facts.append(...facts_of(trainer, state));
            notifier.best(trainer.name, best.of(trainer.name));
            const {share, part} = progress_of(trainer);
            fill.style.width = `${100 * (share ?? part)}%`;
        }
        commands.show();
    }
    connection.addEventListener("state", show);
    connection.addEventListener("online", show);
    listen_to_keys({" ": act.resume, s: act.step, r: act.rewind, x: act.stop, w: act.save, t: change_theme, f: enlarge_card, "/": find, "?": show_keys}, commands.stepping);
    return {locked(on) {
        token.hidden = !on;
        if (on && !connection.online) { pill.hidden = false; pill.className = "pill gone"; pill.textContent = "locked"; }
    }};
}
