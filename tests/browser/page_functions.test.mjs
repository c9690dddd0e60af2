// SPDX-License-Identifier: BSL-1.0
// What the page computes, without a browser: node --test tests/browser/page_functions.test.mjs
import assert from "node:assert/strict";
import test from "node:test";

const page = new URL("../../monitor/page/", import.meta.url);
const {number, duration} = await import(new URL("dom.js", page));
const {Line, smoothed, aligned, unfolded, iterations_between} = await import(new URL("panels/line.js", page));
const {trainer_with} = await import(new URL("runs.js", page));
const {last_of, sorted} = await import(new URL("panels/runs.js", page));
const {files_with} = await import(new URL("head.js", page));
const {bars_of, percent} = await import(new URL("panels/bars.js", page));
const {shades} = await import(new URL("panels/paint.js", page));
const {typed} = await import(new URL("panels/parameters.js", page));
const {compare} = await import(new URL("panels/table.js", page));
const {line, ranks, zoomed, moved} = await import(new URL("panels/graph.js", page));
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
    assert.equal(typed("fast", "double"), "fast");  // refused by the program, in its words
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

test("of points that are one, the lowest and the highest are drawn, each at a place of its own", () => {
    assert.deepEqual(unfolded({x: [1, 2], y: [5, null], seconds: [0.5, 1]}), {x: [1, 2], y: [5, null], seconds: [0.5, 1]});
    assert.deepEqual(unfolded({x: [3, 6], y: [2, 7], low: [1, 7], high: [3, 7], seconds: [30, 60]}), {x: [1, 2, 3, 6], y: [1, 3, 2, 7], seconds: [10, 20, 30, 60]});
    const {x, y} = unfolded({x: [4, 8, 12], y: [2, 2, 2], low: [1, 0, 1], high: [3, 9, 3], seconds: [1, 2, 3]});
    assert.deepEqual(aligned([{x, y}])[1], [1, 3, 2, 0, 9, 2, 1, 3, 2]);
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
