// SPDX-License-Identifier: BSL-1.0
// What the page computes, without a browser: node --test tests/browser/page_functions.test.mjs
import assert from "node:assert/strict";
import test from "node:test";

const page = new URL("../../components/monitor/page/", import.meta.url);
const {number, duration} = await import(new URL("dom.js", page));
const {news} = await import(new URL("notify.js", page));
const {at_ease} = await import(new URL("connection.js", page));
const {Line, averaged, smoothed, aligned, points_of, by_seconds, iterations_between} = await import(new URL("panels/line.js", page));
const {trainer_with} = await import(new URL("runs.js", page));
const {columns_of, goes_on, last_of, sorted, value_of, worst_of} = await import(new URL("panels/runs.js", page));
const {but_seeds, compared, fact_text, facts_of, groups_of, larger_is_better, numbers_in, numbers_of} = await import(new URL("facts.js", page));
const {first_axes, scattered} = await import(new URL("panels/scatter.js", page));
const {as_trials} = await import(new URL("panels/parallel_of_runs.js", page));
const {files_with} = await import(new URL("head.js", page));
const {bars_of, percent} = await import(new URL("panels/bars.js", page));
const {curve_points, doubts} = await import(new URL("panels/health.js", page));
const {bytes, flame_of, time} = await import(new URL("panels/system.js", page));
const {bytes_of, rows_in, scores} = await import(new URL("panels/predictions.js", page));
const {pictures_of} = await import(new URL("panels/activations.js", page));
const {thinned, usual_range} = await import(new URL("panels/ridges.js", page));
const {shades} = await import(new URL("panels/paint.js", page));
const {typed} = await import(new URL("panels/parameters.js", page));
const {compare} = await import(new URL("panels/table.js", page));
const {beside, last_part, log_splits, nearer, roomy, spread, time_labels} = await import(new URL("panels/axes.js", page));
const {csv, quoted} = await import(new URL("panels/exported.js", page));
const {ahead, line, ranks, zoomed, moved} = await import(new URL("panels/graph.js", page));
const {axis_of, coordinates, distance, moved: end_moved, within} = await import(new URL("panels/parallel.js", page));
const {ended} = await import(new URL("panels/search.js", page));
const {rows_for} = await import(new URL("panels/chart_marks.js", page));
const {window_text} = await import(new URL("panels/chart_tools.js", page));
const {mark_text} = await import(new URL("panels/marks.js", page));
const {best_of, rank_of} = await import(new URL("best.js", page));
const {arrangement_in, from_word, matching, to_word} = await import(new URL("own_panels.js", page));
const {winner} = await import(new URL("panels/tic_tac_toe.js", page));

test("numbers are short, and what is none says so", () => {
    assert.equal(number(0.1 + 0.2), "0.3");
    assert.equal(number(1e-7), "1.000e-7");
    assert.equal(number(12345), "12\u202f345");
    assert.equal(number(0), "0");
    assert.equal(number(null), "–");
    assert.equal(number(NaN), "nan");
    assert.equal(number(-Infinity), "-inf");
});

test("names of files are kept once each, the last first, and not without end", () => {
    assert.deepEqual(files_with([], "a"), ["a"]);
    assert.deepEqual(files_with(["a", "b", "c"], "b"), ["b", "a", "c"]);
    const many = Array.from({length: 20}, (_, i) => `${i}`);
    assert.deepEqual(files_with(many, "x"), ["x", ...many.slice(0, 19)]);
});

test("seconds are times of a clock", () => {
    assert.equal(duration(7.4), "0:07");
    assert.equal(duration(750), "12:30");
    assert.equal(duration(11045), "3:04:05");
    assert.equal(duration(2 * 86400 + 3 * 3600 + 240), "2 d 03:04");
    assert.equal(duration(null), "–");
});

test("smoothing leaves a constant, begins at the first value and skips gaps", () => {
    assert.deepEqual(smoothed([3, 3, 3], 0), [3, 3, 3]);
    for (const y of smoothed([3, 3, 3, 3], 0.9)) assert.ok(Math.abs(y - 3) < 1e-12);
    const y = smoothed([1, null, 5], 0.5);
    assert.equal(y[0], 1);
    assert.equal(y[1], null);
    assert.ok(Math.abs(y[2] - (0.25 * 1 + 0.5 * 5) / 0.75) < 1e-12);  // weights 1/4 and 1/2
});

test("lines of different places share one axis", () => {
    assert.deepEqual(aligned([{x: [1, 3], y: [10, 30]}, {x: [2, 3], y: [0.2, 0.3]}]),
        [[1, 2, 3], [10, undefined, 30], [undefined, 0.2, 0.3]]);
});

test("a node's rank is its longest way from an input", () => {
    assert.deepEqual(ranks(5, [[0, 1], [1, 2], [0, 2], [2, 3], [4, 3]]), [0, 1, 2, 3, 0]);
});

test("three in a row win", () => {
    assert.equal(winner([1, 1, 1, 0, 0, 0, -1, -1, 0]), 1);
    assert.equal(winner([-1, 1, 0, 1, -1, 0, 0, 0, -1]), -1);
    assert.equal(winner([1, -1, 1, -1, 1, -1, -1, 1, -1]), 0);
});

test("bars are parts of the greatest, percentages stand from the greatest on", () => {
    assert.deepEqual(bars_of([["a", 1], ["b", -4], ["c", null]], false).map(bar => [bar.name, bar.share, bar.text]), [["a", 0.25, "1"], ["b", 1, "-4"], ["c", 0, "–"]]);
    assert.deepEqual(bars_of([["a", 0.25], ["b", null], ["c", 0.5]], true).map(bar => [bar.name, bar.text]), [["c", "50.0 %"], ["a", "25.0 %"], ["b", "–"]]);
    assert.deepEqual(bars_of([["a", 0]], false)[0].share, 0);
    assert.equal(percent(NaN), "–");
});

test("pictures of a million numbers are shaded", () => {
    assert.deepEqual([...shades([-1, 0, 1], 3)], [0, 128, 255]);
    assert.deepEqual([...shades([0, 0.5, 1, 9], 3)], [0, 128, 255]);
    assert.deepEqual([...shades([0, 0], 2)], [0, 0]);
    assert.equal(shades(new Array(1e6).fill(0.5), 1e6).length, 1e6);
});

test("a choice is sent as the value's type", () => {
    assert.equal(typed("3", "int"), 3);
    assert.equal(typed("0.5", "double"), 0.5);
    assert.equal(typed("true", "bool"), true);
    assert.equal(typed("3", "string"), "3");
    // refused by the program, in its words
    for (const text of ["fast", "", " ", "0x10", "1e999", "Infinity", "nan", "1,000", "12,000,000", "1,2,3", "1_0", "0b1"]) assert.equal(typed(text, "double"), text);
    assert.equal(typed(" 1,5 ", "double"), 1.5);
    assert.equal(typed("0,001", "double"), 0.001);
    assert.equal(typed("-.5E-3", "float"), -0.0005);
    assert.equal(typed("+7", "uint64"), 7);
    const large = JSON.stringify({value: typed("9007199254740993", "int64")});  // not 9007199254740992
    assert.ok(['{"value":9007199254740993}', '{"value":"9007199254740993"}'].includes(large), large);
});

test("rows are sorted: numbers, texts, nothing", () => {
    assert.deepEqual(["b", null, 2, "a", 10].sort(compare), [2, 10, "a", "b", null]);
});

test("a graph is zoomed around a point, and never shown beside itself", () => {
    const full = {x: 0, y: 0, w: 100, h: 50}, near = zoomed(full, full, 2);
    assert.deepEqual(near, {x: 25, y: 12.5, w: 50, h: 25});
    assert.deepEqual(zoomed(full, full, 2, 0, 0), {x: 0, y: 0, w: 50, h: 25});
    assert.deepEqual(zoomed(near, full, 0.1), full);
    assert.equal(zoomed(full, full, 1000).w, 5);
    assert.deepEqual(moved(near, full, 1000, -1000), {x: 50, y: 0, w: 50, h: 25});
});

test("a line goes from the right of a node to the left of another, around those that stand behind it", () => {
    assert.match(line({x: 4, y: 4}, {x: 206, y: 76}), /^M172,31 C189,31 189,103 203,103$/);
    assert.match(line({x: 206, y: 4}, {x: 4, y: 76}), /^M374,31 h17 V.* H1$|^M374,31 h17 V.* V103 H1$/);
});

test("a line whose target lies behind goes below both, within the picture", () => {
    for (const [from, to] of [[{x: 206, y: 4}, {x: 100, y: 4}], [{x: 206, y: 40}, {x: 4, y: 4}], [{x: 206, y: 4}, {x: 4, y: 40}]]) {
        const [, y] = line(from, to).match(/ h17 V([\d.-]+) H/);
        assert.equal(Number(y), Math.max(from.y, to.y) + 54 + 9);
    }
});

test("an arrow key goes to the nearest node ahead", () => {
    const spots = [{x: 0, y: 0}, {x: 200, y: 0}, {x: 400, y: 0}, {x: 0, y: 72}, {x: 210, y: 72}];
    assert.equal(ahead(spots, 0, 1, 0), 1);
    assert.equal(ahead(spots, 2, -1, 0), 1);
    assert.equal(ahead(spots, 1, 0, 1), 4);
    assert.equal(ahead(spots, 3, 0, -1), 0);
    assert.equal(ahead(spots, 0, -1, 0), -1);
});

test("of points that are one, the lowest and the highest stand beside their mean", () => {
    assert.deepEqual(points_of({x: [1, 2], y: [5, null], seconds: [0.5, 1]}), {x: [1, 2], y: [5, null], seconds: [0.5, 1], low: [5, null], high: [5, null], words: [null, null]});
    assert.deepEqual(points_of({x: [1, 2], y: [5, null], seconds: [0.5, 1], odd: [[1, "inf"], [1, "nan"], [2, "nan"]]}).words, [["inf", "nan"], ["nan"]]);
    assert.deepEqual(points_of({x: [3, 6], y: [2, 7], low: [1, 7], high: [3, 7], seconds: [30, 60]}), {x: [3, 6], y: [2, 7], low: [1, 7], high: [3, 7], seconds: [30, 60], words: [null, null]});
    assert.deepEqual(by_seconds({x: [1, 2, 3], y: [4, 5, 6], seconds: [0.1, null, 0.3], low: [4, 5, 1], high: [4, 5, 9]}), {x: [0.1, 0.3], y: [4, 6], low: [4, 1], high: [4, 9], words: [null, null]});
});

test("a number that is not finite is a gap with a word, and what holds reaches to the end", () => {
    const line = new Line({trainer: "digits", name: "loss"});
    line.add([[1, 5, 0.1], [2, "nan", 0.2], [3, "-inf", 0.3]]);
    assert.deepEqual([line.y, line.words], [[5, null, null], [null, ["nan"], ["-inf"]]]);
    assert.equal(line.latest().value, "-inf");
    assert.equal(line.merged, false);
    assert.deepEqual(line.over(false, 9).x, [1, 2, 3]);
    line.held = true;
    line.add([[4, 7, 0.4]]);
    assert.deepEqual([line.over(false, 9).x, line.over(false, 9).y], [[1, 2, 3, 4, 9], [5, null, null, 7, 7]]);
    assert.deepEqual(line.over(true, 0.9).x, [0.1, 0.2, 0.3, 0.4, 0.9]);
    assert.deepEqual(line.over(false, 4).x, [1, 2, 3, 4]);
});

test("of several trainers the worst says how a run has ended", () => {
    const run = (...states) => ({trainers: states.map(state => ({state}))});
    assert.equal(worst_of(run("finished", "failed", "stopped")).state, "failed");
    assert.equal(worst_of(run(null, "finished")).state, "finished");
    assert.equal(worst_of(run(null)), null);
});

/// A line whose questions are answered by hand.
class Told extends Line {
    #waiting = [];
    asked = [];
    history(more) { this.asked.push(more); return new Promise(resolve => this.#waiting.push(resolve)); }
    answer(value) { this.#waiting.shift()(value); }
}

test("the last number is the exact one, until a newer comes", async () => {
    const line = new Told({trainer: "digits", name: "loss"}), first = line.read();
    line.answer({x: [2, 4], y: [5, 3], seconds: [1, 2], low: [4, 1], high: [6, 5], last: 1});
    await first;
    assert.equal(line.merged, true);
    assert.deepEqual(line.latest(), {value: 1, about: false});
    assert.deepEqual([line.reach(false), line.reach(true)], [[0, 4], [0, 2]]);  // the first point stands for those before it, too
    line.add([[5, 0.5, 3]]);
    assert.deepEqual(line.latest(), {value: 0.5, about: false});
    const second = line.read();  // of a program that does not say it
    line.answer({x: [2, 4], y: [5, 3], seconds: [1, 2], low: [4, 1], high: [6, 5]});
    await second;
    assert.deepEqual(line.latest(), {value: 3, about: true});
});

test("a point that comes while a line is read is not lost, and the later of two questions counts", async () => {
    const line = new Told({trainer: "digits", name: "loss"}), first = line.read();
    line.add([[4, 2, 0.4]]);
    line.answer({x: [1, 2, 3], y: [7, 6, 5], seconds: [0.1, 0.2, 0.3], last: 5});
    await first;
    assert.deepEqual([line.x, line.y, line.latest().value], [[1, 2, 3, 4], [7, 6, 5, 2], 2]);
    const early = line.read({from: 1, to: 2}), late = line.read({from: 2, to: 3});
    line.answer({x: [1, 2], y: [7, 6]});
    line.answer({x: [2, 3], y: [6, 5]});
    await Promise.all([early, late]);
    assert.deepEqual(line.x, [2, 3]);
    assert.deepEqual(line.reach(false), [1, 4]);
    line.pass([[5, 1, 0.5], [6, 0, 0.6]]);
    assert.deepEqual([line.x, line.reach(false), line.reach(true)], [[2, 3], [1, 6], [0.1, 0.6]]);
});

test("while an answer is on its way no other question is sent, and one follows it", async () => {
    const line = new Told({trainer: "digits", name: "loss", run: "a"}), ended = line.follow();
    for (let i = 0; i < 5; ++i) line.follow();  // a run that grows, on a slow machine
    assert.equal(line.asked.length, 1);
    line.answer({x: [1], y: [7]});
    await new Promise(resolve => setTimeout(resolve));
    assert.deepEqual([line.x, line.asked.length], [[1], 2]);  // the answer was used
    line.answer({x: [1, 2], y: [7, 6]});
    await ended;
    assert.deepEqual([line.x, line.asked.length], [[1, 2], 2]);
    line.follow();
    assert.equal(line.asked.length, 3);
});

test("work at ease takes half of the time, and the last call is not lost", async () => {
    const times = [];
    let calls = 0;
    const work = at_ease(async () => {
        const begun = performance.now();
        ++calls;
        await new Promise(resolve => setTimeout(resolve, 40));
        times.push([begun, performance.now()]);
    });
    const first = work();
    for (let i = 0; i < 5; ++i) work();
    await first;
    assert.equal(calls, 2);
    assert.ok(times[1][0] - times[0][1] >= 0.9 * (times[0][1] - times[0][0]), `${times}`);
    await work();
    assert.equal(calls, 3);
    let end, count = 0;
    const ends = new Promise(resolve => { end = resolve; }), prompt = at_ease(() => { ++count; return ends; }, false);
    prompt();
    ends.then(() => prompt());  // after the last work, before the promise of the first call resolves
    end();
    await new Promise(resolve => setTimeout(resolve));
    assert.equal(count, 2);
    const failing = at_ease(async () => { throw new Error("refused"); });
    await assert.rejects(failing, /refused/);
    await assert.rejects(failing, /refused/);  // and it can be called again
});

test("a run that ends or does not move is news once", () => {
    const kept = new Map(), texts = (trainer, seconds) => news(kept, [{name: "digits", ...trainer}], 1000 * seconds).map(({text}) => text);
    assert.deepEqual(texts({state: "finished", iteration: 3}, 0), []);  // a page that is opened later
    assert.deepEqual(texts({state: "running", iteration: 4}, 1), []);
    for (const i of [5, 6, 7]) assert.deepEqual(texts({state: "running", iteration: i}, 20 * i), []);  // a slow run
    assert.deepEqual(texts({state: "running", iteration: 7}, 239), []);  // five times the longest step, 99 seconds, has not passed
    assert.deepEqual(texts({state: "running", iteration: 7}, 640), ["digits has not moved for 500 seconds"]);
    assert.deepEqual(texts({state: "running", iteration: 7}, 641), []);
    assert.deepEqual(texts({state: "paused", iteration: 7}, 642), []);
    assert.deepEqual(texts({state: "paused", iteration: 7}, 5000), []);  // waits for its user
    assert.deepEqual(texts({state: "running", iteration: 8}, 5001), []);
    assert.deepEqual(texts({state: "failed", reason: "no memory", iteration: 9}, 5002), ["digits failed: no memory"]);
    assert.deepEqual(texts({state: "failed", reason: "no memory", iteration: 9}, 5003), []);
});

test("NaN before the first number says only that nothing was measured yet", () => {
    const line = new Line({trainer: "digits", name: "accuracy"});
    assert.equal(line.odd(), null);
    line.add([[1, "nan", 0.1]]);
    assert.deepEqual(line.odd(), {words: ["nan"], points: 1, now: true});
    line.held = true;
    assert.equal(line.odd(), null);
    line.add([[2, 0.5, 0.2]]);
    assert.equal(line.odd(), null);
    line.add([[3, "inf", 0.3], [4, "nan", 0.4]]);
    assert.deepEqual(line.odd(), {words: ["inf", "nan"], points: 2, now: true});
    line.add([[5, 1, 0.5]]);
    assert.deepEqual(line.odd(), {words: ["inf", "nan"], points: 2, now: false});
});

test("a table has what is seen, by iterations or by time", async () => {
    const line = new Told({trainer: "digits", name: "loss"}), first = line.read();
    line.answer({x: [1, 2, 3, 4], y: [8, 7, 6, 5], seconds: [10, 20, 30, 40]});
    await first;
    const got = line.table({from: 15, to: 35, by_time: true}, true);
    assert.deepEqual(line.asked.at(-1), {from: 1, to: 4, points: 10000});
    line.answer({x: [1, 2, 3, 4], y: [8, 7, 6, 5], seconds: [10, 20, 30, 40]});
    assert.deepEqual(await got, {x: [20, 30], y: [7, 6], low: [7, 6], high: [7, 6]});
    const all = line.table(null, false);
    assert.deepEqual(line.asked.at(-1), {from: undefined, to: undefined, points: 10000});
    line.answer({x: [2, 4], y: [7.5, 5.5], low: [7, 5], high: [8, 6], seconds: [20, 40]});
    assert.deepEqual((await all).high, [8, 6]);
});

test("a CSV file says what was merged, and quotes names", () => {
    assert.equal(quoted('a "b", c'), '"a ""b"", c"');
    assert.equal(quoted("a\rb"), '"a\rb"');
    assert.equal(quoted("=cmd|'/c calc'!A0"), "'=cmd|'/c calc'!A0");
    assert.equal(csv("iteration", [{name: "loss", x: [1, 2], y: [5, null], low: [5, null], high: [5, null]}]), "iteration,loss\n1,5\n2,\n");
    assert.equal(csv("seconds", [{name: "a,b", x: [2, 3], y: [2, 7], low: [1, 7], high: [3, 7]}, {name: "c", x: [3], y: [9], low: [9], high: [9]}]),
        'seconds,"a,b","a,b low","a,b high",c\n2,2,1,3,\n3,7,7,7,9\n');
});

test("labels of a logarithmic axis are where it is", () => {
    assert.deepEqual(log_splits(1, 1000, 800), [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]);
    assert.deepEqual(log_splits(1, 1000, 250), [1, 10, 100, 1000]);
    assert.deepEqual(log_splits(375, 625, 800), [400, 450, 500, 550, 600]);
    assert.deepEqual(log_splits(1000, 1020, 400), [1000, 1005, 1010, 1015, 1020]);
    assert.deepEqual(log_splits(1e-12, 1e12, 600).length, 9);
    assert.deepEqual(log_splits(0, 10, 600), []);
    for (const [low, high, length] of [[0.5, 3, 300], [7, 93, 500], [1, 1e7, 330], [0.011, 0.6, 900], [99, 101, 120]]) {
        const places = log_splits(low, high, length), at = places.map(v => Math.log(v / low) / Math.log(high / low) * length);
        assert.ok(places.length >= 2 && at[0] > -1e-6 && at.at(-1) < length + 1e-6, `${low} to ${high}: ${places}`);
        for (let i = 1; i < at.length; ++i) assert.ok(at[i] - at[i - 1] >= 58, `${low} to ${high}: ${places}`);
    }
    assert.deepEqual(spread(375, 625, true), [375, 625]);
    assert.ok(spread(5, 5, true)[0] > 0 && spread(5, 5, true)[1] > 5);
    assert.deepEqual(spread(5, 5, false), [4.5, 5.5]);
    assert.ok(roomy(0.3, 0.9)[0] < 0.3 && roomy(0.3, 0.9)[0] > 0.25);
    assert.deepEqual(roomy(null, null), [null, null]);
    assert.deepEqual(time_labels([60, 120, null]), ["1:00", "2:00", ""]);
    assert.deepEqual(time_labels([0.2, 0.5, 1, 2]), ["0.2 s", "0.5 s", "1 s", "2 s"]);
});

test("a part of an axis is made smaller and larger around its middle, and moved, within all of it", () => {
    const all = {from: 0, to: 1000}, half = nearer(all, all, 2, false);
    assert.deepEqual(half, {from: 250, to: 750});
    assert.deepEqual(beside(half, all, 0.5, false), {from: 500, to: 1000});
    assert.deepEqual(beside(half, all, -5, false), {from: 0, to: 500});
    assert.equal(nearer(half, all, 0.4, false), null);
    assert.equal(beside(all, all, 0.5, false), null);
    const logs = nearer({from: 1, to: 10000}, {from: 1, to: 10000}, 2, true);
    assert.ok(Math.abs(logs.from - 10) < 1e-9 && Math.abs(logs.to - 1000) < 1e-9);
});

test("a line goes back with its run, and on from there", () => {
    const line = new Line({trainer: "digits", name: "loss"});
    const is = (x, y, seconds) => assert.deepEqual([line.x, line.y, line.seconds], [x, y, seconds]);
    line.add([[1, 5, 0.1], [2, 4, 0.2], [3, null, 0.3]]);
    line.add([[4, 2, 0.4]]);
    is([1, 2, 3, 4], [5, 4, null, 2], [0.1, 0.2, 0.3, 0.4]);
    line.add([[4, 1, 0.5]]);  // the same place again
    is([1, 2, 3, 4], [5, 4, null, 1], [0.1, 0.2, 0.3, 0.5]);
    line.add([[2, 8, 0.6], [3, 7, 0.7]]);  // loaded
    is([1, 2, 3], [5, 8, 7], [0.1, 0.6, 0.7]);
    line.add([[1, 9, 0.8]]);  // from the beginning
    is([1], [9], [0.8]);
    line.add([]);
    is([1], [9], [0.8]);
});

test("times are iterations of a line", () => {
    const line = {x: [1, 2, 3, 4], seconds: [10, 20, 30, 40]};
    assert.deepEqual(iterations_between(line, 20, 30), [2, 3]);
    assert.deepEqual(iterations_between(line, 15, 35), [1, 4]);
    assert.deepEqual(iterations_between(line, 0, 100), [1, 4]);
    assert.deepEqual(iterations_between({x: [], seconds: []}, 0, 1), [undefined, undefined]);
});

test("a run's numbers are found where its trainer is called otherwise", () => {
    const run = {trainers: [{name: "a", series: [{name: "loss", last: 1}]}, {name: "b", series: [{name: "loss", last: 2}, {name: "error", last: 3}]}]};
    assert.equal(trainer_with(run, "b", "loss").name, "b");
    assert.equal(trainer_with(run, "c", "loss").name, "a");
    assert.equal(trainer_with(run, "a", "error").name, "b");
    assert.equal(trainer_with(run, "a", "nothing"), undefined);
    assert.equal(last_of(run, "error"), 3);
    assert.equal(last_of(run, "nothing"), null);
});

test("rows are sorted, with nothing last either way", () => {
    const rows = [{v: 2}, {v: null}, {v: 1}];
    assert.deepEqual(sorted(rows, row => row.v, 1).map(row => row.v), [1, 2, null]);
    assert.deepEqual(sorted(rows, row => row.v, -1).map(row => row.v), [2, 1, null]);
});

test("an axis of a choice is linear, logarithmic, or one of words", () => {
    const of = numbers => axis_of("x", numbers.map(x => [x, String(Number(x.toPrecision(4)))]));
    const linear = of([1, 2, 4]);
    assert.equal(linear.log, false);
    assert.deepEqual([1, 2, 4].map(linear.place), [0, 1 / 3, 1]);
    assert.deepEqual(linear.marks.map(mark => mark.text), ["1", "2", "4"]);
    assert.equal(of([0.01, 1]).log, false);  // two decades, no more
    const log = of([0.001, 0.01, 1]);
    assert.equal(log.log, true);
    assert.ok(Math.abs(log.place(0.0316227766) - 0.5) < 1e-6);
    assert.ok(Math.abs(log.at(0.5) - 0.0316227766) < 1e-6);
    assert.equal(of([0, 0.01, 1]).log, false);
    assert.equal(of([-1, 1000]).log, false);
    assert.equal(of([5]).place(5), 0.5);
    assert.equal(of([0.00312456, 0.9]).words, undefined);  // of a number the text has four digits
    const words = axis_of("kind", [[1, "tanh"], null, [0, "relu"], [2, "<b>"]]);
    assert.deepEqual(words.words, ["relu", "tanh", "<b>"]);
    assert.deepEqual(words.words.map(words.place), [0, 0.5, 1]);
    assert.equal(words.place(null), null);
    assert.equal(words.told(null), "–");
    assert.deepEqual(axis_of("sizes", [[0, "16"], [1, "32"]]).words, ["16", "32"]);
    const huge = axis_of("x", [[-1.7e308, "-1.7e+308"], [1.7e308, "1.7e+308"]]);
    assert.ok(Math.abs(huge.place(0) - 0.5) < 1e-9 && huge.marks.every(mark => Number.isFinite(mark.place)));
});

test("lines of trials cross the axes where they chose, and those that failed have none", () => {
    const {axes, lines} = coordinates({choices: ["a", "b"], trials: [
        {number: 2, loss: 0.1, choices: [[1, "1"], [1, "tanh"]]}, {number: 1, loss: 0.3, choices: [[3, "3"]]}, {number: 4, loss: "nan", choices: [[2, "2"], [0, "relu"]]},
        {number: 3, loss: "nan", failed: "no", choices: [[2, "2"]]}]});
    assert.deepEqual(axes.map(axis => axis.name), ["a", "b", "loss"]);
    assert.deepEqual(lines.map(line => line.trial.number), [2, 1, 4]);
    assert.deepEqual(lines.map(line => line.places), [[0, 1, 0], [1, null, 1], [0.5, 0, null]]);
    assert.equal(within(lines[0].places, [null, null, null]), true);
    assert.equal(within(lines[0].places, [[0, 0.5], null, [0, 0.1]]), true);
    assert.equal(within(lines[1].places, [[0, 0.5], null, null]), false);
    assert.equal(within(lines[2].places, [null, null, [0, 1]]), false);  // which has no place there
    assert.deepEqual(end_moved(null, 0, 0.25), [0.25, 1]);
    assert.deepEqual(end_moved([0.2, 0.5], 1, 0.1), [0.1, 0.1]);  // pushes the other end
    assert.equal(end_moved([0.2, 1], 0, -1), null);
    assert.equal(distance([[0, 0], [10, 0]], 5, 3), 3);
    assert.equal(distance([[0, 0], [10, 0]], 13, 4), 5);
    assert.equal(distance([], 1, 1), Infinity);
    assert.deepEqual([{loss: 1}, {loss: 1, early: true}, {loss: "inf"}, {loss: "nan", failed: "x"}].map(ended), ["", "early", "no loss", "failed"]);
    assert.equal(coordinates({choices: [], trials: []}).axes.length, 1);
});

test("a window follows the end of an axis, and is never longer than all", () => {
    assert.deepEqual(last_part({from: 1, to: 5000}, 1000), {from: 4000, to: 5000});
    assert.deepEqual(last_part({from: 1, to: 500}, 1000), {from: 1, to: 500});
    assert.equal(window_text(1000, false), "last 1\u202f000");
    assert.equal(window_text(600, true), "last 10:00");
});

test("a line forgets what is before a window, but the point from which its line comes", () => {
    const line = new Line({trainer: "t", name: "loss"});
    line.add([1, 2, 3, 4, 5].map(x => [x, 10 * x, x / 10]));
    line.forget({from: 4, by_time: false});
    assert.deepEqual(line.x, [3, 4, 5]);
    assert.deepEqual(line.y, [30, 40, 50]);
    line.forget({from: 0.5, by_time: true});
    assert.deepEqual(line.x, [4, 5]);
    line.forget({from: 99, by_time: false});
    assert.deepEqual(line.x, [4, 5]);  // a line needs two
});

test("words over a chart never cover one another", () => {
    assert.deepEqual(rows_for([{from: 0, to: 10}, {from: 5, to: 15}, {from: 11, to: 20}, {from: 12, to: 13}]), [0, 1, 0, 2]);
    assert.deepEqual(rows_for([]), []);
});

test("a mark says what was done, and by whom", () => {
    assert.equal(mark_text({kind: "set", name: "optimizer.learning_rate", before: "0.02", after: "0.01", client: "127.0.0.1"}), "optimizer.learning_rate 0.02 → 0.01 by 127.0.0.1");
    assert.equal(mark_text({kind: "save", name: "a.sigma", before: "", after: "", client: "terminal"}), "saved a.sigma by terminal");
    assert.equal(mark_text({kind: "load", name: "a.sigma", client: ""}), "loaded a.sigma");
});

test("the best value is that of the number that says most, and tells where it was if that is known", () => {
    assert.deepEqual(rank_of([{name: "loss", last: 1}, {name: "accuracy", last: 0.5}]), ["accuracy", true]);
    assert.deepEqual(rank_of([{name: "loss", last: 1}, {name: "accuracy", last: null}]), ["loss", false]);
    assert.equal(rank_of([{name: "other", last: 1}]), null);
    assert.deepEqual(best_of({x: [1, 2, 3], y: [0.5, 0.9, 0.9]}, true), {value: 0.9, x: 2});
    assert.deepEqual(best_of({x: [1, 2, 3], y: [null, 3, 4]}, false), {value: 3, x: 2});
    assert.deepEqual(best_of({x: [4, 8], y: [2, 3], low: [1, 3], high: [5, 3]}, false), {value: 1, x: null});
    assert.equal(best_of({x: [1], y: [null]}, true), null);
});

const run_of = (series, more = {}) => ({growing: false, trainers: [{state: null, series: Object.entries(series).map(([name, [last, points]]) => ({name, last, points})), ...more}]});
test("columns of runs are scores, then what differs between them, and last what is the same everywhere", () => {
    const list = [run_of({"optimizer.beta1": [0.9, 1], "optimizer.learning_rate": [0.1, 1], runtime: [9, 50], accuracy: [0.9, 8], loss: [0.2, 100]}),
                  run_of({"optimizer.beta1": [0.9, 1], "optimizer.learning_rate": [0.01, 1], runtime: [8, 50], accuracy: [0.8, 8], loss: [0.3, 100]})];
    assert.deepEqual(columns_of(list), ["loss", "accuracy", "optimizer.learning_rate", "runtime", "optimizer.beta1"]);
});

// Runs with facts: learning rate and seed differ, the machine of the last does.
const given = (id, rate, seed, loss, more = {}) => ({id, facts: {host: "a", "git.clean": true}, ...more,
    trainers: [{name: "digits", network: "dense", iteration: 100 * seed, seconds: 1, facts: {seed, rate, kind: rate > 0.1 ? "warm" : "cold"}, series: [{name: "loss", last: loss}, {name: "other", last: 7}]}]});
const tries = [given("r1", 0.5, 1, 0.3), given("r2", 0.5, 2, 0.1), given("r3", 0.01, 1, 0.2, {facts: {host: "b", "git.clean": true}}), given("r4", 0.01, 2, null)];

test("facts of runs are compared, and those that differ are known", () => {
    assert.deepEqual([...facts_of(tries[0])], [["host", "a"], ["git.clean", true], ["network", "dense"], ["seed", 1], ["rate", 0.5], ["kind", "warm"]]);
    const old = {id: "old", trainers: [{name: "a", network: "", facts: {x: 1}, series: []}, {name: "b", network: "n", series: []}]};
    assert.deepEqual([...facts_of(old)], [["a: x", 1], ["b: network", "n"]]);
    assert.deepEqual(compared(tries).filter(row => !row.same).map(row => row.name), ["host", "seed", "rate", "kind"]);
    assert.deepEqual(compared([tries[0], old]).find(row => row.name === "rate"), {name: "rate", values: [0.5, undefined], same: false});
    assert.deepEqual([true, false, "x", 0.1 + 0.2, 3].map(fact_text), ["yes", "no", "x", "0.3", "3"]);
    assert.equal(value_of(tries[0], "kind"), "warm");
    assert.equal(value_of(tries[0], "loss"), 0.3);
    assert.equal(value_of(tries[0], "nothing"), null);
    assert.deepEqual(columns_of(tries.map(run => ({...run, facts: {...run.facts, command: run.id}}))), ["loss", "host", "seed", "rate", "kind", "other"]);
});

test("runs that differ only in seeds and machines are one group", () => {
    const of = (list, by) => groups_of(list, by).map(({label, runs}) => [label, runs.map(run => run.id).join()]);
    assert.deepEqual(of(tries, but_seeds), [["rate 0.5, kind warm, 2 runs", "r1,r2"], ["rate 0.01, kind cold, 2 runs", "r3,r4"]]);
    assert.deepEqual(of(tries.slice(0, 2), but_seeds), [["2 runs", "r1,r2"]]);
    assert.deepEqual(of(tries, "host"), [["host a, 3 runs", "r1,r2,r4"], ["host b, 1 run", "r3"]]);
    assert.deepEqual(of(tries, "nothing"), [["4 runs", "r1,r2,r3,r4"]]);
    assert.deepEqual(of([], but_seeds), []);
});

test("a group is the mean of its runs where they are, with one standard deviation to each side", () => {
    const one = {x: [1, 2, 3], y: [1, 2, 3], seconds: [10, 20, 30], last: 3}, other = {x: [1, 3], y: [3, 7], seconds: [20, 40], last: 7};
    const got = averaged([one, other]);
    assert.deepEqual(got.x, [1, 2, 3]);
    assert.deepEqual(got.y, [2, 3.5, 5]);  // the other is 5 at 2
    assert.deepEqual(got.seconds, [15, 25, 35]);
    got.high.forEach((high, i) => assert.ok(Math.abs(high - got.y[i] - [Math.SQRT2, 1.5 * Math.SQRT2, 2 * Math.SQRT2][i]) < 1e-12));
    got.low.forEach((low, i) => assert.ok(Math.abs(2 * got.y[i] - got.high[i] - low) < 1e-12));
    assert.equal(got.last, 5);
    // Of runs of unlike length, the longer remains alone, without a band.
    const longer = averaged([one, {x: [2, 3, 4, 5], y: [4, 4, 8, null], seconds: [1, 2, 3, 4], last: "nan"}]);
    assert.deepEqual([longer.x, longer.y], [[1, 2, 3, 4], [1, 3, 3.5, 8]]);
    assert.equal(longer.low[3], longer.high[3]);
    // A number that holds does so until its next change, and after its last.
    const held = averaged([{x: [0, 10], y: [1, 2], seconds: [0, 1], held: true, last: 2}, {x: [5], y: [4], seconds: [1], held: true, last: 4}]);
    assert.deepEqual([held.x, held.y, held.held], [[0, 5, 10], [1, 2.5, 3], true]);
    assert.deepEqual(averaged([]), {x: [], y: [], seconds: [], low: [], high: [], held: false, last: null});
});

test("runs are points of any two of their numbers", () => {
    assert.deepEqual(numbers_in(tries), ["loss", "other", "iteration", "seconds", "seed", "rate"]);
    assert.equal(numbers_of(tries[3]).get("loss"), undefined);
    assert.deepEqual(first_axes(tries), ["rate", "loss"]);
    assert.deepEqual(first_axes(tries.slice(0, 2)), ["seed", "loss"]);
    assert.deepEqual(first_axes([tries[0]]), ["iteration", "loss"]);
    const {points, y} = scattered(tries, "seed", "loss");
    assert.deepEqual(points.map(one => one.run.id), ["r1", "r3", "r2"]);  // from left to right; r4 has no loss
    assert.deepEqual(points.map(one => one.left), [0, 0, 1]);
    assert.deepEqual([points[2].up, points[0].up], [0, 1]);
    assert.equal(y.log, false);
    assert.deepEqual(scattered(tries, "loss", "no number").points, []);
});

test("runs are lines across what differs, the best first", () => {
    const got = as_trials(tries, "loss");
    assert.deepEqual(got.choices, ["host", "seed", "rate", "kind"]);
    assert.deepEqual(got.trials.map(trial => trial.run.id), ["r2", "r3", "r1", "r4"]);
    assert.deepEqual(got.trials[0].choices, [[0, "a"], [2, "2"], [0.5, "0.5"], [0, "warm"]]);
    const {axes, lines} = coordinates(got);
    assert.deepEqual(axes.map(axis => [axis.name, axis.words ?? null]), [["host", ["a", "b"]], ["seed", null], ["rate", null], ["kind", ["warm", "cold"]], ["loss", null]]);
    assert.equal(lines[3].places.at(-1), null);  // without a loss
    assert.equal(axes.at(-1).larger, false);
    assert.deepEqual(["accuracy", "validation_accuracy", "loss", "f1", "error"].map(larger_is_better), [true, true, false, true, false]);
    const accurate = tries.map((run, i) => ({...run, trainers: [{...run.trainers[0], series: [{name: "accuracy", last: i / 4}]}]}));
    assert.deepEqual(as_trials(accurate, "accuracy").trials.map(trial => trial.run.id), ["r4", "r3", "r2", "r1"]);
    assert.deepEqual(as_trials(tries.slice(0, 1), "loss").choices, []);
});

test("a run is in progress only if none of its trainers has ended", () => {
    assert.equal(goes_on({...run_of({}, {state: "running"}), growing: true}), true);
    assert.equal(goes_on({...run_of({}, {state: "left"}), growing: true}), false);
    assert.equal(goes_on({...run_of({}, {state: "running"}), growing: false}), false);
    assert.equal(goes_on({...run_of({}), growing: true}), true);
});

test("a search finds names that have all words", () => {
    const values = ["optimizer.learning_rate", "loss", "validation_loss"].map(name => ({trainer: "digits", name}));
    assert.deepEqual(matching(values, "LOSS").map(value => value.name), ["loss", "validation_loss"]);
    assert.deepEqual(matching(values, "rate opt").map(value => value.name), ["optimizer.learning_rate"]);
    assert.equal(matching(values, "").length, 3);
    assert.equal(matching(values, "nothing").length, 0);
});

test("an arrangement goes through an address, and what is none is refused", () => {
    const one = {tabs: ["Mine – Größe"], tab: "Mine – Größe", of: {"chart-loss": "Mine – Größe"}, order: ["own-a1", "chart-loss"], width: {"chart-loss": 3}, hidden: ["log"],
                 own: [{id: "own-a1", kind: "chart", title: "rate", trainer: "digits", tab: "Mine – Größe", own: true, series: ["optimizer.learning_rate"]}]};
    assert.deepEqual(from_word(to_word(one)), one);
    assert.match(to_word(one), /^[\w-]+$/);
    for (const word of ["", "%%%", "bnVsbA", to_word(null), to_word(7)]) assert.equal(from_word(word), null);
    const odd = arrangement_in({tabs: [1, "a"], of: {a: 7, b: "T"}, width: {a: 9, b: 2}, hidden: "x", own: [{id: "own-1", kind: "script", series: ["a"]}, {id: "../x", kind: "chart", series: ["a"]},
        {id: "own-2", kind: "chart", series: []}, {id: "own-3", kind: "chart", series: [7, "loss"], title: "x".repeat(5000), trainer: null}, null, 3]});
    assert.deepEqual([odd.tabs, odd.of, odd.width, odd.hidden, odd.tab], [["a"], {b: "T"}, {b: 2}, [], null]);
    assert.deepEqual(odd.own.map(panel => [panel.id, panel.series, panel.title.length, panel.trainer]), [["own-3", ["loss"], 200, ""]]);
});

const layer_of = (name, values) => ({name, kind: "dense", values: Object.fromEntries(Object.entries(values).map(([part, y]) => [part, {series: `health.${name}.${part}`, y, last: y.at(-1) ?? "nan"}]))});
const said = layers => doubts(layers).map(({text}) => text);

test("healthy layers are not mentioned", () => {
    const fine = {weights: [5, 5, 5], gradients: [0.1, 0.1, 0.1], update: [1e-3, 1e-3, 1e-3], dead: [0, 0, 0.4], saturated: [0.1, 0.1, 0.1]};
    assert.deepEqual(doubts([layer_of("1-dense", fine), layer_of("2-dense", fine)]), []);
    assert.deepEqual(doubts([]), []);
});

test("what is probably wrong with a layer is said in words, and only if it lasts", () => {
    const end = layer_of("3-dense", {gradients: [1, 2, 2]}), small = [1e-4, 1e-4, 1e-4];
    assert.deepEqual(said([layer_of("1-dense", {gradients: small}), end]), ["The gradient of 1-dense is 20\u202f000 times smaller than that of 3-dense, the last layer."]);
    assert.deepEqual(said([layer_of("1-dense", {gradients: [0.1, ...small.slice(1)]}), end]), []);
    assert.deepEqual(said([layer_of("1-dense", {gradients: small.slice(1)}), end]), [], "too few points to say");
    assert.deepEqual(said([layer_of("a", {update: [0.2, 0.2, 0.23]})]), ["A step changes a by 23 %: the learning rate may be too large."]);
    assert.deepEqual(said([layer_of("a", {update: [0.2, 0.2, 0.09]})]), []);
    assert.deepEqual(said([layer_of("a", {update: [2e-7, 2e-7, 2e-7]})]), ["A step changes a by 2.0e-7 of its size: it hardly learns."]);
    assert.deepEqual(said([layer_of("a", {dead: [0.6, 0.6, 0.75]})]), ["75 % of the units of a are dead."]);
    assert.deepEqual(said([layer_of("a", {saturated: [0.95, 0.95, 0.99]})]), ["99 % of the outputs of a are saturated: it hardly learns."]);
});

test("only what is certainly wrong is a fault", () => {
    const faults = layers => doubts(layers).filter(({bad}) => bad).map(({text}) => text);
    assert.deepEqual(faults([layer_of("a", {dead: [1, 1, 1]})]), ["All units of a are dead: it does not learn."]);
    assert.deepEqual(faults([layer_of("a", {gradients: [0, 0, 0]})]), ["The gradient of a is 0: it does not learn."]);
    assert.deepEqual(faults([{name: "a", values: {gradients: {y: [1, null], last: "nan"}}}]), ["The norm of the gradients of a is nan."]);
    assert.deepEqual(faults([layer_of("a", {dead: [0.9, 0.9, 0.9], update: [1, 1, 1], saturated: [1, 1, 1]})]), []);
});

test("a small curve reaches from edge to edge, and leaves gaps out", () => {
    assert.equal(curve_points([1, 2]), "0.0,20.0 84.0,2.0");
    assert.equal(curve_points([1, null, 100], {log: true}), "0.0,20.0 84.0,2.0");
    assert.equal(curve_points([0, 10], {log: true}), "84.0,20.0", "a logarithm has no place for 0");
    assert.equal(curve_points([0.5], {share: true}), "0.0,11.0");
    assert.equal(curve_points([]), "");
});

test("times and amounts of bytes have the unit of their size", () => {
    assert.deepEqual([time(0), time(1.234e-8), time(6.6e-5), time(0.25), time(1234)], ["0 ns", "12.3 ns", "66 µs", "250 ms", "1\u202f234 s"]);
    assert.equal(time(0.9996e-6), "1 µs");
    assert.deepEqual([bytes(0), bytes(800), bytes(2.81e6), bytes(3e9)], ["–", "800 B", "2.81 MB", "3 GB"]);
});

test("bars of a flame graph lie within the bars that they belong to", () => {
    const kernel = (layer, part, seconds) => ({layer, part, operation: "dot", seconds});
    const bars = flame_of({seconds: 10, parts: [{name: "wait for data", seconds: 2}, {name: "step", seconds: 6}, {name: "other", seconds: 2}, {name: "validation", seconds: 50}],
        kernels: [kernel("a", "forward", 1), kernel("b", "forward", 2), kernel("", "", 1), kernel("a", "backward", 1)]});
    const round = x => Number(x.toFixed(9)), places = bars.map(({name, depth, from, to}) => [name, depth, round(from), round(to)]);
    assert.deepEqual(places, [["iteration", 0, 0, 1], ["wait for data", 1, 0, 0.2], ["step", 1, 0.2, 0.8], ["a", 2, 0.2, 0.4], ["forward: dot", 3, 0.2, 0.3], ["backward: dot", 3, 0.3, 0.4],
        ["b", 2, 0.4, 0.6], ["forward: dot", 3, 0.4, 0.6], ["other", 2, 0.6, 0.7], ["dot", 3, 0.6, 0.7], ["other", 1, 0.8, 1]]);
    // Kernels that seem to take longer than the step fill it.
    const long = flame_of({seconds: 10, parts: [{name: "step", seconds: 5}], kernels: [kernel("a", "forward", 8)]});
    assert.deepEqual(long.map(({to}) => to), [1, 0.5, 0.5, 0.5]);
    assert.deepEqual(flame_of({seconds: 1}).map(({name}) => name), ["iteration"]);
});

test("channels of an image are pictures of their own, other outputs rows of cells", () => {
    const two = pictures_of({shape: "(2, 2, 2)", values: [1, 5, 2, 6, 3, 7, 4, 8], count: 8});
    assert.deepEqual(two, [{rows: 2, columns: 2, values: [1, 2, 3, 4]}, {rows: 2, columns: 2, values: [5, 6, 7, 8]}]);
    assert.deepEqual(pictures_of({shape: "(2, 2)", values: [1, 2, 3, 4], count: 4}), [{rows: 2, columns: 2, values: [1, 2, 3, 4]}]);
    assert.deepEqual(pictures_of({shape: "(3)", values: [1, 2, 3], count: 3}), [{rows: 1, columns: 3, values: [1, 2, 3]}]);
    const long = pictures_of({shape: "(100)", values: Array.from({length: 100}, (_, i) => i), count: 100});
    assert.deepEqual([long.length, long[0].rows, long[0].columns], [1, 2, 64]);
    assert.equal(pictures_of({shape: "(200, 200)", values: [1, 2], count: 40_000})[0].rows, 1, "a part of an image is no image");
});

test("ridges leave outliers out, and keep the first and the last distribution", () => {
    const wide = {low: -100, high: 100, counts: [1, ...new Array(98).fill(0), 999]};
    const [a, b] = usual_range([{low: 0, high: 1, counts: [500, 500]}]);
    assert.deepEqual([a, b], [0, 1]);
    assert.ok(usual_range([wide])[0] > 90);
    assert.deepEqual(thinned([1, 2, 3], 5), [1, 2, 3]);
    const some = thinned(Array.from({length: 80}, (_, i) => i), 24);
    assert.deepEqual([some.length, some[0], some.at(-1)], [24, 0, 79]);
});

test("precision and recall at a threshold are counted from the records", () => {
    // Probability of the class, and whether the record is of it.
    const records = [[0.9, true], [0.8, false], [0.6, true], [0.5, true], [0.4, false], [0.1, true]], thresholds = Array.from({length: 101}, (_, i) => i / 100);
    const at_least = of => thresholds.map(t => records.filter(([p, is]) => is === of && p >= t).length);
    const {right, wrong, missed, rejected, precision, recall, f1} = scores(at_least(true), at_least(false), 50);
    assert.deepEqual([right, wrong, missed, rejected, precision, recall, f1], [3, 1, 1, 1, 0.75, 0.75, 0.75]);
    assert.deepEqual(scores([0, 0], [4, 0], 1), {right: 0, wrong: 0, missed: 0, rejected: 4, precision: null, recall: null, f1: null});
});

test("a cell opens its records, no cell all errors", () => {
    const rows = [[5, 1, 0], [3, 0, 1], [2, 1, 1]];
    assert.deepEqual(rows_in(rows, null).map(([record]) => record), [5, 3]);
    assert.deepEqual(rows_in(rows, [1, 1]).map(([record]) => record), [2]);
    assert.deepEqual([...bytes_of("00ff1a")], [0, 255, 26]);
});
