// SPDX-License-Identifier: BSL-1.0
// Runs in a folder, compared in a real browser: by sigma-runs, and beside a run that goes on.
//     node --test tests/browser/runs.test.mjs    with RUNS=<sigma-runs>, PROGRAM, CHROMIUM, PLAYWRIGHT and PICTURES as page.test.mjs has them
import assert from "node:assert/strict";
import {appendFileSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";
import test, {after, afterEach, before} from "node:test";
import {pathToFileURL} from "node:url";
import {close_all, end, start} from "./program.mjs";

const {chromium} = await import(pathToFileURL(`${process.env.PLAYWRIGHT}/index.mjs`));
const wait_for = {timeout: 20000};

// Writes series.bin as docs/design/monitor-protocol.md describes it, independently of the library.
const table = Array.from({length: 256}, (_, i) => { let c = i; for (let k = 0; k < 8; ++k) c = c & 1 ? (c >>> 1) ^ 0x82f63b78 : c >>> 1; return c >>> 0; });
const crc32c = bytes => { let c = ~0 >>> 0; for (const b of bytes) c = table[(c ^ b) & 255] ^ (c >>> 8); return ~c >>> 0; };
function record(payload) {
    const head = Buffer.alloc(8);
    head.writeUInt32LE(payload.length, 0);
    head.writeUInt32LE(crc32c(payload), 4);
    return Buffer.concat([head, payload]);
}
function named(number, trainer, series) {
    const parts = [Buffer.from("n"), Buffer.alloc(4)];
    parts[1].writeUInt32LE(number);
    for (const text of [trainer, series]) {
        const size = Buffer.alloc(2);
        size.writeUInt16LE(Buffer.byteLength(text));
        parts.push(size, Buffer.from(text));
    }
    return record(Buffer.concat(parts));
}
function pointed(number, points) {
    const bytes = Buffer.alloc(9 + 24 * points.length);
    bytes.write("p");
    bytes.writeUInt32LE(number, 1);
    bytes.writeUInt32LE(points.length, 5);
    points.flat().forEach((x, i) => bytes.writeDoubleLE(x, 9 + 8 * i));
    return record(bytes);
}
function tensor(number, trainer, name) {
    const bytes = named(number, trainer, name).subarray(8);
    bytes.write("t");
    return record(bytes);
}
function distribution(number, iteration, low, high, counts) {
    const bytes = Buffer.alloc(31 + 2 * counts.length);
    bytes.write("h");
    bytes.writeUInt32LE(number, 1);
    bytes.writeBigUInt64LE(BigInt(iteration), 5);
    bytes.writeDoubleLE(low, 13);
    bytes.writeDoubleLE(high, 21);
    bytes.writeUInt8(counts.length, 29);
    bytes.writeUInt8(2, 30);
    counts.forEach((n, i) => bytes.writeUInt16LE(n, 31 + 2 * i));
    return record(bytes);
}
const points = (from, to, f, pace) => Array.from({length: to - from}, (_, i) => [from + i, f(from + i), (from + i) * pace]);
const fall = rate => i => 2 * Math.exp(-rate * i) + 0.1;
function make_run(folder, name, rate, pace) {
    mkdirSync(join(folder, name), {recursive: true});
    writeFileSync(join(folder, name, "run.json"), JSON.stringify({name: "digits", began: 1795000000, trainers: [{name: "digits", network: "input(28, 28) + dense(10) + softmax_ce", optimizer: "adam"}]}));
    writeFileSync(join(folder, name, "series.bin"), Buffer.concat([Buffer.from("sigma-run 1\n"), named(0, "digits", "loss"), named(1, "digits", "accuracy"),
        pointed(0, points(1, 2001, fall(rate), pace)), pointed(1, points(1, 2001, i => 1 - Math.exp(-rate * i), pace))]));
}

let browser, served, folder;
const problems = [];
before(async () => {
    folder = mkdtempSync(join(tmpdir(), "sigma-runs-"));
    make_run(folder, "20261120-101500-slow", 0.0005, 0.01);
    make_run(folder, "20261121-101500-fast", 0.005, 0.02);
    make_run(folder, "20261122-101500-<b>wide", 0.002, 0.04);
    served = await start(process.env.RUNS, folder, "--port", "0");
    browser = await chromium.launch({executablePath: process.env.CHROMIUM, args: ["--no-sandbox", "--disable-gpu"]});
});
after(async () => {
    await browser?.close();
    if (served) await end(served);
    if (folder) rmSync(folder, {recursive: true, force: true});
});
afterEach(() => close_all(browser));

async function open(address, options = {}) {
    const context = await browser.newContext({viewport: {width: 1400, height: 900}, colorScheme: "dark", ...options}), page = await context.newPage();
    page.on("pageerror", error => problems.push(error.stack));
    page.on("console", message => { if (message.type() === "error" && !/ERR_CONNECTION|WebSocket|Failed to load resource/.test(message.text())) problems.push(message.text()); });
    await page.goto(address);
    await page.waitForSelector(".card", wait_for);
    return page;
}
const close = page => page.context().close();
const chart = (page, title) => page.locator(`[data-kind="chart"][aria-label="${title}"]`);
const lines = where => where.locator(".legend button");
const texts_become = (page, title, wanted) => page.waitForFunction(([card, all]) =>
    JSON.stringify([...document.querySelectorAll(`[data-kind="chart"][aria-label="${card}"] .legend button span`)].map(e => e.textContent).sort()) === JSON.stringify(all), [title, [...wanted].sort()], wait_for);
/// Until all three lines have come: till then a chart is made anew with each that does.
const drawn_whole = (page, title) => page.waitForFunction(card =>
    [...document.querySelectorAll(`[aria-label="${card}"] .legend b`)].filter(b => b.textContent !== "–").length === 3, title, wait_for);
/// Is the line of that place drawn?
const drawn = (where, place) => where.locator("canvas").first().evaluate((canvas, n) => {
    const wanted = getComputedStyle(document.documentElement).getPropertyValue(`--series-${n}`).match(/[0-9a-f]{2}/g).map(part => Number.parseInt(part, 16));
    const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let i = 0; i < data.length; i += 4) if (wanted.every((part, k) => Math.abs(part - data[i + k]) < 12)) ++count;
    return count > 40;
}, place);

test("sigma-runs shows all runs, a line of each in each chart", async () => {
    const page = await open(served.address);
    await page.waitForFunction(() => document.querySelector("header .pill").textContent === "runs", null, wait_for);
    assert.equal(await page.locator('[data-command="resume"]').isVisible(), false);
    await page.locator("table.runs tr[data-run]").nth(2).waitFor(wait_for);
    assert.equal(await page.locator("table.runs tr[data-run]").count(), 3);
    assert.match(await page.locator('tr[data-run="20261122-101500-<b>wide"]').innerText(), /<b>wide[\s\S]*2\s?000[\s\S]*1:20[\s\S]*0\.1366/);
    await texts_become(page, "loss", ["20261120-101500-slow", "20261121-101500-fast", "20261122-101500-<b>wide"]);
    await texts_become(page, "accuracy", ["20261120-101500-slow", "20261121-101500-fast", "20261122-101500-<b>wide"]);
    await drawn_whole(page, "loss");
    for (const place of [1, 2, 3, 4]) assert.equal(await drawn(chart(page, "loss"), place), place < 4, `line ${place}`);
    await chart(page, "loss").locator(".legend button").nth(1).click();
    await page.waitForTimeout(200);
    for (const place of [1, 2, 3]) assert.equal(await drawn(chart(page, "loss"), place), place !== 2, `line ${place}`);
    await close(page);
});

test("a forked run has its parent's line up to the fork, and is whole without its parent", async () => {
    const own = mkdtempSync(join(tmpdir(), "sigma-forks-")), child = "20261121-101500-child", parent = "20261120-101500-parent";
    make_run(own, parent, 0.0005, 0.01);
    make_run(own, child, 0.005, 0.01);
    writeFileSync(join(own, child, "run.json"), JSON.stringify({name: "digits", trainers: [{name: "digits", parent: {run: parent, iteration: 1000, seconds: 10}}]}));
    writeFileSync(join(own, child, "series.bin"), Buffer.concat([Buffer.from("sigma-run 1\n"), named(0, "digits", "loss"), pointed(0, points(1001, 2001, fall(0.005), 0.01))]));
    const alone = await start(process.env.RUNS, own, "--port", "0");
    try {
        const page = await open(alone.address), box = id => page.locator(`tr[data-run="${id}"] input`);
        await texts_become(page, "loss", [child, parent]);  // both are selected, and whole
        assert.match(await page.locator(`tr[data-run="${child}"]`).innerText(), /20261120-101500-parent at 1\u202f000/);
        await box(parent).uncheck();
        await texts_become(page, "loss", [child, `${parent}, parent`]);
        await chart(page, "loss").locator(".changes").getByText(`${child}: continued from ${parent}, at iteration 1\u202f000`).waitFor({state: "attached", ...wait_for});
        await page.waitForFunction(() => [...document.querySelectorAll('[aria-label="loss"] .legend b')].every(b => b.textContent !== "–"), null, wait_for);
        // The last number of the parent's line is that at the fork: 2 exp(-0.5) + 0.1.
        assert.match(await chart(page, "loss").locator(".legend").innerText(), /parent\s*~?1\.31/);
        if (process.env.PICTURES) await page.screenshot({path: `${process.env.PICTURES}/fork-runs.png`});
        rmSync(join(own, parent), {recursive: true});
        await texts_become(page, "loss", [child]);
        await chart(page, "loss").locator(".changes").getByText(`continued from ${parent}`).waitFor({state: "attached", ...wait_for});
        await close(page);
    } finally {
        await end(alone);
        rmSync(own, {recursive: true});
    }
});

const texts = (...all) => Buffer.concat(all.flatMap(text => { const size = Buffer.alloc(2); size.writeUInt16LE(Buffer.byteLength(text)); return [size, Buffer.from(text)]; }));
const doubles = (...all) => { const bytes = Buffer.alloc(8 * all.length); all.forEach((x, i) => bytes.writeDoubleLE(x, 8 * i)); return bytes; };
/// A number whose points are changes.
const held = (number, trainer, name) => record(Buffer.concat([named(number, trainer, name).subarray(8), Buffer.from([1])]));

test("a constant is a column and no chart, a run that was left does not run, and a change by hand is told", async () => {
    const own = mkdtempSync(join(tmpdir(), "sigma-constants-"));
    [0.1, 0.01].forEach((rate, i) => {
        const name = `2026112${i}-101500-run`;
        make_run(own, name, 0.002, 0.01);
        writeFileSync(join(own, name, "series.bin"), Buffer.concat([readFileSync(join(own, name, "series.bin")), held(2, "digits", "optimizer.learning_rate"), held(3, "digits", "optimizer.beta1"),
            pointed(2, [[1, rate, 0]]), pointed(3, [[1, 0.9, 0]]), record(Buffer.concat([Buffer.from("s"), texts("digits", "left", "the monitor ended before the run"), doubles(2000, 1795000000)])),
            record(Buffer.concat([Buffer.from("m"), texts("digits", "set", "optimizer.learning_rate", "0.5", String(rate), "192.0.2.7"), doubles(700, 7, 1795000000)]))]));
    });
    const alone = await start(process.env.RUNS, own, "--port", "0");
    try {
        const page = await open(alone.address), heads = () => page.locator("table.runs th").allInnerTexts();
        await texts_become(page, "loss", ["20261120-101500-run", "20261121-101500-run"]);
        assert.deepEqual(await page.locator('[data-kind="chart"]').evaluateAll(all => all.map(one => one.getAttribute("aria-label"))), ["loss", "accuracy"]);
        // What differs between the runs stands before what is the same.
        assert.deepEqual((await heads()).slice(5), ["loss", "accuracy", "optimizer.learning_rate", "optimizer.beta1"]);
        assert.equal(await page.locator("table.runs .pill.left").count(), 2);
        assert.equal(await page.locator("table.runs .pill.running").count(), 0);  // though their files are new
        await chart(page, "loss").locator(".changes").getByText("20261121-101500-run: optimizer.learning_rate 0.5 → 0.01 by 192.0.2.7, at iteration 700").waitFor({state: "attached", ...wait_for});
        await page.locator("summary", {hasText: "columns"}).click();
        await page.locator('[data-column="optimizer.beta1"]').uncheck();
        await page.waitForFunction(() => ![...document.querySelectorAll("table.runs th")].some(th => th.textContent === "optimizer.beta1"), null, wait_for);
        await page.reload();
        await texts_become(page, "loss", ["20261120-101500-run", "20261121-101500-run"]);
        assert.deepEqual((await heads()).slice(5), ["loss", "accuracy", "optimizer.learning_rate"]);
        // A chart of it all the same.
        await page.keyboard.press("/");
        await page.getByLabel("Search numbers").fill("learning");
        await page.keyboard.press("Enter");
        await page.locator('[data-panel^="own-"]').getByText("20261120-101500-run").first().waitFor(wait_for);
        await close(page);
    } finally {
        await end(alone);
        rmSync(own, {recursive: true, force: true});
    }
});

/// Four runs of two learning rates and two seeds, with facts as a monitor records them.
function make_tries(own) {
    [[0.1, 1], [0.1, 2], [0.01, 1], [0.01, 2]].forEach(([rate, seed], i) => {
        const name = `2026112${i}-101500-try`, facts = {seed, "optimizer.learning_rate": rate, "optimizer.name": "adam", "iterator.data": "<b>mnist"};
        make_run(own, name, rate / 10 * (1 + 0.2 * seed), 0.01);
        writeFileSync(join(own, name, "run.json"), JSON.stringify({name: "try", began: 1795000000 + i, facts: {command: `./try --seed ${seed}`, host: "here", "git.commit": "0123456789abcdef0123456789abcdef01234567", "git.clean": i !== 3},
            trainers: [{name: "digits", network: "input(28, 28) + dense(10) + softmax_ce", optimizer: "adam", facts}]}));
    });
}
const shows = (page, kind, text) => page.waitForFunction(([of, wanted]) => document.querySelector(`[data-kind="${of}"]`)?.textContent.includes(wanted), [kind, text], wait_for);

test("runs are compared by what differs: as columns, side by side, as points and as lines", async () => {
    const own = mkdtempSync(join(tmpdir(), "sigma-compare-"));
    make_tries(own);
    const alone = await start(process.env.RUNS, own, "--port", "0");
    try {
        const page = await open(alone.address), id = i => `2026112${i}-101500-try`, of = kind => page.locator(`[data-kind="${kind}"]`);
        await page.locator("table.runs tr[data-run]").nth(3).waitFor(wait_for);
        assert.deepEqual((await page.locator("table.runs th").allInnerTexts()).slice(5), ["loss", "accuracy", "git.clean", "optimizer.learning_rate", "seed"]);
        assert.match(await page.locator(`tr[data-run="${id(3)}"]`).innerText(), /no\s+0\.01\s+2$/);
        await page.getByLabel("Filter runs").fill("--seed 2");
        await page.waitForFunction(() => document.querySelectorAll("table.runs tr[data-run]").length === 2, null, wait_for);
        await page.getByLabel("Filter runs").fill("");

        const differences = of("differences"), names = () => differences.locator('th[scope="row"]').allInnerTexts();
        await shows(page, "differences", "4 of 9 values differ");
        assert.deepEqual((await names()).sort(), ["command", "git.clean", "optimizer.learning_rate", "seed"]);
        assert.equal(await differences.locator('th[scope="col"]').count(), 4);
        assert.equal(await differences.locator("tr", {hasText: "learning_rate"}).locator("td.other").count(), 2);
        await differences.getByRole("button", {name: "show equal values"}).click();
        assert.equal((await names()).length, 9);
        assert.match(await differences.innerText(), /<b>mnist/);
        await page.getByLabel(`Show ${id(0)}`).uncheck();
        await page.getByLabel(`Show ${id(1)}`).uncheck();
        await shows(page, "differences", "3 of 9 values differ");  // one rate

        const scatter = of("scatter");
        await scatter.locator("circle").nth(3).waitFor(wait_for);
        assert.equal(await scatter.getByLabel("across").inputValue(), "optimizer.learning_rate");
        assert.equal(await scatter.locator("circle.chosen").count(), 2);
        await scatter.getByLabel("across").selectOption("seed");
        await scatter.locator("g.points").focus();
        await page.keyboard.press("End");
        await page.keyboard.press("ArrowLeft");
        const said = await scatter.locator(".said").innerText(), which = said.split(" · ")[0];
        assert.match(said, /seed 2 · loss [\d.]+$/);
        const before = await page.getByLabel(`Show ${which}`).isChecked();
        await page.keyboard.press("Enter");
        await page.waitForFunction(([name, was]) => document.querySelector(`[aria-label="Show ${name}"]`).checked !== was, [which, before], wait_for);
        const dot = await scatter.locator(`circle[data-run="${id(0)}"]`).boundingBox();
        await page.mouse.move(dot.x + dot.width / 2, dot.y + dot.height / 2);
        await page.mouse.down();
        await page.mouse.up();
        await page.waitForFunction(name => document.querySelector(`[aria-label="Show ${name}"]`).checked, id(0), wait_for);

        const parallel = of("parallel");
        assert.deepEqual(await parallel.locator(".axis text.name").evaluateAll(all => all.map(one => one.lastChild.textContent)), ["git.clean", "optimizer.lear…", "seed", "loss"]);
        assert.equal(await parallel.locator("polyline").count(), 4);
        await parallel.locator("g.lines").focus();
        await page.keyboard.press("Home");
        assert.match(await parallel.locator(".said").innerText(), new RegExp(`^${id(1)} · git.clean yes · optimizer.learning_rate 0.1 · seed 2 · loss`));  // the best
        await parallel.getByRole("slider", {name: "optimizer.learning_rate, minimum"}).focus();
        await page.keyboard.press("PageUp");
        await parallel.getByRole("button", {name: "Show these runs in the charts"}).click();
        await texts_become(page, "loss", [id(0), id(1)]);
        await close(page);
    } finally {
        await end(alone);
        rmSync(own, {recursive: true, force: true});
    }
});

test("runs of one group are their mean in a band", async () => {
    const own = mkdtempSync(join(tmpdir(), "sigma-groups-"));
    make_tries(own);
    const alone = await start(process.env.RUNS, own, "--port", "0");
    try {
        const page = await open(alone.address), loss = chart(page, "loss"), mean = rate => [1.2, 1.4].map(share => fall(rate / 10 * share)(2000)).reduce((a, b) => a + b) / 2;
        await lines(loss).nth(3).waitFor(wait_for);
        await page.getByLabel("Group runs").selectOption({label: "groups by all but seeds"});
        // The last of each rate has the loss of two seeds; the commit and the host do not count.
        await texts_become(page, "loss", ["optimizer.learning_rate 0.1, 2 runs", "optimizer.learning_rate 0.01, 2 runs"]);
        const value = place => lines(loss).nth(place).locator("b").innerText();
        await page.waitForFunction(() => [...document.querySelectorAll('[aria-label="loss"] .legend b')].every(b => b.textContent !== "–"), null, wait_for);
        const values = [Number(await value(0)), Number(await value(1))].sort((a, b) => a - b);
        assert.ok(Math.abs(values[0] - mean(0.1)) < 1e-4 && Math.abs(values[1] - mean(0.01)) < 1e-4, `${values}`);
        const box = await loss.locator(".u-over").boundingBox();
        await page.mouse.move(box.x + box.width / 2, box.y + 30);
        await page.waitForFunction(() => [...document.querySelectorAll('[aria-label="loss"] .legend small')].some(small => /…/.test(small.textContent)), null, wait_for);
        await page.reload();
        await texts_become(page, "loss", ["optimizer.learning_rate 0.1, 2 runs", "optimizer.learning_rate 0.01, 2 runs"]);
        await page.getByLabel("Group runs").selectOption({label: "groups by seed"});
        await texts_become(page, "loss", ["seed 1, 2 runs", "seed 2, 2 runs"]);
        if (process.env.PICTURES) await picture_of_comparison(page);
        await page.getByLabel("Group runs").selectOption("");
        await texts_become(page, "loss", [0, 1, 2, 3].map(i => `2026112${i}-101500-try`));
        await close(page);
    } finally {
        await end(alone);
        rmSync(own, {recursive: true, force: true});
    }
});
async function picture_of_comparison(page) {
    for (const [width, height] of [[1366, 900], [390, 844]])
        for (const scheme of ["dark", "light"]) {
            await page.setViewportSize({width, height});
            await page.evaluate(theme => { document.documentElement.dataset.theme = theme; document.dispatchEvent(new Event("sigma-theme")); }, scheme);
            await page.waitForTimeout(500);
            await page.screenshot({path: `${process.env.PICTURES}/monitor-compare-${width}-${scheme}.png`, fullPage: true});
        }
}

test("runs are taken away, sorted, filtered, and that stays so", async () => {
    const page = await open(served.address);
    await texts_become(page, "loss", ["20261120-101500-slow", "20261121-101500-fast", "20261122-101500-<b>wide"]);
    await page.getByLabel("Show 20261120-101500-slow").uncheck();
    await texts_become(page, "loss", ["20261121-101500-fast", "20261122-101500-<b>wide"]);
    await page.locator("table.runs").getByRole("button", {name: "loss", exact: true}).click();
    assert.match(await page.locator("table.runs tr[data-run]").first().innerText(), /fast/);
    await page.locator("table.runs").getByRole("button", {name: "loss", exact: true}).click();
    assert.match(await page.locator("table.runs tr[data-run]").first().innerText(), /slow/);
    await page.reload();
    await page.waitForSelector(".card", wait_for);
    await texts_become(page, "loss", ["20261121-101500-fast", "20261122-101500-<b>wide"]);
    assert.match(await page.locator("table.runs tr[data-run]").first().innerText(), /slow/);
    await page.getByLabel("Filter runs").fill("WIDE");
    await page.waitForFunction(() => document.querySelectorAll("table.runs tr[data-run]").length === 1, null, wait_for);
    await close(page);
});

test("lines are drawn by time, zoomed, and leave as CSV", async () => {
    const page = await open(served.address), loss = chart(page, "loss");
    await texts_become(page, "loss", ["20261120-101500-slow", "20261121-101500-fast", "20261122-101500-<b>wide"]);
    await drawn_whole(page, "loss");
    await loss.getByLabel("Axis").selectOption("time");
    await loss.locator(".u-over").waitFor(wait_for);
    const box = await loss.locator(".u-over").boundingBox();
    await page.mouse.move(box.x + box.width * 0.1, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.2, box.y + 60, {steps: 6});
    // The histories of 8 to 16 seconds: iterations 200 to 400 where one takes 0.04.
    const asked = page.waitForRequest(request => /\/api\/runs\/history.*wide.*from=/.test(request.url()), wait_for);
    await page.mouse.up();
    const values = new URL((await asked).url()).searchParams;
    assert.ok(Math.abs(Number(values.get("from")) - 200) < 20 && Math.abs(Number(values.get("to")) - 400) < 20, `asked for ${values}`);
    await loss.getByRole("button", {name: "whole run"}).click(wait_for);
    await loss.hover();
    const coming = page.waitForEvent("download", wait_for);
    await loss.getByRole("button", {name: /as CSV/}).click();
    const stream = await (await coming).createReadStream(), parts = [];
    for await (const part of stream) parts.push(part);
    const text = Buffer.concat(parts).toString().split("\n");
    assert.match(text[0], /^seconds,.*fast loss/);
    assert.equal(text[0].split(",").length, 4);  // 2000 points are in an answer as they are
    assert.match(text.at(-2), /^80,/);
    await close(page);
});

test("histograms of runs are shown, of the run and the tensor that are chosen", async () => {
    const page = await open(served.address), card = page.locator('[data-kind="histogram_of_runs"]');
    await page.locator("table.runs tr[data-run]").nth(2).waitFor(wait_for);
    assert.equal(await card.count(), 0);  // no run has any
    const hill = Array.from({length: 48}, (_, i) => 1000 - Math.abs(i - 24) * 30), file = name => join(folder, name, "series.bin");
    appendFileSync(file("20261120-101500-slow"), Buffer.concat([tensor(0, "digits", "weights"), tensor(1, "digits", "<b>biases"),
        ...Array.from({length: 20}, (_, i) => distribution(0, 10 * i, -1 - i, 1 + i, hill)), distribution(1, 5, -0.25, 0.5, [1, 2, 3]), distribution(1, 6, Infinity, -Infinity, [0])]));
    appendFileSync(file("20261122-101500-<b>wide"), Buffer.concat([tensor(0, "digits", "weights"), distribution(0, 7, 3, 4, hill), tensor(1, "moves", "v"), distribution(1, 8, 1, 1, [9])]));
    await card.waitFor(wait_for);
    const says = text => page.waitForFunction(wanted => document.querySelector('[data-kind="histogram_of_runs"]').textContent.includes(wanted), text, wait_for);
    const painted = () => card.locator("canvas").evaluate(canvas => canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.filter((_, i) => i % 4 === 3 && _ > 0).length);
    const texts = name => card.getByLabel(name, {exact: true}).locator("option").allInnerTexts();
    await page.waitForFunction(() => document.querySelector('[data-kind="histogram_of_runs"] select').options.length === 3, null, wait_for);
    assert.deepEqual((await texts("Run")).sort(), ["20261120-101500-slow", "20261122-101500-<b>wide, digits", "20261122-101500-<b>wide, moves"]);
    await card.getByLabel("Run", {exact: true}).selectOption({label: "20261120-101500-slow"});
    await says("-20 … 20, iterations 0 to 190");
    assert.ok(await painted() > 1000);
    assert.deepEqual(await texts("Tensor"), ["weights", "<b>biases"]);
    await card.getByLabel("Tensor", {exact: true}).selectOption("<b>biases");
    await says("-0.25 … 0.5, iterations 5 to 5");
    await card.getByLabel("Run", {exact: true}).selectOption({label: "20261122-101500-<b>wide, digits"});
    await says("3 … 4, iterations 7 to 7");
    assert.deepEqual(await texts("Tensor"), ["weights"]);
    appendFileSync(file("20261122-101500-<b>wide"), distribution(0, 17, 3, 5, hill));  // it goes on
    await says("3 … 5, iterations 7 to 17");
    await card.getByLabel("Run", {exact: true}).selectOption({label: "20261122-101500-<b>wide, moves"});
    await says("1 … 1, iterations 8 to 8");
    assert.deepEqual(await texts("Tensor"), ["v"]);
    await close(page);
});

test("a run that goes on is followed, and a new one appears", async () => {
    const page = await open(served.address);
    await texts_become(page, "loss", ["20261120-101500-slow", "20261121-101500-fast", "20261122-101500-<b>wide"]);
    appendFileSync(join(folder, "20261121-101500-fast", "series.bin"), pointed(0, points(2001, 2501, () => 77, 0.02)));
    await page.waitForFunction(() => [...document.querySelectorAll('[aria-label="loss"] .legend button')].some(e => e.textContent.includes("fast77")), null, wait_for);
    await page.waitForFunction(() => /77/.test(document.querySelector('tr[data-run="20261121-101500-fast"]').innerText), null, wait_for);
    await page.locator('tr[data-run="20261121-101500-fast"] .pill', {hasText: "running"}).waitFor(wait_for);
    make_run(folder, "20261123-101500-new", 0.001, 0.01);
    await page.locator('tr[data-run="20261123-101500-new"]').waitFor(wait_for);
    await page.getByLabel("Show 20261123-101500-new").check();
    await page.waitForFunction(() => document.querySelectorAll('[aria-label="loss"] .legend button').length === 4, null, wait_for);
    rmSync(join(folder, "20261123-101500-new"), {recursive: true});
    await page.waitForFunction(() => document.querySelectorAll('[aria-label="loss"] .legend button').length === 3, null, wait_for);
    await close(page);
});

test("other runs stand over one that goes on", async () => {
    const program = await start(process.env.PROGRAM, "0", folder), page = await open(program.address);
    const of_loss = page.locator('[data-kind="chart"]').first();
    await of_loss.locator("canvas").first().waitFor(wait_for);
    await of_loss.locator(".menu summary").click(wait_for);
    assert.equal(await of_loss.locator(".menu input").count(), 3);  // without its own
    await of_loss.locator('.menu input[data-run="20261121-101500-fast"]').check();
    await of_loss.locator(".legend button", {hasText: "20261121-101500-fast loss"}).waitFor(wait_for);
    assert.equal(await lines(of_loss).count(), 3);  // its own loss and error, and the loss of that run
    assert.equal(await of_loss.locator(".legend .dashed").count(), 1);
    const accuracy = page.locator('[data-kind="chart"]').nth(1);
    await accuracy.locator(".legend button", {hasText: "20261121-101500-fast"}).waitFor(wait_for);
    await page.keyboard.press("Escape");
    const is_open = () => of_loss.locator(".menu").evaluate(menu => menu.open);
    assert.equal(await is_open(), false);
    for (const leave of [() => page.locator("main").click({position: {x: 2, y: 2}}), () => page.locator("body").evaluate(() => document.activeElement.blur()).then(() => page.keyboard.press("Escape"))]) {
        await of_loss.locator(".menu summary").click(wait_for);
        assert.equal(await is_open(), true);
        await page.waitForTimeout(100);
        await leave();
        assert.equal(await is_open(), false);
    }
    await page.reload();
    await page.waitForSelector(".card", wait_for);
    await page.locator('[data-kind="chart"]').first().locator(".legend button", {hasText: "20261121-101500-fast loss"}).waitFor(wait_for);
    await page.getByRole("tab", {name: "Runs"}).click();
    await page.locator("table.runs .pill", {hasText: "this run"}).waitFor(wait_for);
    assert.equal(await page.locator("table.runs tr[data-run]").count(), 4);
    const histogram = page.locator('[data-kind="histogram_of_runs"]');
    await histogram.locator("p", {hasText: /iterations/}).waitFor(wait_for);
    assert.doesNotMatch(await histogram.getByLabel("Run", {exact: true}).innerText(), /-digits$/m);  // its own has a card of its own
    if (process.env.PICTURES) {
        await page.getByRole("tab", {name: "Training"}).click();
        await page.waitForTimeout(2000);
        await page.screenshot({path: `${process.env.PICTURES}/monitor-over.png`});
    }
    await close(page);
    await end(program);
});

// A file of a search as `search` writes it: an array of texts for each trial.
const settings = JSON.stringify(["search by random", "seed 1", "points 5", "stop median", "reduction_factor 4", "min_resource 1"]);
const tried = (number, loss, choices, {early = 0, failed = ""} = {}) => JSON.stringify([number, loss, 2.5, early, failed, choices.length, 0, ...choices.flatMap(([name, x, text]) => [name, x, text ?? x, 0, 0])].map(String));
const trials = [tried(1, 0.5, [["width", 8], ["rate", 0.0001], ["<b>kind", 0, "relu"]]), tried(2, 0.25, [["width", 64], ["rate", 0.01], ["<b>kind", 1, "tanh"]]), tried(3, 0.75, [["width", 16], ["rate", 0.1]], {early: 1}),
    tried(4, "inf", [["width", 32], ["rate", 0.001], ["<b>kind", 0, "relu"]]), tried(5, "nan", [["width", 9]], {failed: "network: <i>expected</i> less"})];
const write_search = (file, lines) => { writeFileSync(`${file}.new`, `${[settings, ...lines].join("\n")}\n`); renameSync(`${file}.new`, file); };

test("the trials of a search are lines across its choices, and rows, the best first, as it goes on", async () => {
    const own = mkdtempSync(join(tmpdir(), "sigma-search-")), program = await start(process.env.RUNS, own, "--port", "0");
    make_run(own, "20261120-101500-slow", 0.0005, 0.01);
    const page = await open(program.address), card = page.locator('[data-kind="search"]'), row = n => card.locator("tr[data-trial]").nth(n);
    assert.equal(await page.getByRole("tab", {name: "Search"}).count(), 0);
    write_search(join(own, "search.jsonl"), trials);  // the page finds it by itself
    await page.getByRole("tab", {name: "Search"}).click(wait_for);
    await row(0).waitFor(wait_for);
    assert.deepEqual(await card.locator("tr[data-trial]").evaluateAll(all => all.map(one => one.dataset.trial)), ["2", "1", "3", "4"]);
    assert.deepEqual(await card.locator(".axis text.name").evaluateAll(all => all.map(one => one.lastChild.textContent)), ["width", "rate", "<b>kind", "loss"]);
    assert.equal(await card.locator(".axis", {hasText: "rate"}).locator("text.dim").innerHTML(), "log");
    assert.equal(await card.locator(".axis", {hasText: "width"}).locator("text.dim").count(), 0);
    assert.equal(await card.locator("polyline").count(), 4);
    assert.equal(await card.locator("polyline.best").getAttribute("data-trial"), "2");
    assert.equal(await card.locator("polyline.early").getAttribute("data-trial"), "3");
    assert.match(await card.locator(".failures").innerText(), /^trial 5: network: <i>expected<\/i> less/);
    assert.equal(await card.locator("i:not([class])").count(), 0);
    const colours = await card.locator("polyline").evaluateAll(all => Object.fromEntries(all.map(one => [one.dataset.trial, getComputedStyle(one).stroke])));
    assert.equal(new Set(Object.values(colours)).size, 4, JSON.stringify(colours));

    // By the mouse: what a line was; a part of an axis; all again.
    const svg = card.locator(".parallel svg"), box = await svg.boundingBox(), at = async (trial, i) => {
        const [x, y] = (await card.locator(`polyline[data-trial="${trial}"]`).getAttribute("points")).split(" ")[i].split(",").map(Number);
        return [box.x + x, box.y + y];
    };
    const [from, to] = [await at(1, 0), await at(1, 1)];
    await page.mouse.move(from[0] * 0.6 + to[0] * 0.4, from[1] * 0.6 + to[1] * 0.4);
    await card.locator(".said", {hasText: "trial 1 · width 8 · rate 0.0001 · <b>kind relu · loss 0.5 · 2.5 s"}).waitFor(wait_for);
    assert.equal(await card.locator("tr.on").getAttribute("data-trial"), "1");
    const worse = await at(1, 3), best = await at(2, 3);  // on the axis of the loss
    await page.mouse.move(worse[0], worse[1] - 8);
    await page.mouse.down();
    await page.mouse.move(best[0], best[1], {steps: 4});
    await page.mouse.up();
    await page.waitForFunction(() => document.querySelectorAll('[data-kind="search"] tr[data-trial]').length === 2, null, wait_for);
    assert.deepEqual(await card.locator("polyline.out").evaluateAll(all => all.map(one => one.dataset.trial).sort()), ["3", "4"]);
    await card.getByRole("button", {name: "Show all"}).click();
    assert.equal(await card.locator("tr[data-trial]").count(), 4);
    assert.equal(await card.locator("polyline.out").count(), 0);

    // By keys.
    const handle = card.getByRole("slider", {name: "<b>kind, minimum"});
    await handle.focus();
    await page.keyboard.press("ArrowUp");
    assert.equal(await handle.getAttribute("aria-valuetext"), "tanh");
    assert.deepEqual(await card.locator("tr[data-trial]").evaluateAll(all => all.map(one => one.dataset.trial)), ["2"]);
    await page.keyboard.press("Escape");
    assert.equal(await card.locator("tr[data-trial]").count(), 4);
    await card.locator("g.lines").focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await card.locator(".said", {hasText: "trial 3 ·"}).waitFor(wait_for);
    assert.match(await card.locator(".said").innerText(), /loss 0.75 · 2.5 s · early$/);

    // By a column, either way; then it goes on, and what was sorted and brushed stays.
    await card.locator("table").getByRole("button", {name: "width"}).click();
    assert.equal(await row(0).getAttribute("data-trial"), "1");
    await card.locator("table").getByRole("button", {name: "width"}).click();
    assert.equal(await row(0).getAttribute("data-trial"), "2");
    await card.getByRole("slider", {name: "width, minimum"}).focus();
    await page.keyboard.press("PageUp");
    await page.keyboard.press("PageUp");
    assert.equal(await card.locator("tr[data-trial]").count(), 2);  // 32 and 64
    write_search(join(own, "search.jsonl"), [...trials, tried(6, 0.125, [["width", 120], ["rate", 0.02], ["<b>kind", 2, "gelu"]])]);
    await card.locator('tr[data-trial="6"]').waitFor(wait_for);
    assert.deepEqual(await card.locator("tr[data-trial]").evaluateAll(all => all.map(one => one.dataset.trial)), ["6", "2", "4"]);
    assert.equal(await card.locator("polyline.best").getAttribute("data-trial"), "6");
    assert.match(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), /^width, minimum/);
    await card.getByRole("button", {name: "Show all"}).click();

    // Another file is damaged: it says so, and nothing else breaks.
    writeFileSync(join(own, "bad.jsonl"), `${settings}\n["1","no"]\n`);
    await card.getByLabel("Search file").locator("option", {hasText: "bad"}).waitFor({...wait_for, state: "attached"});
    await card.getByLabel("Search file").selectOption("bad.jsonl");
    await card.locator("p", {hasText: /^file 'bad.jsonl', byte \d+: expected a number, found 'no'$/}).waitFor(wait_for);
    assert.equal(await card.locator(".parallel").isVisible(), false);
    await card.getByLabel("Search file").selectOption("search.jsonl");
    await row(4).waitFor(wait_for);
    assert.equal(await card.locator("p", {hasText: /^file/}).count(), 0);
    await page.getByRole("tab", {name: "Runs"}).click();
    await page.locator("table.runs tr[data-run]").waitFor(wait_for);
    await close(page);
    await end(program);
    rmSync(own, {recursive: true, force: true});
});

test("pictures of it", {skip: !process.env.PICTURES}, async () => {
    for (const [name, options] of [["runs-dark", {}], ["runs-phone", {viewport: {width: 390, height: 844}, isMobile: true, hasTouch: true}]]) {
        const page = await open(served.address, options);
        await lines(chart(page, "accuracy")).nth(2).waitFor(wait_for);
        await page.waitForTimeout(500);
        await page.screenshot({path: `${process.env.PICTURES}/monitor-${name}.png`});
        await close(page);
    }
});

test("it ends when it is asked to, with 0", async () => {
    const program = await start(process.env.RUNS, folder, "--port", "0");
    for (const signal of ["SIGTERM", "SIGINT"]) {
        const other = signal === "SIGTERM" ? program : await start(process.env.RUNS, folder, "--port", "0");
        other.child.removeAllListeners("exit");
        const code = new Promise(resolve => other.child.on("exit", resolve));
        other.child.kill(signal);
        assert.equal(await code, 0);
    }
});

test("nothing was wrong in the browser's eyes", () => assert.deepEqual(problems, []));
