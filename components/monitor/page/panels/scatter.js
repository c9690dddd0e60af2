// SPDX-License-Identifier: BSL-1.0
// Runs as points: any of their numbers against any other.
import {clear, h, memory, number, updated} from "../dom.js";
import {beside, compared, numbers_in, numbers_of} from "../facts.js";
import {runs} from "../runs.js";
import {of_numbers} from "./parallel.js";
import {choose} from "./run_menu.js";

const edge = {left: 66, right: 18, top: 12, bottom: 40}, height = 320;

/// Returns the axes and points of the runs that have both numbers: {x, y, points: [{run, x, y}]}, the places from 0 to 1, from left to right.
export function scattered(list, across, up) {
    const all = list.flatMap(run => {
        const of = numbers_of(run), point = {run, x: of.get(across), y: of.get(up)};
        return point.x === undefined || point.y === undefined ? [] : [point];
    }).sort((a, b) => a.x - b.x);
    const [x, y] = [of_numbers(all.map(one => one.x)), of_numbers(all.map(one => one.y))];
    return {x, y, points: all.map(one => ({...one, left: x.place(one.x), up: y.place(one.y)}))};
}
/// Returns the names of the first axes: a number that the runs were given and that differs, and the first score.
export function first_axes(list) {
    const names = numbers_in(list), given = compared(list).filter(({values, same}) => !same && values.every(value => value === undefined || typeof value === "number"));
    return [(given.find(({name}) => !beside(name)) ?? given[0])?.name ?? (names.includes("iteration") ? "iteration" : names[0]), names[0]];
}

export const create = (panel, body) => new Scatter(panel, body);

class Scatter {
    #before = "";
    #pointed = null;        // id of the run under the pointer
    #drawn = [];            // {point, dot, cx, cy}

    constructor(panel, body) {
        this.panel = panel;
        this.kept = {x: null, y: null, ...memory.get("scatter", {})};
        const select = word => h("select", {onchange: event => { this.kept[word] = event.currentTarget.value; memory.set("scatter", this.kept); this.#show(); }});
        this.x = select("x");
        this.y = select("y");
        this.said = h("p", {class: "said mono", role: "status"});
        this.plot = h("div", {class: "scatter"});
        body.append(h("div", {class: "toolbar"}, h("label", {}, "across", this.x), h("label", {}, "up", this.y)), this.plot, this.said);
        this.observer = new ResizeObserver(() => this.#show());
        this.updates = updated(runs, ["list", "chosen"], () => this.#show());
    }
    #options() {
        const names = numbers_in(runs.list), usual = first_axes(runs.list);
        [[this.x, this.kept.x, usual[0]], [this.y, this.kept.y, usual[1]]].forEach(([select, wanted, otherwise]) => {
            if ([...select.options].map(one => one.value).join("\n") !== names.join("\n")) select.replaceChildren(...names.map(name => h("option", {value: name}, name)));
            select.value = names.includes(wanted) ? wanted : otherwise;
        });
    }
    #point(at) {
        this.#pointed = at?.point.run.id ?? null;
        for (const one of this.#drawn) one.dot.classList.toggle("on", one === at);
        if (at) at.dot.parentNode.append(at.dot);
        this.said.textContent = at ? [at.point.run.id, `${this.x.value} ${number(at.point.x)}`, `${this.y.value} ${number(at.point.y)}`].join(" · ")
            : "Point at a run to see its numbers. Click it to show it in the charts, or to remove it.";
    }
    #axes(shown, wide, at) {
        const line = (x1, y1, x2, y2) => h("line", {x1, y1, x2, y2}), bottom = height - edge.bottom, middle = (edge.top + bottom) / 2;
        const name = (select, scale) => scale.log ? `${select.value}, log` : select.value;
        return h("g", {class: "axis"}, line(edge.left, edge.top, edge.left, bottom), line(edge.left, bottom, wide - edge.right, bottom),
            shown.x.marks.map(mark => h("text", {x: at(mark.place, 0)[0], y: bottom + 16, "text-anchor": "middle"}, mark.text)),
            shown.y.marks.map(mark => h("text", {x: edge.left - 7, y: at(0, mark.place)[1] + 4, "text-anchor": "end"}, mark.text)),
            h("text", {class: "name", x: (edge.left + wide - edge.right) / 2, y: height - 6, "text-anchor": "middle"}, name(this.x, shown.x)),
            h("text", {class: "name", x: 14, y: middle, "text-anchor": "middle", transform: `rotate(-90 14 ${middle})`}, name(this.y, shown.y)));
    }
    #draw(shown) {
        const wide = Math.max(260, this.plot.clientWidth), at = (left, up) => [edge.left + (0.04 + 0.92 * left) * (wide - edge.left - edge.right), height - edge.bottom - (0.04 + 0.92 * up) * (height - edge.top - edge.bottom)];
        const focused = this.plot.contains(document.activeElement), pointed = this.#pointed;
        this.#drawn = shown.points.map(point => {
            const [cx, cy] = at(point.left, point.up), {id, live} = point.run, place = runs.place(id), dot = h("circle", {cx, cy, r: 6, "data-run": id, class: live || place >= 0 ? "chosen" : ""});
            if (live || place >= 0) dot.style.fill = live ? "var(--accent)" : `var(--series-${place % 8 + 1})`;
            return {point, dot, cx, cy};
        });
        const group = h("g", {class: "points", role: "img", tabindex: "0",
            "aria-label": `${this.#drawn.length} runs, ${this.y.value} over ${this.x.value}. Arrow keys select a run, from left to right. Enter shows it in the charts or removes it.`}, this.#drawn.map(one => one.dot));
        const svg = h("svg", {viewBox: `0 0 ${wide} ${height}`, width: wide, height, role: "group", "aria-label": this.panel.title}, this.#axes(shown, wide, at), group);
        clear(this.plot).append(svg);
        this.#listen(svg, group);
        this.#point(this.#drawn.find(one => one.point.run.id === pointed) ?? null);
        if (focused) group.focus({preventScroll: true});
    }
    #listen(svg, group) {
        const nearest = event => {
            const box = svg.getBoundingClientRect(), far = one => Math.hypot(one.cx - event.clientX + box.left, one.cy - event.clientY + box.top);
            const found = this.#drawn.reduce((best, one) => !best || far(one) < far(best) ? one : best, null);
            return found && far(found) < 14 ? found : null;
        };
        svg.addEventListener("pointermove", event => this.#point(nearest(event)));
        svg.addEventListener("pointerleave", () => { if (document.activeElement !== group) this.#point(null); });
        svg.addEventListener("click", event => { const at = nearest(event); if (at) { this.#point(at); toggle(at.point.run); } });
        group.addEventListener("blur", () => this.#point(null));
        group.addEventListener("keydown", event => {
            const i = this.#drawn.findIndex(one => one.point.run.id === this.#pointed), last = this.#drawn.length - 1;
            const to = {ArrowRight: i + 1, ArrowUp: i + 1, ArrowLeft: i - 1, ArrowDown: i - 1, Home: 0, End: last}[event.key];
            if (event.ctrlKey || event.altKey || event.metaKey || (to === undefined && event.key !== "Enter")) return;
            if (to !== undefined) this.#point(this.#drawn[Math.min(last, Math.max(0, to))] ?? null);
            else if (i >= 0) toggle(this.#drawn[i].point.run);
            event.preventDefault();
        });
    }
    #show() {
        this.#options();
        const shown = scattered(runs.list, this.x.value, this.y.value);
        const now = JSON.stringify([this.x.value, this.y.value, this.plot.clientWidth, shown.points.map(one => [one.run.id, one.x, one.y, runs.place(one.run.id)])]);
        if (now === this.#before) return;
        this.#before = now;
        if (shown.points.length) { this.#draw(shown); return; }
        this.#drawn = [];
        clear(this.plot).append(h("p", {class: "empty"}, "No run has both numbers"));
        this.said.textContent = "";
    }
    begin() { this.observer.observe(this.plot); this.updates.begin(); }
    end() { this.observer.disconnect(); this.updates.end(); }
}
const toggle = run => { if (!run.live) choose(run.id, runs.place(run.id) < 0); };
