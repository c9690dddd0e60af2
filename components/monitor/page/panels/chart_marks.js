// SPDX-License-Identifier: BSL-1.0
// Marks over a chart and their description in words: ends of runs, changes by hand, checkpoints, and numbers that are not finite.
import {attempt, connection, ending_of} from "../connection.js";
import {ask, clear, colour, colours, duration, h, number, toast} from "../dom.js";
import {marks, mark_text} from "./marks.js";

/// Returns the places where runs ended early: {x, text, colour, line}.
export function endings(chart) {
    const {by_time} = chart.kept;
    return chart.lines.flatMap((line, i) => {
        const trainer = chart.trainer_of(line);
        if (!trainer || line.fork || !["failed", "stopped", "broken off"].includes(trainer.state) || !line.x.length) return [];
        const whole = line.over(by_time, chart.reached(line)), x = by_time ? whole.x.at(-1) : trainer.ended ?? trainer.iteration ?? whole.x.at(-1);
        return [{x, text: ending_of(trainer), state: trainer.state, colour: trainer.state === "failed" ? "bad" : "warn", line, i}];
    });
}
/// Returns the marks of the runs that the chart shows, each once: {x, text, kind, colour, quiet: whether it has no line, from: the checkpoint}.
export function marks_of(chart) {
    const {by_time} = chart.kept, found = new Map();
    for (const line of chart.lines.filter(one => chart.visible(one))) {
        const trainer = chart.trainer_of(line), of_run = line.run === null ? marks.of(line.trainer) : trainer?.marks ?? [];
        const add = (x, text, more) => { if (Number.isFinite(x)) found.set(`${line.run} ${line.trainer} ${x} ${text}`, {x, text: line.run === null ? text : `${line.run}: ${text}`, ...more}); };
        for (const mark of of_run) {
            if (line.fork && mark.iteration > line.fork.iteration) continue;
            const from = mark.kind === "save" ? {trainer: line.trainer, run: line.run ?? "", iteration: mark.iteration} : null;
            add(by_time ? mark.seconds : mark.iteration, mark_text(mark), {kind: mark.kind, colour: mark.kind === "set" ? "accent" : "good", quiet: Boolean(from) && !mark.client, from});
        }
        const fork = trainer?.parent;
        if (fork) add(by_time ? fork.seconds : fork.iteration, `continued from ${fork.run}`, {kind: "fork", colour: "accent", quiet: false, from: null});
    }
    return [...found.values()].sort((a, b) => a.x - b.x);
}
/// Continues a trainer of the program from a checkpoint, as a new run, if the user confirms.
async function continue_from({trainer, run, iteration}) {
    const answer = await ask(h("h2", {}, `Continue from iteration ${number(iteration)}?`),
        h("p", {}, `${trainer} loads the checkpoint, and a new run begins there. Its present state is lost unless it is saved. The recorded runs stay. Later checkpoints replace those of the same name.`),
        h("div", {class: "row"}, h("button", {class: "main", value: "go"}, "Continue from here"), h("button", {value: ""}, "Cancel")));
    if (answer === "go" && await attempt(() => connection.command(trainer, "fork", {run, iteration}))) toast(`${trainer} continues from iteration ${number(iteration)} as a new run`, "good");
}
/// Returns whether the program can continue a trainer of this name on a user's command.
function can_continue(name) {
    const {state} = connection;
    return Boolean(state) && !state.read_only && !state.only_runs && state.trainers.some(trainer => trainer.name === name && !trainer.closed);
}
/// Opens the list of changes at the checkpoint whose triangle was clicked.
export function open_mark(chart, {offsetX, offsetY}) {
    const {plot, changes} = chart, apart = mark => Math.abs(plot.valToPos(mark.x, "x") - offsetX);
    const near = offsetY < plot.over.clientHeight - 14 ? [] : marks_of(chart).filter(mark => mark.from && apart(mark) <= 8).sort((a, b) => apart(a) - apart(b));
    if (!near.length) return;
    changes.open = true;
    const place = [...changes.querySelectorAll("li")].find(one => one.dataset.from === JSON.stringify(near[0].from));
    place?.scrollIntoView({block: "nearest"});
    place?.querySelector("button")?.focus();
}
/// Returns a row for each of `ranges` [{from, to}], so that none covers another of its row.
export function rows_for(ranges) {
    const rows = [];
    return ranges.map(({from, to}) => {
        let row = 0;
        while (rows[row]?.some(other => from < other.to && to > other.from)) ++row;
        (rows[row] ??= []).push({from, to});
        return row;
    });
}

/// Describes the chart in words.
export function tell(chart) {
    const {lines, notes, place, kept} = chart, where = x => kept.by_time ? `after ${duration(x)}` : `at iteration ${number(x)}`;
    const ended = new Map(endings(chart).filter(({line}) => chart.visible(line)).map(({x, text, state, line}) =>
        [line.run ?? line.trainer, {class: state === "failed" ? "failed" : "", text: `${line.run === null ? "" : `${line.run} `}${text}, ${where(x)}`}]));
    const odd = lines.filter(line => chart.visible(line)).flatMap(line => {
        const found = line.odd();
        return found ? [{class: found.now && line.y.some(v => v !== null) ? "failed" : "", text: `${line.label()}: ${found.words.join(", ")} at ${number(found.points)} ${found.points === 1 ? "point" : "points"}`}] : [];
    });
    const all = [...ended.values(), ...odd], now = JSON.stringify(all);
    place.setAttribute("aria-label", `Chart of ${lines.filter(line => chart.visible(line)).map(line => `${line.label()}, latest ${number(line.latest().value ?? null)}`).join("; ")}`);
    if (notes.dataset.now !== now) {
        notes.dataset.now = now;
        notes.hidden = !all.length;
        clear(notes).append(...all.map(note => h("li", {class: note.class}, note.text)));
    }
    const made = marks_of(chart).map(({text, x, from}) => ({text: `${text}, ${where(x)}`, from: from && can_continue(from.trainer) ? from : null})), {changes} = chart, then = JSON.stringify(made);
    if (changes.dataset.now === then) return;
    changes.dataset.now = then;
    changes.hidden = !made.length;
    clear(changes).append(h("summary", {}, made.length === 1 ? "1 change" : `${number(made.length)} changes`), h("ul", {}, made.filter(({from}, i) => from || i >= made.length - 50).map(({text, from}) => h("li", {"data-from": JSON.stringify(from)}, `${text} `, from ? h("button", {class: "quiet", "aria-label": `Continue from here: ${text}`, onclick: () => continue_from(from)}, "Continue from here") : null))));
}

function path(ctx, [first, ...others]) {
    ctx.beginPath();
    ctx.moveTo(...first);
    for (const point of others) ctx.lineTo(...point);
}
function draw_line(ctx, {x, top, height, paint, dash, ratio}) {
    ctx.strokeStyle = ctx.fillStyle = paint;
    ctx.lineWidth = 1.5 * ratio;
    ctx.setLineDash(dash.map(d => d * ratio));
    path(ctx, [[x, top], [x, top + height]]);
    ctx.stroke();
    ctx.setLineDash([]);
}
/// Draws a number that is not finite at the edge, since it has no place on the y axis: × for NaN, ▲ and ▼ for infinities.
function draw_word(ctx, word, at, {top, height}, size) {
    const up = word === "inf", edge = up ? top : top + height, way = up ? 1 : -1;
    if (word === "nan") {
        for (const side of [-size, size]) {
            path(ctx, [[at + side, edge - 2.2 * size], [at - side, edge - 0.2 * size]]);
            ctx.stroke();
        }
    } else {
        path(ctx, [[at, edge], [at - size, edge + way * 1.7 * size], [at + size, edge + way * 1.7 * size]]);
        ctx.fill();
    }
}
function draw_endings(chart, ctx, {left, top, width, height}, place_of, size, ratio) {
    ctx.font = `600 ${12 * ratio}px system-ui`;
    const all = [...new Map(endings(chart).filter(({line}) => chart.visible(line)).map(one => [`${one.x} ${one.state}`, one])).values()].flatMap(ending => {
        const at = place_of(ending.x);
        if (at === null) return [];
        const to_left = at > left + width / 2, long = ctx.measureText(ending.state).width + 2 * size, from = to_left ? at - long : at;
        return [{ending, at, to_left, from, to: from + long}];
    });
    rows_for(all).forEach((row, i) => {
        const {ending, at, to_left} = all[i];
        draw_line(ctx, {x: at, top, height, paint: colour(ending.colour), dash: [4, 3], ratio});
        ctx.textAlign = to_left ? "right" : "left";
        ctx.textBaseline = "top";
        ctx.fillText(ending.state, at + (to_left ? -size : size), top + (2 + 15 * row) * ratio);
    });
}
/// Draws ends of runs, changes and checkpoints, and numbers that are not finite.
export function draw_marks(chart, u) {
    const {ctx, bbox} = u, ratio = devicePixelRatio, size = 5 * ratio, paint = colours(), {kept, lines} = chart;
    /// Returns the pixel of x; null outside of the plot.
    const place_of = x => {
        const at = u.valToPos(kept.log_x ? Math.max(x, chart.positive()) : x, "x", true);
        return at >= bbox.left - 1 && at <= bbox.left + bbox.width + 1 ? at : null;
    };
    ctx.save();
    draw_endings(chart, ctx, bbox, place_of, size, ratio);
    for (const mark of marks_of(chart)) {
        const at = place_of(mark.x);
        if (at === null) continue;
        // A program may save at each epoch: then lines would cover the chart.
        draw_line(ctx, {x: at, top: bbox.top, height: mark.quiet ? 0 : bbox.height, paint: colour(mark.colour), dash: [1, 3], ratio});
        const low = bbox.top + bbox.height;
        path(ctx, [[at - size, low], [at + size, low], [at, low - 1.6 * size]]);
        ctx.fill();
    }
    lines.forEach((line, i) => {
        if (!chart.visible(line) || !line.words.some(Boolean)) return;
        ctx.strokeStyle = ctx.fillStyle = paint[chart.look(line, i).colour];
        ctx.lineWidth = 1.8 * ratio;
        const {x, y, words} = line.over(kept.by_time), first = y.findIndex(value => value !== null);
        x.forEach((v, k) => {
            if (k < first || !words[k]) return;  // no value yet
            const at = place_of(v);
            if (at !== null) for (const word of words[k]) draw_word(ctx, word, at, bbox, size);
        });
    });
    ctx.restore();
}
