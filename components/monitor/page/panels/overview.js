// SPDX-License-Identifier: BSL-1.0
// All trainers in a table, each with a button. A click on a name selects the trainer for the head.
import {attempt, connection, ending_of, has_ended} from "../connection.js";
import {duration, h, memory, number, updated} from "../dom.js";

const heads = ["trainer", "state", "epoch", "iteration", "loss", "records/s", "elapsed", "left", "device", ""];

export function create(_, body) {
    const rows = new Map(), losses = new Map(), ends = new Map();
    const table = h("table", {}, h("tr", {}, heads.map((head, i) => h(head ? "th" : "td", {class: i > 1 && i < 8 ? "n" : ""}, head))));
    body.append(h("div", {class: "scroll"}, table));

    function row(name) {
        const cells = heads.map((_, i) => h("td", {class: i > 1 && i < 8 ? "n" : ""}));
        const pick = h("button", {class: "quiet", title: "Show this trainer in the header", onclick: () => {
            memory.set("trainer", name);
            connection.dispatchEvent(new CustomEvent("state", {detail: connection.state}));
        }}, name);
        const act = h("button", {class: "small", onclick: () => attempt(() => connection.command(name, act.dataset.does))});
        cells[0].append(pick);
        cells[9].append(act);
        const element = h("tr", {"data-trainer": name}, cells);
        table.append(element);
        return {element, cells, act};
    }
    function show() {
        const state = connection.state;
        if (!state) return;
        for (const trainer of state.trainers) {
            const {name} = trainer;
            if (!rows.has(name)) rows.set(name, row(name));
            if (!ends.has(name)) ends.set(name, connection.subscribe(name, "loss", {add(points) { losses.set(name, points[points.length - 1][1]); }, again() {}}));
            const {cells, act} = rows.get(name);
            const texts = [null, connection.gone ? "not responding" : has_ended(trainer) ? ending_of(trainer) : trainer.state, trainer.epochs_planned ? `${number(trainer.epoch)} of ${number(trainer.epochs_planned)}` : number(trainer.epoch),
                number(trainer.iteration), number(losses.get(name) ?? trainer.loss), number(Math.round(trainer.records_per_second ?? 0)), duration(trainer.runtime),
                duration(trainer.left), trainer.device || "–"];
            texts.forEach((text, i) => { if (text !== null && cells[i].textContent !== text) cells[i].textContent = text; });
            const does = trainer.closed ? null : has_ended(trainer) ? "start" : {running: "pause", paused: "resume", idle: "start"}[trainer.state];
            cells[1].className = `state ${trainer.state}`;
            act.hidden = !does || state.read_only;
            act.disabled = connection.gone;
            act.dataset.does = does;
            act.textContent = does === "pause" ? "Pause" : "Run";
            act.setAttribute("aria-label", `${act.textContent} ${name}`);
        }
    }
    const updates = updated(connection, ["state", "online"], show);
    return {
        begin: updates.begin,
        end() {
            updates.end();
            for (const end of ends.values()) end();
            ends.clear();
        },
    };
}
