// SPDX-License-Identifier: BSL-1.0
// A drawing by hand, with the network's current prediction.
import {connection, request} from "../connection.js";
import {clear, h} from "../dom.js";
import {percent, show_bars} from "./bars.js";
import {polled} from "./polled.js";

export function create(panel, body) {
    const rows = panel.rows ?? 28, columns = panel.columns ?? 28, ink = new Float32Array(rows * columns);
    const canvas = h("canvas", {class: "pixels draw", width: columns, height: rows, tabindex: "0", role: "img", "aria-label": "Draw here"});
    const bars = h("div", {class: "bars", "aria-live": "off"}), why = h("p", {class: "dim"});
    body.append(h("div", {class: "sketch"}, canvas, h("div", {}, bars, why)),
                h("div", {class: "toolbar"}, h("span", {}, "Left button draws, right button erases"), h("span", {class: "grow"}), h("button", {class: "quiet", onclick: wipe}, "Clear")));
    let drawn = false, last = null;

    function show() {
        const g = canvas.getContext("2d"), picture = g.createImageData(columns, rows);
        ink.forEach((value, i) => { const light = Math.round(255 * value); picture.data.set([light, light, light, 255], 4 * i); });
        g.putImageData(picture, 0, 0);
    }
    function wipe() { ink.fill(0); drawn = false; clear(bars); why.textContent = "Draw a digit to see the network's prediction."; show(); }
    /// Draws with a soft brush: full strength in the middle, none at 1.6 pixels.
    function touch(x, y, erase) {
        for (let r = Math.floor(y) - 2; r <= y + 2; ++r) for (let c = Math.floor(x) - 2; c <= x + 2; ++c) {
            if (r < 0 || c < 0 || r >= rows || c >= columns) continue;
            const strength = Math.max(0, 1 - Math.hypot(c + 0.5 - x, r + 0.5 - y) / 1.6), i = r * columns + c;
            ink[i] = erase ? Math.min(ink[i], 1 - Math.min(1, 1.5 * strength)) : Math.max(ink[i], Math.min(1, 1.5 * strength));
        }
        drawn = true;
    }
    function stroke(event) {
        const box = canvas.getBoundingClientRect(), erase = (event.buttons & 2) !== 0 || event.ctrlKey;
        const x = (event.clientX - box.left) / box.width * columns, y = (event.clientY - box.top) / box.height * rows;
        const steps = last ? Math.max(1, Math.ceil(Math.hypot(x - last[0], y - last[1]) / 0.5)) : 1, from = last ?? [x, y];
        for (let i = 1; i <= steps; ++i) touch(from[0] + (x - from[0]) * i / steps, from[1] + (y - from[1]) * i / steps, erase);
        last = [x, y];
        show();
        if (connection.gone) { clear(bars); why.textContent = "The program does not respond."; }
        poll.go();
    }
    canvas.addEventListener("pointerdown", event => { canvas.setPointerCapture(event.pointerId); last = null; stroke(event); event.preventDefault(); });
    canvas.addEventListener("pointermove", event => { if (event.buttons) stroke(event); });
    canvas.addEventListener("contextmenu", event => event.preventDefault());

    const poll = polled(async () => {
        if (!drawn) return;
        try {
            const {output, classes} = await request("/api/predict", {trainer: panel.trainer, input: [...ink].map(v => Math.round(v * 1000) / 1000)});
            why.textContent = "";
            const order = output.map((p, i) => [p, i]).sort((a, b) => b[0] - a[0]).slice(0, 10);
            show_bars(bars, order.map(([p, i]) => ({name: classes?.[i] ?? String(i), share: p, text: percent(p)})), true);
        } catch (error) { why.textContent = error.message; }
    }, 60);
    wipe();
    return {begin: poll.begin, end: poll.end};
}
