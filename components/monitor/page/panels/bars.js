// SPDX-License-Identifier: BSL-1.0
// Numbers as bars; shares as percentages, the largest first; the prediction for one record.
import {connection, query} from "../connection.js";
import {clear, h, number} from "../dom.js";
import {paint} from "./paint.js";
import {polled} from "./polled.js";

export const percent = share => share === null || !Number.isFinite(share) ? "–" : `${(100 * share).toFixed(1)} %`;

/// Shows rows [{name, share, text}]; marks the first if they are ranked. Existing bars move.
export function show_bars(place, rows, ranked) {
    if (place.children.length !== 3 * rows.length)
        clear(place).append(...rows.flatMap(() => [h("span"), h("div", {class: "bar-track"}, h("i")), h("span")]));
    rows.forEach(({name, share, text}, i) => {
        const [label, track, value] = [0, 1, 2].map(k => place.children[3 * i + k]), first = ranked && i === 0 ? "first" : "";
        label.className = first;
        label.textContent = name;
        track.firstChild.style.width = `${100 * Math.max(0, Math.min(1, share ?? 0))}%`;
        value.className = `mono ${first}`;
        value.textContent = text;
    });
}

/// Turns [[name, value or null]] into bars relative to the largest value, or into percentages sorted from the largest.
export function bars_of(values, ranked) {
    if (ranked)
        return [...values].sort((a, b) => (b[1] ?? -Infinity) - (a[1] ?? -Infinity)).map(([name, x]) => ({name, share: x, text: percent(x)}));
    const most = values.reduce((top, [, x]) => Number.isFinite(x) ? Math.max(top, Math.abs(x)) : top, 0) || 1;
    return values.map(([name, x]) => ({name, share: Number.isFinite(x) ? Math.abs(x) / most : 0, text: number(x)}));
}

export function create(panel, body) {
    const place = h("div", {class: "bars"}), why = h("p", {class: "dim"}), ranked = panel.kind === "ranked";
    if (panel.of_records) {
        const canvas = h("canvas", {class: "pixels", hidden: true}), target = h("p", {class: "dim"});
        body.append(h("div", {class: "sketch"}, h("div", {}, canvas, target), place), why);
        return polled(async () => {
            const {values, target: is, picture, pixels} = await query("/api/ranking", {panel: panel.id});
            if (picture && canvas.hidden) { canvas.hidden = false; paint(canvas, pixels, picture.rows, picture.columns); }
            target.textContent = is === undefined ? "" : `Target: ${is}`;
            show_bars(place, values.slice(0, 10).map(([name, share]) => ({name, share, text: percent(share)})), true);
        }, 1000, why);
    }
    body.append(place);
    const now = new Map(panel.series.map(name => [name, null])), ends = [];
    let due = 0;
    const show = () => { due ||= requestAnimationFrame(() => { due = 0; show_bars(place, bars_of([...now], ranked), ranked); }); };
    const again = async () => {
        try { for (const {name, last} of await query("/api/series", {trainer: panel.trainer})) if (now.has(name)) now.set(name, last); }
        catch { /* tried again at the next hello */ }
        show();
    };
    return {
        begin() {
            for (const name of panel.series)
                ends.push(connection.subscribe(panel.trainer, name, {add(points) { now.set(name, points[points.length - 1][1]); show(); }, again}));
            connection.addEventListener("hello", again);
            again();
        },
        end() { ends.splice(0).forEach(end => end()); connection.removeEventListener("hello", again); cancelAnimationFrame(due); due = 0; },
    };
}
