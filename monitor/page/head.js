// SPDX-License-Identifier: BSL-1.0
// Who trains, how far, and the commands.
import {connection} from "./connection.js";
import {clear, duration, h, memory, number, toast} from "./dom.js";

const keys = [["space", "play or pause"], ["s", "one step"], ["r", "rewind"], ["x", "stop"], ["w", "save"], ["t", "dark or light"], ["1 … 9", "tabs"], ["?", "these keys"]];

/// The trainer whose commands and facts the head shows; every panel has its own.
export const selected = () => {
    const trainers = connection.state?.trainers ?? [];
    return trainers.find(trainer => trainer.name === memory.get("trainer", "")) ?? trainers[0];
};

const labels = {resume: "Run", start: "Run", pause: "Pause", step: "Step", rewind: "Rewind", reset: "Reset", stop: "Stop", save: "Save", load: "Load"};
const done_words = {resume: "runs", start: "runs", pause: "paused", step: "took one step", rewind: "is back at the run's beginning", reset: "is as new",
                    stop: "has stopped", save: "is saved", load: "is loaded"};

function ask_file(word) {
    return new Promise(resolve => {
        const field = h("input", {type: "text", value: memory.get("file", "run.sigma"), "aria-label": "File"});
        const dialog = h("dialog", {onclose: () => { dialog.remove(); resolve(dialog.returnValue === "go" ? field.value.trim() : null); }},
            h("form", {method: "dialog"}, h("h2", {}, `${word} a checkpoint`), h("p", {class: "dim"}, "A file in the folder of the run."),
                h("div", {class: "row"}, field, h("button", {class: "main", value: "go"}, word), h("button", {value: "no", formnovalidate: true}, "Cancel"))));
        document.body.append(dialog);
        dialog.showModal();
        field.select();
    });
}

export function make_head(place) {
    const title = h("span", {}, "Sigma"), pill = h("span", {class: "pill gone"}, "connecting"), facts = h("div", {class: "facts"}), fill = h("i");
    const select = h("select", {"aria-label": "Trainer", hidden: true, onchange: () => { memory.set("trainer", select.value); show(); }});
    const buttons = {};
    const pending = new Map();  // trainers' commands that are under way -> their buttons
    let turns = 0;  // how often the first button has said something else
    let does = "resume";  // what the first button says, which is what a click on it means, whatever the state is by then
    const give = async (command, more) => {
        const trainer = selected(), button = buttons[command === "pause" || command === "start" ? "resume" : command];
        // The run's state may be told before the end of the command that changed it: the next one does not wait for that.
        const key = `${trainer?.name}\n${command}\n${turns}`;
        if (!trainer || button.disabled || pending.has(key)) return;
        pending.set(key, button);
        button.classList.add("pending");
        try {
            await connection.command(trainer.name, command, more);
            toast(`${trainer.name} ${done_words[command]}`, "good");
        } catch (error) {
            toast(error.message, "bad");
        } finally {
            pending.delete(key);
            if (![...pending.values()].includes(button)) button.classList.remove("pending");
        }
    };
    const with_file = async command => {
        const file = await ask_file(labels[command]);
        if (!file) return;
        memory.set("file", file);
        await give(command, {file});
    };
    const act = {
        resume: () => give(does), step: () => give("step"),
        rewind: () => give("rewind"), stop: () => give("stop"), save: () => with_file("save"), load: () => with_file("load"),
    };
    for (const name of ["resume", "step", "rewind", "stop", "save", "load"])
        buttons[name] = h("button", {class: name === "resume" ? "main" : "", "data-command": name, onclick: act[name]}, labels[name]);
    const theme = () => {
        const to = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
        document.documentElement.dataset.theme = to;
        try { localStorage.setItem("sigma.theme", to); } catch { /* not remembered */ }
        document.dispatchEvent(new CustomEvent("sigma-theme"));
    };
    const help = () => {
        const dialog = h("dialog", {onclose: () => dialog.remove()}, h("h2", {}, "Keys"),
            h("table", {}, keys.map(([key, what]) => h("tr", {}, h("td", {}, h("kbd", {}, key)), h("td", {}, what)))),
            h("form", {method: "dialog"}, h("button", {class: "main"}, "Close")));
        document.body.append(dialog);
        dialog.showModal();
    };
    const commands = h("div", {class: "row", role: "group", "aria-label": "Commands"}, Object.values(buttons));
    clear(place).append(
        h("div", {class: "row"},
            h("div", {class: "title"}, h("img", {src: "/page/icon.svg", alt: ""}), title), select, pill, h("span", {class: "grow"}),
            commands,
            h("button", {class: "quiet", title: "Dark or light", "aria-label": "Dark or light", onclick: theme}, "◐"),
            h("button", {class: "quiet", title: "Keys", "aria-label": "Keys", onclick: help}, "?")),
        facts, h("div", {class: "progress"}, fill));

    function show() {
        const state = connection.state, trainer = selected();
        if (!state) return;
        title.textContent = state.environment?.name || (state.only_runs ? "Runs" : "Sigma");
        document.title = trainer ? `${trainer.name} · ${trainer.state} · Sigma` : state.only_runs ? "Runs · Sigma" : "Sigma";
        commands.hidden = Boolean(state.only_runs);
        const names = state.trainers.map(t => t.name);
        if ([...select.options].map(o => o.value).join("\n") !== names.join("\n")) clear(select).append(...names.map(name => h("option", {value: name}, name)));
        select.hidden = names.length < 2;
        if (trainer) select.value = trainer.name;
        const word = !connection.online ? "gone" : trainer?.state ?? (state.only_runs ? "runs" : "idle");
        pill.className = `pill ${word}`;
        pill.textContent = word === "gone" ? "no answer" : word;
        const fact = (name, value) => value === null || value === undefined || value === "" ? null : h("span", {}, `${name} `, h("b", {}, value));
        const task_text = tasks => tasks.length === 0 ? null : fact(tasks[0].kind, `${tasks[0].description}${
            tasks[0].total ? ` ${Math.floor(100 * tasks[0].done / tasks[0].total)} %` : ""}${tasks.length > 1 ? ` and ${tasks.length - 1} more` : ""}`);
        clear(facts);
        if (trainer) {
            const part = trainer.batches_per_epoch ? Math.min(1, (trainer.batch ?? 0) / trainer.batches_per_epoch) : 0;
            facts.append(...[
                fact("trainer", trainer.name),
                fact("epoch", trainer.epochs_planned ? `${number(trainer.epoch)} of ${number(trainer.epochs_planned)}` : number(trainer.epoch)),
                fact("iteration", number(trainer.iteration)), fact("records/s", number(trainer.records_per_second, 4)), fact("running", duration(trainer.runtime)),
                trainer.left === null || trainer.left === undefined ? null : fact("left", duration(trainer.left)), fact("device", trainer.device),
                fact("optimizer", trainer.optimizer), task_text(state.tasks ?? []), state.read_only ? h("span", {}, h("b", {}, "read only")) : null].filter(Boolean));
            fill.style.width = `${100 * (trainer.epochs_planned ? Math.min(1, (trainer.epoch + part) / trainer.epochs_planned) : part)}%`;
        }
        const running = trainer?.state === "running", paused = trainer?.state === "paused", may = connection.online && trainer && !state.read_only;
        const says = {running: "pause", idle: "start"}[trainer?.state] ?? "resume";
        if (says !== does) { does = says; ++turns; }
        buttons.resume.textContent = labels[does];
        for (const name of Object.keys(buttons)) buttons[name].disabled = !may;
        if (may) { buttons.step.disabled = !running && !paused; buttons.stop.disabled = !running && !paused; }
    }
    connection.addEventListener("state", show);
    connection.addEventListener("online", show);
    document.addEventListener("keydown", event => {
        if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea, dialog, [contenteditable]")) return;
        if (event.key === " " && event.target.closest("button, summary")) return;
        const tab = /^[1-9]$/.test(event.key) ? document.querySelectorAll('nav [role="tab"]')[Number(event.key) - 1] : null;
        const what = {" ": act.resume, s: act.step, r: act.rewind, x: act.stop, w: act.save, t: theme, "?": help}[event.key] ?? (tab ? () => tab.click() : null);
        if (!what) return;
        event.preventDefault();
        what();
    });
}
