// SPDX-License-Identifier: BSL-1.0
// Distributions of parameters or gradients over time: the latest as bars over its own range, and above it all of them as a picture over
// their common range, in which gradients soon become a thin line; or all of them as ridges.
import {query} from "../connection.js";
import {colour, h, memory, number} from "../dom.js";
import {polled} from "./polled.js";
import {draw_ridges} from "./ridges.js";

const bins = 48, most_rows = 80;  // as many as the server keeps

/// Converts `counts` over [low, high] to bins over [a, b]: moves each bin to the one that has its middle.
export function rebinned({low, high, counts}, a, b) {
    const out = new Array(bins).fill(0), step = (high - low) / counts.length || 1, to = (b - a) / bins || 1;
    counts.forEach((n, i) => { out[Math.min(bins - 1, Math.max(0, Math.floor((low + (i + 0.5) * step - a) / to)))] += n; });
    return out;
}

/// Makes {names, way, elements, show(answer), clear()}: a list of tensors, and a picture of the distributions of one, in one of two ways. Calls `chosen`
/// when the user selects another tensor.
export function make_histogram(title, chosen) {
    const names = h("select", {"aria-label": "Tensor", onchange: chosen}), range = h("p", {class: "dim"});
    const way = h("button", {class: "quiet", "aria-pressed": String(memory.get("ridges", false)), onclick: () => {
        const now = way.getAttribute("aria-pressed") !== "true";
        way.setAttribute("aria-pressed", String(now));
        memory.set("ridges", now);
        if (history.length) draw();
    }}, "ridges");
    const canvas = h("canvas", {width: 480, height: 220, role: "img", "aria-label": title});
    canvas.style.width = "100%";
    const nothing = why => {
        canvas.getContext("2d").clearRect(0, 0, canvas.width, canvas.height);
        range.textContent = why;
    };
    let history = [];
    function draw() {
        const [first, last] = [history[0].iteration, history[history.length - 1].iteration];
        if (way.getAttribute("aria-pressed") === "true") {
            const [low, high] = draw_ridges(canvas, history);
            range.textContent = `${number(low, 3)} … ${number(high, 3)}, iterations ${number(first)} to ${number(last)}`;
            return;
        }
        const g = canvas.getContext("2d"), {width, height} = canvas;
        g.clearRect(0, 0, width, height);
        const a = Math.min(...history.map(one => one.low)), b = Math.max(...history.map(one => one.high));
        const top = height * 0.45, row = top / most_rows;
        history.forEach((one, i) => {
            const shares = rebinned(one, a, b), greatest = Math.max(...shares) || 1;
            shares.forEach((n, k) => {
                if (!n) return;
                g.globalAlpha = 0.08 + 0.92 * n / greatest;
                g.fillStyle = colour("accent");
                g.fillRect(k * width / bins, top - (history.length - i) * row, width / bins + 0.5, row + 0.5);
            });
        });
        g.globalAlpha = 1;
        const now = history[history.length - 1], counts = rebinned(now, now.low, now.high), most = Math.max(...counts) || 1;
        g.fillStyle = colour("accent");
        counts.forEach((n, k) => { const tall = (height - top - 8) * n / most; g.fillRect(k * width / bins + 1, height - tall, width / bins - 2, tall); });
        range.textContent = `${number(a, 3)} … ${number(b, 3)}, iterations ${number(first)} to ${number(last)}; bars: ${number(now.low, 3)} … ${number(now.high, 3)}`;
    }
    return {
        names, way, elements: [canvas, range],
        clear() { names.replaceChildren(); history = []; nothing(""); },
        recolour() { if (history.length) draw(); },
        /// Shows an answer of the server. Returns false if the user has selected another tensor meanwhile.
        show(told) {
            if (!told.names.length) { nothing("No distributions yet"); return true; }
            for (const name of told.names.slice(names.options.length)) names.append(h("option", {value: name}, name));
            if (names.value !== told.name) return false;
            history = told.distributions.filter(one => one.low !== null);
            if (history.length) draw();
            else nothing("No finite values");
            return true;
        },
    };
}

export function create(panel, body) {
    const why = h("p", {class: "dim"}), histogram = make_histogram(panel.title, () => poll.go());
    body.append(h("div", {class: "toolbar"}, histogram.names, histogram.way), ...histogram.elements, why);
    const poll = polled(async () => {
        const told = await query("/api/histogram", {trainer: panel.trainer, pattern: panel.pattern, name: histogram.names.value});
        if (!histogram.show(told)) poll.go();
    }, 1000, why);
    return {...poll, recolour: histogram.recolour};
}
