// SPDX-License-Identifier: BSL-1.0
import {query} from "../connection.js";
import {clear, h, number} from "../dom.js";
import {polled} from "./polled.js";

/// Rows are targets, columns are predictions.
export function create(panel, body) {
    const place = h("div", {class: "scroll", role: "group", tabindex: "0", "aria-label": panel.title}), line = h("p", {class: "dim"}), why = h("p", {class: "dim"});
    body.append(place, line, why);
    let before = "";
    return polled(async () => {
        const {classes, counts} = await query("/api/confusion", {panel: panel.id}), now = JSON.stringify([classes, counts]);
        if (now === before) return;
        before = now;
        if (!counts?.length) { clear(place).append(h("p", {class: "empty"}, "Not scored yet")); return; }
        const name = i => classes?.[i] ?? String(i);
        let right = 0, all = 0;
        counts.forEach((row, i) => row.forEach((n, k) => { all += n; if (i === k) right += n; }));
        clear(place).append(h("table", {class: "confusion"},
            h("tr", {}, h("td"), counts.map((_, k) => h("th", {title: name(k)}, name(k)))),
            counts.map((row, i) => {
                const sum = row.reduce((a, b) => a + b, 0) || 1;
                return h("tr", {}, h("th", {title: name(i)}, name(i)), row.map((n, k) => {
                    const cell = h("td", {title: `target ${name(i)}, prediction ${name(k)}: ${n}`}, n || "");
                    const share = n / sum;
                    cell.style.background = `color-mix(in srgb, var(--${i === k ? "good" : "bad"}) ${Math.round(45 * Math.sqrt(share))}%, var(--raised))`;
                    return cell;
                }));
            })));
        line.textContent = all ? `${number(right)} of ${number(all)} correct, ${(100 * right / all).toFixed(2)} %` : "";
    }, 1000, why);
}
