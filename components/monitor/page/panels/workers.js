// SPDX-License-Identifier: BSL-1.0
// The workers of a run side by side: state, speed, and share of time spent waiting.
import {connection} from "../connection.js";
import {h, number, updated} from "../dom.js";

const heads = ["worker", "state", "steps", "steps/s", "loss", "waiting", "device"];
const is_number = i => i > 1 && i < 6;

export function create(panel, body) {
    const table = h("table"), rows = [];
    body.append(h("div", {class: "scroll", role: "group", tabindex: "0", "aria-label": panel.title}, table));
    table.append(h("tr", {}, heads.map((head, i) => h("th", {class: is_number(i) ? "n" : ""}, head))));

    function row(i) {
        const cells = heads.map((_, k) => h("td", {class: is_number(k) ? "n" : ""}));
        const bar = h("meter", {min: 0, max: 1, "aria-label": `Share of time that worker ${i + 1} waits`}), share = h("span");
        cells[5].append(bar, " ", share);
        table.append(h("tr", {"data-worker": String(i + 1)}, cells));
        return {cells, bar, share};
    }
    function show() {
        const workers = connection.state?.trainers.find(one => one.name === panel.trainer)?.workers ?? [];
        if (workers.length < rows.length) {
            for (const tr of [...table.querySelectorAll("[data-worker]")]) tr.remove();
            rows.length = 0;
        }
        workers.forEach((worker, i) => {
            rows[i] ??= row(i);
            const {cells, bar, share} = rows[i], state = connection.gone ? "not responding" : worker.state;
            const texts = [String(i + 1), state, number(worker.steps), number(worker.steps_per_second, 4), number(worker.loss), null, worker.device];
            texts.forEach((text, k) => { if (text !== null && cells[k].textContent !== text) cells[k].textContent = text; });
            cells[1].className = `state ${state === "trains" ? "running" : "paused"}`;
            bar.value = worker.waiting ?? 0;
            const percent = `${Math.round(100 * (worker.waiting ?? 0))}\u202f%`;
            if (share.textContent !== percent) share.textContent = percent;
        });
    }
    return updated(connection, ["state", "online"], show);
}
