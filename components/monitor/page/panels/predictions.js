// SPDX-License-Identifier: BSL-1.0
// The predictions of a classifier: a confusion matrix whose cells open their records, the worst errors, and a slider for the threshold of a class.
import {connection, query} from "../connection.js";
import {h, number} from "../dom.js";
import {polled} from "./polled.js";

const most_shown = 64;
const percent = x => x === null ? "–" : `${(100 * x).toFixed(1)} %`;

/// Returns the counts at a threshold, and precision, recall and F1, which are null if they divide by 0. `positive` and `negative` are the numbers of
/// records of the class, and of others, whose probability is at least each threshold.
export function scores(positive, negative, step) {
    const right = positive[step], wrong = negative[step], missed = positive[0] - right, share = (part, whole) => whole ? part / whole : null;
    return {right, wrong, missed, rejected: negative[0] - wrong, precision: share(right, right + wrong), recall: share(right, right + missed), f1: share(2 * right, 2 * right + wrong + missed)};
}
/// Returns the rows of a cell [target, prediction], or all errors.
export const rows_in = (rows, cell) => rows.filter(([, is, taken]) => cell ? is === cell[0] && taken === cell[1] : is !== taken);
/// Converts hexadecimal digits to bytes.
export const bytes_of = digits => Uint8ClampedArray.from({length: digits.length / 2}, (_, i) => Number.parseInt(digits.slice(2 * i, 2 * i + 2), 16));

function paint(canvas, bytes, {rows, columns, channels}) {
    canvas.width = columns;
    canvas.height = rows;
    const g = canvas.getContext("2d"), picture = g.createImageData(columns, rows), last = channels - 1;
    for (let i = 0; i < rows * columns; ++i) picture.data.set([bytes[channels * i], bytes[channels * i + last / 2], bytes[channels * i + last], 255], 4 * i);
    g.putImageData(picture, 0, 0);
}

/// Makes {element, show(told, cell)}: a table with a button for each cell that has records. The arrow keys move between the buttons.
function make_matrix(title, choose) {
    const element = h("div", {class: "scroll", role: "group", "aria-label": `Confusion matrix of ${title}`});
    const at = cell => element.querySelector(`[data-cell="${cell}"]`);
    const enter = button => {
        for (const other of element.querySelectorAll("button")) other.tabIndex = -1;
        if (button) button.tabIndex = 0;
    };
    element.addEventListener("keydown", event => {
        const by = {ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0]}[event.key], from = event.target.closest("[data-cell]")?.dataset.cell.split(",").map(Number);
        if (!by || !from) return;
        event.preventDefault();
        const size = element.querySelectorAll("tr").length;
        for (let n = 1; n < size; ++n) {
            const to = at(`${from[0] + n * by[0]},${from[1] + n * by[1]}`);
            if (to) { enter(to); to.focus(); return; }
        }
    });
    function cell_of(told, row, i, k, pressed) {
        const n = row[k], sum = row.reduce((a, b) => a + b, 0), cell = h("td");
        if (n) cell.append(h("button", {"data-cell": `${i},${k}`, "aria-pressed": String(pressed), "aria-label": `${told.classes[i]}, predicted as ${told.classes[k]}: ${n} records`, title: `target ${told.classes[i]}, prediction ${told.classes[k]}`, onclick: () => choose([i, k])}, n));
        cell.style.background = `color-mix(in srgb, var(--${i === k ? "good" : "bad"}) ${sum ? Math.round(45 * Math.sqrt(n / sum)) : 0}%, var(--raised))`;
        return cell;
    }
    return {element, show(told, cell) {
        const active = element.contains(document.activeElement) ? document.activeElement : null, focused = /** @type {HTMLElement} */ (active)?.dataset.cell ?? String(cell ?? "");
        const head = name => h("th", {title: name}, name);
        element.replaceChildren(h("table", {class: "confusion"}, h("tr", {}, h("td"), told.classes.map(head)),
            told.counts.map((row, i) => h("tr", {}, head(told.classes[i]), row.map((_, k) => cell_of(told, row, i, k, cell?.[0] === i && cell[1] === k))))));
        const to = at(focused);
        enter(to ?? element.querySelector("button"));
        if (active) to?.focus({preventScroll: true});
    }};
}

/// Makes {element, show(told, cell)}: the records of a cell, or all errors. `inputs(records)` returns {inputs, picture?, columns?} of records by their index.
function make_records(title, inputs, all) {
    const line = h("h3"), back = h("button", {onclick: all}, "Back to all errors"), grid = h("div", {class: "grid-of-images large", role: "group", tabindex: "0", "aria-label": `Records of ${title}`});
    const known = new Map(), most_known = 1000, why = h("p", {class: "dim"}), element = h("section", {class: "records"}, h("div", {class: "row"}, line, back), grid, why);
    let shape = null, shown = [];
    const input = record => {
        const found = known.get(record);
        if (found === undefined) return null;
        if (!shape.picture) return h("p", {class: "mono dim"}, found.map((x, i) => `${shape.columns?.[i] ?? i}: ${number(x, 3)}`).join("\n"));
        const canvas = h("canvas", {class: "pixels", role: "img", "aria-label": `record ${record}`});
        paint(canvas, bytes_of(found), shape.picture);
        return canvas;
    };
    const draw = told => grid.replaceChildren(...shown.map(([record, is, taken, of_taken, of_is, loss]) => h("figure", {class: is === taken ? "" : "wrong", title: `record ${record}: probability of ${told.classes[is]} ${percent(of_is)}, loss ${number(loss)}`},
        input(record), h("figcaption", {}, is === taken ? told.classes[is] : `${told.classes[is]} → ${told.classes[taken]}`, h("small", {}, percent(of_taken))))));
    return {element, async show(told, cell) {
        const rows = rows_in(told.rows, cell), mine = shown = rows.slice(0, most_shown);
        const few = rows.length > most_shown ? `, the ${most_shown} ${cell && cell[0] === cell[1] ? "least certain" : "worst"}` : rows.length > 1 ? `, the ${cell && cell[0] === cell[1] ? "least certain" : "worst"} first` : "";
        line.textContent = cell ? `${told.classes[cell[0]]}, predicted as ${told.classes[cell[1]]}: ${number(rows.length)}${few}` : `Errors: ${number(rows.length)} of ${number(told.rows.length)}${few}`;
        back.hidden = !cell;
        if (known.size > most_known) known.clear();
        const missing = mine.map(([record]) => record).filter(record => !known.has(record));
        why.textContent = "";
        if (missing.length)
            try {
                const got = await inputs(missing);
                shape = got;
                for (const [record, found] of Object.entries(got.inputs)) known.set(Number(record), found);
            } catch (error) { why.textContent = error.message; }
        if (mine === shown) draw(told);
    }, clear() {
        known.clear();
        shape = null;
        shown = [];
    }};
}

const edge = {left: 34, right: 8, top: 8, bottom: 30}, plot = {wide: 250, tall: 190};
/// Draws precision over recall, with a point at the threshold.
function curve_of(positive, negative, step, name) {
    const place = ({precision, recall}) => [edge.left + recall * (plot.wide - edge.left - edge.right), edge.top + (1 - precision) * (plot.tall - edge.top - edge.bottom)];
    const known = positive.map((_, i) => scores(positive, negative, i)).filter(one => one.precision !== null && one.recall !== null);
    const now = scores(positive, negative, step), point = now.precision === null || now.recall === null ? null : place(now);
    const [left, bottom] = place({precision: 0, recall: 0}), [right, top] = place({precision: 1, recall: 1}), line = (x1, y1, x2, y2) => h("line", {x1, y1, x2, y2});
    const text = (x, y, anchor, words) => h("text", {x, y, "text-anchor": anchor}, words);
    return h("svg", {viewBox: `0 0 ${plot.wide} ${plot.tall}`, role: "img", "aria-label": `Precision over recall of ${name}: precision ${percent(now.precision)}, recall ${percent(now.recall)}`},
        line(left, top, left, bottom), line(left, bottom, right, bottom), text(left - 5, bottom + 4, "end", "0"), text(left - 5, top + 7, "end", "1"), text(left, bottom + 14, "middle", "0"), text(right, bottom + 14, "end", "1"),
        text((left + right) / 2, bottom + 24, "middle", "recall"), h("text", {x: 14, y: (top + bottom) / 2, "text-anchor": "middle", transform: `rotate(-90 14 ${(top + bottom) / 2})`}, "precision"),
        h("polyline", {points: known.map(one => place(one).map(x => x.toFixed(1)).join()).join(" ")}), point ? h("circle", {cx: point[0], cy: point[1], r: 5}) : null);
}

/// Makes {element, show(told)}: a class against the rest, at the threshold of a slider.
function make_threshold(title) {
    const which = h("select", {"aria-label": `Class of ${title}`, onchange: () => draw()}), slider = h("input", {type: "range", min: 0, max: 1, step: 0.01, value: 0.5, "aria-label": `Threshold of ${title}`, oninput: () => draw()});
    const at = h("output", {}), facts = h("div", {class: "facts"}), plotted = h("div"), element = h("section", {class: "threshold"}, h("h3", {}, "Threshold"),
        h("div", {class: "toolbar"}, h("label", {}, "class", which), h("label", {}, "threshold", slider), at), facts, plotted);
    let told = null;
    function draw() {
        const of = which.selectedIndex, step = Math.round(100 * Number(slider.value)), positive = told.positive[of], negative = told.negative[of], now = scores(positive, negative, step);
        at.textContent = (step / 100).toFixed(2);
        const fact = (word, value) => h("span", {}, word, h("b", {}, value));
        facts.replaceChildren(fact("precision", percent(now.precision)), fact("recall", percent(now.recall)), fact("F1", percent(now.f1)), fact("true positives", number(now.right)),
            fact("false positives", number(now.wrong)), fact("false negatives", number(now.missed)), fact("true negatives", number(now.rejected)));
        plotted.replaceChildren(curve_of(positive, negative, step, told.classes[of]));
    }
    return {element, show(next) {
        if (!told || told.classes.join("\n") !== next.classes.join("\n")) {
            which.replaceChildren(...next.classes.map(name => h("option", {}, name)));
            which.selectedIndex = next.classes.length === 2 ? 1 : 0;
        }
        told = next;
        draw();
    }};
}

/// Makes {element, show(told), clear()}. `inputs(records)` returns the inputs of records.
export function make_predictions(title, inputs) {
    const line = h("p", {class: "dim"}, "No predictions yet."), place = h("div", {class: "predictions", hidden: true}), element = h("div", {}, line, place);
    let told = null, cell = null;
    const choose = next => { cell = next && cell?.join() !== next.join() ? next : null; show(); };
    const matrix = make_matrix(title, choose), records = make_records(title, inputs, () => choose(null)), threshold = make_threshold(title);
    place.append(h("section", {}, h("h3", {}, "Target (row) and prediction (column)"), matrix.element), threshold.element, records.element);
    function show() {
        matrix.show(told, cell);
        records.show(told, cell);
    }
    return {element, show(next) {
        if (told?.classes.length !== next.classes.length) cell = null;
        told = next;
        const right = told.counts.reduce((sum, row, i) => sum + row[i], 0), all = told.rows.length;
        line.textContent = `epoch ${number(told.epoch)}, iteration ${number(told.iteration)}: ${number(right)} of ${number(all)} correct, ${(100 * right / Math.max(1, all)).toFixed(2)} %${all < told.of ? ` (the first ${number(all)} of ${number(told.of)} records)` : ""}`;
        place.hidden = false;
        show();
        threshold.show(told);
    }, clear() {
        cell = null;
        records.clear();
    }};
}

export function create(panel, body) {
    const why = h("p", {class: "dim"}), shown = make_predictions(panel.title, records => query("/api/predictions", {panel: panel.id, records: records.join()}));
    body.append(shown.element, why);
    let seen = 0, greeted = connection.hellos;
    return polled(async () => {
        if (greeted !== connection.hellos) { seen = 0; greeted = connection.hellos; shown.clear(); }  // another program counts from 1 again
        const told = await query("/api/predictions", {panel: panel.id, seen});
        if (!told.rows) return;
        seen = told.version;
        shown.show(told);
    }, 1000, why);
}
