// SPDX-License-Identifier: BSL-1.0
// The trials of a search in the folder: parallel coordinates and a table, the best first.
import {query} from "../connection.js";
import {clear, duration, h, memory, number} from "../dom.js";
import {coordinates, make_parallel, real} from "./parallel.js";
import {polled} from "./polled.js";
import {head_of, sorted} from "./runs.js";

const first_rows = 100;

/// Returns how a trial has ended.
export const ended = trial => trial.failed ? "failed" : trial.early ? "early" : Number.isFinite(real(trial.loss)) ? "" : "no loss";

/// Returns the columns of the table: {name, key, n: whether numbers, value and cell of a trial}.
const columns_of = axes => [
    {name: "trial", n: true, value: trial => trial.number, cell: trial => String(trial.number)},
    {name: "loss", n: true, value: trial => Number.isFinite(real(trial.loss)) ? trial.loss : null, cell: trial => number(trial.loss, 4)},
    ...axes.filter(axis => !axis.loss).map((axis, i) => ({name: axis.name, key: i, n: !axis.words, value: trial => axis.of(trial.choices[i]), cell: trial => axis.told(trial.choices[i])})),
    {name: "seconds", key: "seconds", n: true, value: trial => trial.seconds, cell: trial => duration(trial.seconds)},
    {name: "ended", key: "ended", value: ended, cell: ended},
].map(column => ({...column, key: `${column.key ?? ""} ${column.name}`}));
function failures_of(failed, axes) {
    const choices = trial => axes.flatMap((axis, i) => !axis.loss && trial.choices[i] ? [` · ${axis.name} ${axis.told(trial.choices[i])}`] : []).join("");
    return [h("h3", {}, "Failed"), h("ul", {class: "notes failures"}, failed.slice(0, first_rows).map(trial => h("li", {class: "failed"}, `trial ${trial.number}: ${trial.failed}`, h("span", {class: "dim"}, choices(trial))))),
        h("p", {class: "dim", hidden: failed.length <= first_rows}, `${failed.length - first_rows} more`)];
}
function scale_of(loss) {
    const sign = (...parts) => h("span", {class: "row"}, parts);
    return [sign("loss", h("span", {class: "mono"}, number(loss.low, 3)), h("i", {class: "ramp", role: "img", "aria-label": "color scale from the lowest to the highest loss"}), h("span", {class: "mono"}, number(loss.high, 3))),
        sign(h("i", {class: "swatch thick"}), "best"), sign(h("i", {class: "swatch thick dashed"}), "ended early")];
}

export function create(_, body) {
    const kept = {name: "", sort: null, by: 1, ...memory.get("search", {})}, keep = () => memory.set("search", kept);
    const which = h("select", {"aria-label": "Search file", onchange: () => { kept.name = which.value; keep(); forget(); poll.go(); }});
    const all = h("button", {class: "quiet", onclick: () => plot.free()}, "Show all"), count = h("span");
    const scale = h("span", {class: "row scale"}), note = h("span", {class: "dim"}), said = h("p", {class: "said mono", role: "status"}), why = h("p", {class: "dim"});
    const plot = make_parallel("Trials by choices and loss", tell, () => { rows(); }), place = h("div", {class: "scroll", role: "group", tabindex: "0", "aria-label": "Trials"}), failures = h("div");
    const across = h("div", {class: "scroll across", role: "group", tabindex: "0", "aria-label": "Choices and loss"}, plot.element);
    const shown = h("div", {hidden: true}, h("div", {class: "toolbar"}, scale, all), across, said, place, failures);
    body.append(h("div", {class: "toolbar"}, which, count, h("span", {class: "grow"}), note), why, shown);
    let got = null, axes = [], more = false, listed = "";

    function forget() {
        got = null;
        more = false;
        shown.hidden = true;
        count.textContent = note.textContent = "";
    }
    function tell(line) {
        said.textContent = line ? [`trial ${line.trial.number}`, ...axes.map((axis, i) => `${axis.name} ${axis.told(axis.loss ? line.trial.loss : line.trial.choices[i])}`), `${number(line.trial.seconds, 3)} s`, ended(line.trial)].filter(Boolean).join(" · ")
            : "Point at a line to see its trial. Drag along an axis, or move its ends, to filter the trials.";
        for (const row of place.querySelectorAll("tr[data-trial]")) row.classList.toggle("on", Number(row.dataset.trial) === line?.trial.number);
    }
    function rows() {
        const parted = plot.parts.some(part => part), seen = new Set(plot.wanted().map(line => line.trial)), trials = got.trials.filter(trial => parted ? seen.has(trial) : !trial.failed);
        all.style.visibility = parted ? "" : "hidden";  // keeps its space, so that nothing moves during a drag
        const heads = columns_of(axes), by = heads.find(column => column.key === kept.sort);
        const order = by ? sorted(trials, by.value, kept.by) : trials, focused = place.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
        const failed = got.trials.filter(trial => trial.failed), far = place.scrollTop;
        count.textContent = [parted ? `${trials.length} of ${got.trials.length - failed.length} trials` : `${got.trials.length - failed.length} trials`, failed.length ? `${failed.length} failed` : ""].filter(Boolean).join(", ");
        const cells = trial => heads.map(column => h("td", {class: column.n ? "n" : ""}, column.cell(trial)));
        clear(place).append(h("table", {class: "runs"},
            h("tr", {}, heads.map(column => head_of(column, kept, () => { keep(); rows(); }))),
            order.slice(0, more ? order.length : first_rows).map(trial => h("tr", {"data-trial": trial.number, onpointerenter: () => plot.point(trial.number), onpointerleave: () => plot.point(null)}, cells(trial)))));
        if (order.length > first_rows && !more)
            place.append(h("button", {class: "quiet", "data-key": "more", onclick: () => { more = true; rows(); place.focus(); }}, `Show ${order.length - first_rows} more`));
        place.scrollTop = far;
        if (focused) [...place.querySelectorAll("button")].find(button => button.dataset.key === focused)?.focus({preventScroll: true});
        clear(failures).append(...failed.length ? failures_of(failed, axes) : []);
    }
    function show(fresh, same) {
        got = fresh;
        const now = coordinates(got);
        axes = now.axes;
        shown.hidden = false;
        clear(scale).append(...scale_of(axes.at(-1)));
        const left = [got.left_out ? `${number(got.left_out)} worse trials not shown` : "", got.choices_left_out ? "some choices not shown" : ""];
        note.textContent = [got.settings.slice(0, 2).map(text => text.replace("search by", "by")).join(", "), ...left, `last trial ${new Date(1000 * got.changed).toLocaleTimeString()}`].filter(Boolean).join(" · ");
        plot.show(now, same);
        if (!said.textContent) tell(null);
        rows();
    }
    async function look() {
        const {searches, left_out} = await query("/api/runs/searches", {}), names = JSON.stringify([searches, left_out]);
        if (names !== listed) {
            listed = names;
            clear(which).append(...searches.map(one => h("option", {value: one.name}, one.processes > 1 ? `${one.name} (${one.processes} processes)` : one.name)), h("option", {disabled: true, hidden: !left_out}, `${left_out} older files not shown`));
        }
        const name = searches.some(search => search.name === kept.name) ? kept.name : searches[0]?.name;
        if (name === undefined) { forget(); throw new Error("The folder has no search file any more."); }
        which.value = name;
        const same = got?.name === name;
        try {
            const fresh = await query("/api/runs/search", {name, seen: same ? got.version : ""});
            if (which.value === name && fresh.trials) show(fresh, same);
        } catch (error) {
            if (error.status !== 0) forget();  // keep the contents if the program does not respond
            throw error;
        }
    }
    const poll = polled(look, 1500, why);
    return {
        begin() { plot.begin(); poll.begin(); },
        end() { plot.end(); poll.end(); },
    };
}
