// SPDX-License-Identifier: BSL-1.0
// A real browser drives the page of a program that trains: every control, every panel, reload, two browsers, the program gone and back.
//     node --test tests/browser/page.test.mjs         with PROGRAM=<program that prints its address>, CHROMIUM=<browser>,
//                                                     PLAYWRIGHT=<folder of playwright-core>, PICTURES=<folder, optional>
import assert from "node:assert/strict";
import {mkdtempSync, rmSync} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";
import node_test, {after, afterEach, before} from "node:test";
import {pathToFileURL} from "node:url";
import {close_all, end, start as start_program} from "./program.mjs";

const {chromium} = await import(pathToFileURL(`${process.env.PLAYWRIGHT}/index.mjs`));
const wait_for = {timeout: 20000};

/// A test that does not end fails, and the others are still run.
const test = (name, ...rest) => node_test(name, {timeout: 120000, ...(rest.length > 1 ? rest[0] : {})}, rest.at(-1));

const folder = mkdtempSync(join(tmpdir(), "sigma-page-"));
let started = 0;

/// The program, with a folder of runs of its own.
const start = async (port = 0, token = "") => ({token, ...await start_program(process.env.PROGRAM, String(port), join(folder, String(++started)), token)});
/// A test that has failed leaves the next what it needs.
async function put_right() {
    const {child, token} = served, has_ended = child.exitCode !== null || child.signalCode !== null;
    if (!has_ended && !token) return;
    if (!has_ended) await end(served);
    served = await start();
}

let browser, served;
const problems = [];
before(async () => {
    served = await start();
    browser = await chromium.launch({executablePath: process.env.CHROMIUM, args: ["--no-sandbox", "--disable-gpu"]});
});
after(async () => {
    await browser?.close();
    if (served) await end(served);
    rmSync(folder, {recursive: true, force: true});
});

afterEach(() => close_all(browser));

async function open(options = {}, tab_name = null) {
    await put_right();
    // The program keeps what a test before has arranged.
    await fetch(`${served.address}api/arrangement`, {method: "POST", headers: {"Content-Type": "application/json"}, body: '{"arrangement":null}'});
    const context = await browser.newContext({viewport: {width: 1400, height: 900}, colorScheme: "dark", ...options}), page = await context.newPage();
    page.on("pageerror", error => problems.push(error.stack));
    page.on("console", message => { if (message.type() === "error" && !/ERR_CONNECTION|WebSocket|Failed to load resource/.test(message.text())) problems.push(message.text()); });
    await page.goto(served.address);
    await page.waitForSelector(".card", wait_for);
    if (tab_name) await tab(page, tab_name);
    return page;
}
const close = page => page.context().close();
const pill = page => page.locator("header .pill");
const state_becomes = (page, word) => page.waitForFunction(w => document.querySelector("header .pill").textContent === w && !document.querySelector("header .pending"), word, wait_for);
const iteration = async page => Number((await page.locator("header .facts").innerText()).match(/iteration ([\d\u202f]+)/)[1].replaceAll("\u202f", ""));
const tab = (page, name) => page.getByRole("tab", {name}).click();
const panel = (page, kind, which = 0) => page.locator(`[data-kind="${kind}"]:not(.away)`).nth(which);
/// Until what is there is something else.
const changes = async (page, locator, read = one => one.innerText()) => {
    const before = await read(locator);
    for (let i = 0; i < 400 && await read(locator) === before; ++i) await page.waitForTimeout(50);
    assert.notEqual(await read(locator), before);
};
/// The bytes of a file that the page gives.
async function saved(page, work) {
    const coming = page.waitForEvent("download", wait_for);
    await work();
    const parts = [];
    for await (const part of await (await coming).createReadStream()) parts.push(part);
    return Buffer.concat(parts);
}
/// Where it is; a chart may be drawn anew just then.
async function place_of(locator) {
    for (;;) {
        const box = await locator.boundingBox(wait_for);
        if (box) return box;
    }
}
/// A line downwards, as a 1 is drawn.
async function stroke(page, canvas) {
    await canvas.scrollIntoViewIfNeeded();
    const box = await place_of(canvas);
    await page.mouse.move(box.x + box.width / 2, box.y + box.height * 0.2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height * 0.8, {steps: 12});
    await page.mouse.up();
}
const painted = canvas => canvas.evaluate(c => c.toDataURL());
async function running(page) {
    await page.waitForFunction(() => ["running", "paused", "idle", "stopped", "failed"].includes(document.querySelector("header .pill").textContent), null, wait_for);
    if (await pill(page).textContent() !== "running") await page.locator('[data-command="resume"]', {hasText: "Run"}).click();
    await state_becomes(page, "running");
}

test("the commands are obeyed and acknowledged", async () => {
    const page = await open();
    await running(page);
    await page.locator('[data-command="resume"]', {hasText: "Pause"}).click();
    await state_becomes(page, "paused");
    await page.locator(".toast.good", {hasText: "paused"}).waitFor(wait_for);
    const at = await iteration(page);
    await page.waitForTimeout(300);
    assert.equal(await iteration(page), at);
    await page.locator('[data-command="step"]').click();
    await page.waitForFunction(n => document.querySelector("header .facts").innerText.replaceAll("\u202f", "").includes(`iteration ${n}`), at + 1, wait_for);
    // A step is a run of one iteration: the page may have seen it go on, and its button says Pause meanwhile.
    await state_becomes(page, "paused");
    await page.locator('[data-command="resume"]', {hasText: "Run"}).click();
    await state_becomes(page, "running");
    await page.keyboard.press(" ");
    await state_becomes(page, "paused");
    await page.keyboard.press(" ");
    await state_becomes(page, "running");
    await close(page);
});

test("a button sends what it says, though the run has changed since", async () => {
    const page = await open();
    await running(page);
    const asked = [];
    page.on("request", request => { if (request.url().endsWith("/api/commands")) asked.push(request.postDataJSON().command); });
    // What another browser does between two messages of the stream: this page is not told yet.
    await page.evaluate(() => {
        const button = document.querySelector('[data-command="resume"]');
        return fetch("/api/commands", {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify({trainer: "digits", command: "pause"})})
            .then(() => { if (button.textContent === "Pause") button.click(); });
    });
    await state_becomes(page, "paused");
    await page.waitForTimeout(500);
    assert.ok(!asked.includes("resume"), `it sent ${asked}`);
    await running(page);
    await close(page);
});

test("a run is stopped, starts again, and is taken back to its beginning", async () => {
    const page = await open();
    await running(page);
    await page.waitForTimeout(300);
    await page.locator('[data-command="stop"]').click();
    await state_becomes(page, "stopped");
    await page.locator(".toast.good", {hasText: "is stopped"}).waitFor(wait_for);
    const at = await iteration(page);
    assert.ok(at > 0);
    assert.ok(await page.locator('[data-command="step"]').isDisabled());
    await page.locator('[data-command="resume"]', {hasText: "Run"}).click();  // start
    await state_becomes(page, "running");
    await page.locator('[data-command="resume"]', {hasText: "Pause"}).click();
    await state_becomes(page, "paused");
    assert.ok(await iteration(page) >= at);
    await page.locator('[data-command="rewind"]').click();
    await page.locator("dialog").getByRole("button", {name: "Rewind"}).click();
    await page.locator(".toast.good", {hasText: "beginning"}).waitFor(wait_for);
    await page.waitForFunction(n => Number(document.querySelector("header .facts").innerText.match(/iteration ([\d\u202f]+)/)[1].replaceAll("\u202f", "")) <= n, at, wait_for);
    await running(page);
    await close(page);
});

test("a checkpoint is saved and loaded, and a refused command says why", async () => {
    const page = await open();
    await running(page);
    for (const [word, file, shown] of [["save", "a.sigma", ".toast.good"], ["load", "nowhere.sigma", ".toast.bad"]]) {
        await page.locator(`[data-command="${word}"]`).click();
        await page.locator("dialog input").fill(file);
        await page.locator("dialog button.main").click();
        await page.locator(shown).first().waitFor(wait_for);
    }
    assert.match(await page.locator(".toast.bad").first().innerText(), /nowhere\.sigma/);
    await close(page);
});

test("charts draw what comes, and a reload shows the history so far", async () => {
    const page = await open();
    await running(page);
    const chart = panel(page, "chart");
    await chart.locator("canvas").first().waitFor(wait_for);
    const value = () => chart.locator(".legend b").first().innerText();
    const first = await value();
    await page.waitForFunction(v => document.querySelector('[data-kind="chart"] .legend b').textContent !== v, first, wait_for);
    await page.reload();
    await panel(page, "chart").locator("canvas").first().waitFor(wait_for);
    await page.waitForFunction(() => document.querySelector('[data-kind="chart"] .legend b').textContent !== "–", null, wait_for);
    await close(page);
});

test("a chart is zoomed, smoothed, logarithmic, and leaves as CSV and PNG", async () => {
    const page = await open();
    const chart = panel(page, "chart"), over = chart.locator(".u-over");
    await over.waitFor(wait_for);
    await chart.getByRole("button", {name: "log y"}).click();
    assert.equal(await chart.getByRole("button", {name: "log y"}).getAttribute("aria-pressed"), "true");
    await chart.locator('input[type="range"]').fill("0.9");
    const box = await place_of(over);
    await page.mouse.move(box.x + box.width * 0.3, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.6, box.y + 60, {steps: 6});
    await page.mouse.up();
    await chart.getByRole("button", {name: "whole run"}).click(wait_for);
    await chart.hover();
    for (const [name, beginning] of [[/as CSV/, "iteration,"], [/as PNG/, "\x89PNG"]]) {
        const file = await saved(page, () => chart.getByRole("button", {name}).click());
        assert.ok(file.toString("latin1").startsWith(beginning));
    }
    await close(page);
});

/// A history of 3000 points, of which as many are one as are too many; their last is exact.
const told = (points, from, to) => {
    const size = Math.max(1, Math.ceil((to - from + 1) / points)), answer = {name: "loss", x: [], y: [], seconds: [], low: [], high: [], last: 0.0658};
    for (let x = from; x <= to; x += size) {
        const end = Math.min(to, x + size - 1);
        answer.x.push(end);
        answer.y.push(0.5);
        answer.seconds.push(end / 100);
        answer.low.push(size > 1 ? 0.25 : 0.5);
        answer.high.push(size > 1 ? 0.75 : 0.5);
    }
    if (size === 1) { delete answer.low; delete answer.high; }
    return answer;
};
/// A page whose charts of the loss show that, and get nothing by the stream.
async function open_told(options, length = 3000) {
    const page = await open(options), asked = [];
    await page.route("**/api/history?*", route => {
        const values = new URL(route.request().url()).searchParams;
        if (values.get("name") !== "loss") return route.fulfill({json: {name: values.get("name"), x: [], y: [], seconds: []}});
        asked.push(Object.fromEntries(values));
        const inside = (name, otherwise) => values.has(name) ? Math.min(length, Math.max(1, Number(values.get(name)))) : otherwise;
        return route.fulfill({json: told(Number(values.get("points")), inside("from", 1), inside("to", length))});
    });
    await page.routeWebSocket("**/api/stream", socket => {
        const server = socket.connectToServer();
        server.onMessage(text => { if (JSON.parse(text).type !== "points") socket.send(text); });
    });
    await page.reload();
    await panel(page, "chart").locator(".u-over").waitFor(wait_for);
    return {page, asked, chart: panel(page, "chart")};
}

test("a chart is zoomed and moved by buttons, and its files have what is seen", async () => {
    const {page, asked, chart} = await open_told(), button = name => chart.getByRole("button", {name});
    await page.waitForFunction(() => document.querySelector('[data-kind="chart"] .legend b').textContent !== "–", null, wait_for);
    assert.equal(await chart.locator(".legend b").first().innerText(), "0.0658");  // not the mean of the last points
    const lines = async () => (await saved(page, () => button(/as CSV/).click())).toString().trim().split("\n");
    await button(/^Zoom in/).focus();
    await page.keyboard.press("Enter");
    while (!asked.at(-1).from) await page.waitForTimeout(20);
    assert.deepEqual([asked.at(-1).from, asked.at(-1).to], ["500", "2500"]);
    await button(/^Earlier/).click();
    while (asked.at(-1).from !== "0") await page.waitForTimeout(20);
    assert.equal(asked.at(-1).to, "2000");
    const part = await lines();
    assert.deepEqual([part[0], part[1], part.length], ["iteration,loss,error", "1,0.5,", 2001]);
    for (let i = 0; i < 3; ++i) await button(/^Later/).click();
    while (asked.at(-1).to !== "3000") await page.waitForTimeout(20);
    await button(/^Show all/).click();
    while (asked.at(-1).from) await page.waitForTimeout(20);
    assert.equal(await button("whole run").isVisible(), false);
    await chart.getByLabel("Axis").selectOption("time");
    assert.match((await lines())[0], /^seconds,loss,/);
    await chart.getByLabel("Axis").selectOption("iteration");
    // Merged points say so.
    await page.route("**/api/history?*points=10000*", route => route.fulfill({json: /name=loss/.test(route.request().url()) ? told(1000, 1, 3000) : {x: [], y: [], seconds: []}}));
    const merged = await lines();
    assert.deepEqual(merged.slice(0, 2), ["iteration,loss,loss low,loss high,error", "3,0.5,0.25,0.75,"]);
    await chart.locator('input[type="range"]').fill("0.9");
    await chart.locator(".u-over").hover();
    await page.waitForFunction(() => document.querySelector('[data-kind="chart"] .legend b').textContent === "~0.5", null, wait_for);
    assert.equal(await chart.locator(".legend b").first().getAttribute("title"), "smoothed");
    await close(page);
});

test("a saved picture has a title, the axis' name and a legend", async () => {
    const {page, chart} = await open_told();
    const seen = await chart.locator("canvas").first().evaluate(canvas => [canvas.width, canvas.height]);
    const file = await saved(page, () => chart.getByRole("button", {name: /as PNG/}).click());
    assert.equal(file.readUInt32BE(16), seen[0]);
    assert.ok(file.readUInt32BE(20) >= seen[1] + 70, `${file.readUInt32BE(20)} pixels of height`);
    // How many pixels have a colour, above the plot and below it.
    const counts = await page.evaluate(async ([bytes, height]) => {
        const picture = await createImageBitmap(new Blob([new Uint8Array(bytes)])), canvas = new OffscreenCanvas(picture.width, picture.height), to = canvas.getContext("2d");
        to.drawImage(picture, 0, 0);
        const count = (name, top, tall) => {
            const wanted = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).match(/[0-9a-f]{2}/g).map(part => Number.parseInt(part, 16));
            const {data} = to.getImageData(0, top, picture.width, tall);
            let found = 0;
            for (let i = 0; i < data.length; i += 4) if (wanted.every((part, k) => Math.abs(part - data[i + k]) < 12)) ++found;
            return found;
        };
        const below = 36 + height, rest = picture.height - below;
        return {title: count("text", 0, 36), axis: count("dim", below, 20), first: count("series-1", below, rest), second: count("series-2", below, rest), third: count("series-3", below, rest),
                back: count("card", 0, 36)};
    }, [[...file], seen[1]]);
    assert.ok(counts.title > 30 && counts.axis > 10 && counts.first > 15 && counts.second > 15 && counts.third === 0 && counts.back > 1000, JSON.stringify(counts));
    await close(page);
});

test("a logarithmic axis shows what there is, and merged points are a line in a band", async () => {
    const {page, chart} = await open_told();
    /// The first and the last column of the picture that have the line's colour, as shares of it, and how many rows it takes.
    const drawn = () => chart.locator("canvas").first().evaluate(canvas => {
        const wanted = [0x6e, 0xa0, 0xff], {width, height, data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height), columns = [], rows = [];  // a band is of the same colour, but faint
        for (let y = 0; y < height; ++y) for (let x = 0; x < width; ++x) if (data[4 * (y * width + x) + 3] > 160 && wanted.every((part, k) => Math.abs(part - data[4 * (y * width + x) + k]) < 12)) { columns.push(x); rows.push(y); }
        return {left: columns.reduce((a, b) => Math.min(a, b)) / width, right: columns.reduce((a, b) => Math.max(a, b)) / width, tall: rows.at(-1) - rows[0]};
    });
    await page.waitForTimeout(300);
    const {tall} = await drawn();
    assert.ok(tall <= 4, `the means of merged points are a straight line, and not ${tall} high`);
    await chart.getByRole("button", {name: "log x"}).click();
    await chart.getByRole("button", {name: /^Zoom in/}).click();
    await chart.getByRole("button", {name: "whole run"}).waitFor(wait_for);
    await page.waitForTimeout(500);
    const {left, right} = await drawn();
    assert.ok(left < 0.1 && right > 0.94, `the line is drawn from ${left} to ${right} of the width`);
    await close(page);
});

test("a value is changed while the run goes on, and a wrong one is refused in the program's words", async () => {
    const page = await open(), other = await open();
    for (const one of [page, other]) await tab(one, "Parameters");
    const field = one => one.locator('[data-name="optimizer.learning_rate"]');
    const box = one => field(one).locator('input[type="text"]');
    await box(page).waitFor(wait_for);
    await box(page).fill("0.0125");
    await box(page).press("Enter");
    // the other browser sees it
    await other.waitForFunction(() => document.querySelector('[data-name="optimizer.learning_rate"] input[type="text"]')?.value === "0.0125", null, wait_for);
    await box(page).fill("-1");
    await box(page).press("Enter");
    await field(page).locator(".why").waitFor(wait_for);
    assert.match(await field(page).locator(".why").innerText(), /expected .*found/);
    await box(page).press("Escape");
    await box(page).fill("0.001");
    await box(page).press("Enter");
    await close(other);
    await close(page);
});

test("a text that is typed is sent when it is left, or put back", async () => {
    const page = await open({}, "Parameters");
    // The panel of the moves' mode as one where nothing is chosen from.
    await page.route("**/api/panels", async route => {
        const answer = await route.fetch(), panels = await answer.json();
        for (const one of panels) if (one.kind === "parameters" && one.fields?.mode) delete one.fields;
        await route.fulfill({response: answer, json: panels});
    });
    await page.reload();
    const field = page.locator('[data-name="mode"]'), text = field.locator('input[type="text"]');
    const mode = () => page.evaluate(() => fetch("/api/registry?trainer=moves&pattern=mode").then(answer => answer.json())).then(([{text}]) => text);
    await text.waitFor(wait_for);
    const before = await mode();
    await text.fill("half typed");
    assert.match(await field.getAttribute("class"), /pending/);
    await page.waitForTimeout(700);  // longer than until the next look
    assert.equal(await text.inputValue(), "half typed");
    await text.press("Escape");
    assert.equal(await text.inputValue(), before);
    assert.equal(await mode(), before);
    await text.fill("left");
    await text.press("Tab");
    await page.locator('[data-name="mode"].done').waitFor(wait_for);
    assert.equal(await mode(), "left");
    await text.fill(before);
    await text.press("Enter");
    await page.waitForFunction(() => document.querySelector('[data-name="mode"].done'), null, wait_for);
    // What is no decimal number is not made one, and the refusal quotes it.
    const rate = page.locator('[data-name="optimizer.learning_rate"]'), number = rate.locator('input[type="text"]');
    for (const typed of ["1e999", "0x10", ""]) {
        await number.fill(typed);
        await number.press("Enter");
        await page.waitForFunction(wanted => document.querySelector('[data-name="optimizer.learning_rate"].refused .why')?.textContent.endsWith(`found "${wanted}"`), typed, wait_for);
        await number.press("Escape");
        assert.notEqual(await number.inputValue(), typed);
    }
    await close(page);
});

test("a value is set on its slider, and chosen from a list", async () => {
    const page = await open({}, "Parameters"), field = page.locator('[data-name="optimizer.learning_rate"]');
    const slider = field.locator('input[type="range"]'), box = field.locator('input[type="text"]');
    await slider.waitFor(wait_for);
    await slider.fill("0.5");  // between 1e-5 and 1 in logarithms: 10^-2.5
    await page.waitForFunction(() => document.querySelector('[data-name="optimizer.learning_rate"] input[type="text"]').value === "0.00316", null, wait_for);
    const {number} = (await page.evaluate(() => fetch("/api/registry?pattern=optimizer.learning_rate").then(answer => answer.json())))[0];
    assert.equal(number, 0.00316);
    await box.fill("0.001");
    await box.press("Enter");
    const mode = page.locator('[data-name="mode"] select');
    await mode.waitFor(wait_for);
    await mode.selectOption("cold");
    await page.locator('[data-name="mode"].done').waitFor(wait_for);
    assert.equal((await page.evaluate(() => fetch("/api/registry?trainer=moves&pattern=mode").then(answer => answer.json())))[0].text, "cold");
    const on = page.locator('[data-name="on"] input[type="checkbox"]');
    assert.equal(await on.isChecked(), true);
    await on.click();
    await page.locator('[data-name="on"].done').waitFor(wait_for);
    assert.equal(await on.isChecked(), false);
    // A number that is none is still set as a number.
    const none = page.locator('[data-name="none"] input[type="text"]');
    assert.equal(await none.inputValue(), "nan");
    await none.fill("2.5");
    await none.press("Enter");
    await page.locator('[data-name="none"].done').waitFor(wait_for);
    await close(page);
});

test("records, bars, rankings and all trainers are shown live", async () => {
    const page = await open();
    await running(page);
    const table = panel(page, "table");
    await table.locator("td canvas").first().waitFor(wait_for);
    assert.equal(await table.locator("tr").count(), 13);
    await changes(page, table.locator("table"));
    const column = i => table.locator(`tr td:nth-child(${i})`).allInnerTexts();
    await table.getByRole("button", {name: "probability"}).click();
    await page.waitForFunction(() => {
        const shares = [...document.querySelectorAll('[data-kind="table"] tr td:last-child')].slice(0, 12).map(cell => Number(cell.textContent));
        return shares.every((share, i) => i === 0 || shares[i - 1] <= share);
    }, null, wait_for);
    assert.equal((await column(1)).length, 12);
    await changes(page, panel(page, "ranked").locator(".bars"));
    assert.equal(await panel(page, "ranked").locator(".bars .first").count(), 2);
    await changes(page, panel(page, "bars").locator(".bars"));
    const row = page.locator('[data-trainer="digits"]');
    await changes(page, row);
    await row.getByRole("button", {name: "Pause digits"}).click();
    await state_becomes(page, "paused");
    await row.getByRole("button", {name: "Run digits"}).click();
    await state_becomes(page, "running");
    await page.locator('[data-trainer="moves"]').getByRole("button", {name: "moves", exact: true}).click();
    await state_becomes(page, "idle");
    await page.locator('[data-trainer="digits"]').getByRole("button", {name: "digits", exact: true}).click();
    await state_becomes(page, "running");
    await tab(page, "Mine");  // the program's own
    await panel(page, "table").locator("td").first().waitFor(wait_for);
    assert.deepEqual(await panel(page, "table").locator("td").allInnerTexts(), ["1", "1", "2", "4", "three", "9"]);
    await tab(page, "Training");
    assert.ok(await panel(page, "picture").locator("canvas").evaluate(c => c.width === 4 && c.height === 4));
    await panel(page, "confusion").locator("td").first().waitFor(wait_for);
    await changes(page, panel(page, "confusion"));
    await panel(page, "tasks").waitFor(wait_for);
    await close(page);
});

test("weights, maximised inputs and histograms follow the run", async () => {
    const page = await open();
    await running(page);
    await tab(page, "Parameters");
    const weights = panel(page, "weights").locator("canvas");
    await weights.first().waitFor(wait_for);
    assert.equal(await weights.count(), 32);
    // Of all units, as one may rest: a relu that no record reaches, or at the small rate that a test before has left.
    await changes(page, weights, all => all.evaluateAll(each => each.map(one => one.toDataURL()).join()));
    const figures = panel(page, "maximised").locator("figure");
    await figures.first().waitFor({timeout: 60000});
    assert.equal(await figures.count(), 10);
    assert.match(await figures.nth(7).innerText(), /^7 · [\d.]+ %$/);
    for (const which of [0, 1]) {
        const histogram = panel(page, "histogram", which);
        await changes(page, histogram.locator("canvas"), painted);
        assert.equal(await histogram.locator("option").count(), 3);
        const range = histogram.locator("p").filter({hasText: /iterations/}), since = async () => /iterations (.+) to/.exec(await range.innerText())[1];
        const first = await since();
        await page.reload();
        await range.waitFor();
        assert.equal(await since(), first, "the run's distributions are kept by the server");
    }
    await close(page);
});

test("distributions are also ridges, which the browser remembers", async () => {
    const page = await open({}, "Parameters"), histogram = panel(page, "histogram"), ridges = histogram.getByRole("button", {name: "ridges"}), range = histogram.locator("p").filter({hasText: /iterations/});
    await running(page);
    await range.waitFor(wait_for);
    assert.match(await range.innerText(), /bars:/);
    const bars = await painted(histogram.locator("canvas"));
    await ridges.click();
    assert.doesNotMatch(await range.innerText(), /bars:/);
    assert.notEqual(await painted(histogram.locator("canvas")), bars);
    await page.reload();
    await range.waitFor(wait_for);
    assert.equal(await ridges.getAttribute("aria-pressed"), "true");
    assert.doesNotMatch(await range.innerText(), /bars:/);
    await close(page);
});

test("tic-tac-toe is played to its end", async () => {
    const page = await open(), game = panel(page, "tic_tac_toe");
    await game.getByRole("button", {name: "Network starts"}).click();
    for (let i = 0; i < 5; ++i) {
        await page.waitForFunction(() => !/thinking/.test(document.querySelector('[data-kind="tic_tac_toe"] [role="status"]').textContent), null, wait_for);
        if (/won|draw/.test(await game.locator('[role="status"]').innerText())) break;
        await game.locator('[role="gridcell"][aria-disabled="false"]').first().click();
    }
    assert.match(await game.locator('[role="status"]').innerText(), /won|draw/);
    await close(page);
});

test("an answer to a game that is over is nobody's move", async () => {
    const page = await open(), game = panel(page, "tic_tac_toe"), fields = game.locator('[role="gridcell"]'), held = [];
    await fields.first().waitFor(wait_for);
    await page.route("**/api/predict", async route => {
        if (route.request().postDataJSON().input.length !== 9 || held.length === 2) return route.continue();
        held.push(() => route.fulfill({json: {output: [0, 0, 1]}}));
    });
    await fields.nth(0).click();
    while (!held.length) await page.waitForTimeout(20);
    await game.getByRole("button", {name: "You start"}).click();
    await fields.nth(4).click();
    while (held.length < 2) await page.waitForTimeout(20);
    const answered = page.waitForResponse(answer => answer.url().endsWith("/api/predict"), wait_for);
    await held[0]();  // of the game before: no field is taken, and it is not asked on
    await answered;
    await page.waitForTimeout(1000);
    assert.deepEqual(await fields.allInnerTexts(), ["", "", "", "", "×", "", "", "", ""]);
    assert.match(await game.locator('[role="status"]').innerText(), /thinking/);
    await held[1]();
    await page.waitForFunction(() => document.querySelector('[data-kind="tic_tac_toe"] [role="status"]').textContent === "Your move.", null, wait_for);
    assert.equal((await fields.allInnerTexts()).filter(Boolean).length, 2);
    await close(page);
});

test("who is told to ask later does so, and nothing is shown of it", async () => {
    const page = await open({}, "Parameters"), times = [];
    await page.route("**/api/parameter?*", async route => {
        if (!route.request().url().includes("1-dense.weights") || !route.request().url().includes("values=1")) return route.continue();
        times.push(performance.now());
        if (times.length > 1) return route.continue();
        return route.fulfill({status: 429, headers: {"Retry-After": "2"}, json: {error: "questions: too many"}});
    });
    await page.reload();
    while (times.length < 2) {
        assert.doesNotMatch(await page.locator("body").innerText(), /too many/);
        await page.waitForTimeout(100);
    }
    assert.ok(times[1] - times[0] > 1900, `asked again after ${times[1] - times[0]} ms`);
    await panel(page, "weights").locator("canvas").first().waitFor(wait_for);
    await close(page);
});

test("of weights as many are asked for as one answer has", async () => {
    const page = await open({}, "Parameters"), asked = [];
    await page.route("**/api/panels", async route => {
        const answer = await route.fetch(), panels = await answer.json();
        for (const one of panels) if (one.kind === "weights") Object.assign(one, {rows: 200, columns: 100});
        await route.fulfill({response: answer, json: panels});
    });
    await page.route("**/api/parameter?*", async route => {
        const values = new URL(route.request().url()).searchParams;
        if (values.get("values") !== "1") return route.continue();
        asked.push([Number(values.get("columns")), Number(values.get("limit"))]);
        const units = Number(values.get("columns"));
        return route.fulfill({json: {shape: [20000, 32], low: 0, high: 1, counts: [1], values: Array.from({length: units * 20000}, (_, i) => i === units * 20000 - 1 ? 0 : 1)}});
    });
    await page.reload();
    const pictures = panel(page, "weights").locator("canvas");
    await pictures.first().waitFor(wait_for);
    assert.deepEqual(asked[0], [5, 100000]);  // of 20,000 numbers each
    assert.equal(await pictures.count(), 5);
    const last = which => pictures.nth(which).evaluate(c => c.getContext("2d").getImageData(99, 199, 1, 1).data[0]);
    assert.deepEqual([await last(0), await last(3), await last(4)], [255, 255, 0]);
    await close(page);
});

test("a digit is drawn and taken for something", async () => {
    const page = await open();
    const canvas = panel(page, "draw").locator("canvas");
    await stroke(page, canvas);
    await panel(page, "draw").locator(".bars .first").first().waitFor(wait_for);
    const shares = (await panel(page, "draw").locator(".bars .mono").allInnerTexts()).map(text => Number.parseFloat(text));
    assert.ok(Math.abs(shares.reduce((a, b) => a + b, 0) - 100) < 1, `probabilities are ${shares}`);
    await close(page);
});

test("the graph, the log and what else there is are there", async () => {
    const page = await open();
    await tab(page, "Network");
    await panel(page, "graph").locator("g.node").first().waitFor(wait_for);
    assert.ok(await panel(page, "graph").locator("g.node").count() >= 4);
    // Images and labels come from two files, and meet in the records.
    const texts = async which => (await panel(page, "graph").locator(which).allTextContents()).map(text => text.replace(/\s+/g, " "));
    assert.equal((await texts("g.data")).filter(text => /^source.*ubyte/.test(text)).length, 2);
    assert.equal((await texts("g.data")).filter(text => /^reader.*idx/.test(text)).length, 2);
    assert.equal((await texts("g.data")).filter(text => /^records/.test(text)).length, 1);
    assert.ok((await texts("g.data")).some(text => /^dataset.*mnist/.test(text)));
    const seen = () => panel(page, "graph").locator("svg").getAttribute("viewBox").then(box => box.split(" ").map(Number));
    const whole = await seen();
    await panel(page, "graph").hover();
    await panel(page, "graph").getByRole("button", {name: "Zoom in"}).click();
    const near = await seen();
    assert.ok(near[2] < whole[2]);
    const drag = async (from, dx, dy) => {
        await page.mouse.move(from.x, from.y);
        await page.mouse.down();
        await page.mouse.move(from.x + dx, from.y + dy, {steps: 4});
        await page.mouse.up();
    };
    // Between two nodes all of it is dragged, and a node where it is taken.
    const free = await panel(page, "graph").locator("svg").evaluate(svg => {
        const box = svg.getBoundingClientRect();
        for (let y = box.top + 5; y < Math.min(box.bottom, innerHeight) - 5; y += 7)
            for (let x = box.right - 60; x > box.left + 60; x -= 7)
                if (document.elementFromPoint(x, y) === svg) return {x, y};
        return null;
    });
    await drag(free, -40, 0);
    assert.ok((await seen())[0] > near[0]);
    await panel(page, "graph").getByRole("button", {name: "Show whole graph"}).click();
    assert.deepEqual(await seen(), whole);
    const node = panel(page, "graph").locator("g.node").first();
    const place = () => node.getAttribute("transform"), lines = () => panel(page, "graph").locator("svg > path").evaluateAll(all => all.map(one => one.getAttribute("d")));
    const [placed, drawn] = [await place(), await lines()], box = await place_of(node);
    await drag({x: box.x + box.width / 2, y: box.y + box.height / 2}, -30, 12);
    assert.notEqual(await place(), placed);
    assert.deepEqual(await seen(), whole);
    const changed = (await lines()).filter((d, i) => d !== drawn[i]).length;
    assert.ok(changed >= 1 && changed < drawn.length, `${changed} lines of ${drawn.length} went with the node`);
    await panel(page, "graph").getByRole("button", {name: "Show whole graph"}).click();
    assert.equal(await place(), placed);
    assert.deepEqual(await lines(), drawn);
    await tab(page, "Log");
    await panel(page, "log").locator(".log p").first().waitFor(wait_for);
    const search = panel(page, "log").locator('input[type="search"]');
    await search.fill("no message has these words");
    assert.equal(await panel(page, "log").locator(".log p").first().innerText(), "No messages");
    await search.fill("");
    await panel(page, "log").locator("select").selectOption("error");
    await page.waitForFunction(() => [...document.querySelectorAll(".log p")].every(line => !line.classList.contains("info")), null, wait_for);
    await panel(page, "log").locator("select").selectOption("info");
    const shown = await page.locator('nav [role="tab"]').count();
    for (let i = 0; i < shown; ++i) {
        await page.locator('nav [role="tab"]').nth(i).click();
        await page.waitForSelector(".card:not(.away)", wait_for);
    }
    await close(page);
});

test("nodes of the graph are dragged with the pointer, beyond the picture, and moved by keys", async () => {
    const page = await open({}, "Network"), graph = panel(page, "graph"), nodes = graph.locator("g.node");
    await nodes.first().waitFor(wait_for);
    const seen = () => graph.locator("svg").getAttribute("viewBox").then(box => box.split(" ").map(Number)), whole = await seen();
    const box = i => nodes.nth(i).locator("rect").boundingBox();
    const start_at = await box(3), x = start_at.x + 30, y = start_at.y + 10;
    await page.mouse.move(x, y);
    await page.mouse.down();
    // Far beyond the left edge and back: the node is where the pointer has it.
    await page.mouse.move(x - 3000, y, {steps: 3});
    await page.mouse.move(x - 330, y, {steps: 3});
    const now = await box(3);
    assert.ok(Math.abs(now.x - (start_at.x - 330)) < 1.5 && Math.abs(now.y - start_at.y) < 1.5, `at ${now.x}, ${now.y} and not at ${start_at.x - 330}, ${start_at.y}`);
    await page.mouse.up();
    assert.deepEqual(await seen(), whole);
    // Its line goes below both, within the picture.
    const ways = await graph.locator("svg > path").evaluateAll(all => all.map(one => one.getBBox()).map(({x, y, width, height}) => [x, y, x + width, y + height]));
    for (const [left, top, right, bottom] of ways) assert.ok(left >= 0 && top >= 0 && right <= whole[2] && bottom <= whole[3], `${[left, top, right, bottom]} in ${whole}`);
    const from = await box(4);
    await page.mouse.move(from.x + 30, from.y + 10);
    await page.mouse.down();
    await page.mouse.move(from.x + 30, from.y + 2000, {steps: 3});
    await page.mouse.up();
    const grown = await seen();
    assert.ok(grown[3] > whole[3] && grown[2] === whole[2], `${grown} after ${whole}`);
    await graph.getByRole("button", {name: "Show whole graph"}).click();
    assert.deepEqual(await seen(), whole);
    // One stop of the keyboard.
    assert.equal(await graph.locator('[data-node][tabindex="0"]').count(), 1);
    await graph.locator('[data-node][tabindex="0"]').focus();
    const active = () => page.evaluate(() => [document.activeElement.dataset.node, document.activeElement.getAttribute("transform")]);
    await page.keyboard.press("ArrowLeft");
    const [node, place] = await active();
    assert.equal(node, await graph.locator('[data-node][tabindex="0"]').getAttribute("data-node"));
    assert.notEqual(Number(node), 4 + await graph.locator("g.data").count());
    await page.keyboard.press("Shift+ArrowDown");
    const [same, moved] = await active();
    assert.equal(same, node);
    assert.notEqual(moved, place);
    assert.match(await graph.locator("p").innerText(), /Arrow keys/);
    await close(page);
});

test("what is arranged stays so", async () => {
    const page = await open();
    const first = await page.locator(".card").first().getAttribute("data-panel");
    await page.locator(".card").first().hover();
    await page.locator(".card").first().getByRole("button", {name: /^Move .* later$/}).click();
    assert.notEqual(await page.locator(".card").first().getAttribute("data-panel"), first);
    await page.locator(`[data-panel="${first}"]`).hover();
    await page.locator(`[data-panel="${first}"]`).getByRole("button", {name: /Hide/}).click();
    await page.reload();
    await page.waitForSelector(".card", wait_for);
    assert.equal(await page.locator(`[data-panel="${first}"]`).count(), 0);
    await page.getByRole("button", {name: /hidden/}).click();
    await page.locator(`[data-panel="${first}"]`).waitFor(wait_for);
    await page.keyboard.press("t");
    assert.equal(await page.locator("html").getAttribute("data-theme"), "light");
    await close(page);
});

test("another tab and another theme take nothing away, and what is not seen asks for nothing", async () => {
    const page = await open();
    await running(page);
    const canvas = panel(page, "draw").locator("canvas"), stones = () => panel(page, "tic_tac_toe").locator('[role="gridcell"]').allInnerTexts();
    await stroke(page, canvas);
    await panel(page, "tic_tac_toe").locator('[role="gridcell"]').first().click();
    await page.waitForFunction(() => document.querySelector('[data-kind="tic_tac_toe"] [role="status"]').textContent === "Your move.", null, wait_for);
    const scroll = panel(page, "table").locator(".scroll");
    await panel(page, "table").locator("td").first().waitFor(wait_for);
    await scroll.evaluate(place => { place.scrollTop = 40; });
    const [picture, board, down] = [await painted(canvas), await stones(), await page.evaluate(() => scrollY)];
    assert.ok(down > 0 && board.filter(Boolean).length === 2);
    const same = async () => {
        assert.equal(await painted(canvas), picture);
        assert.deepEqual(await stones(), board);
        assert.equal(await scroll.evaluate(place => place.scrollTop), 40);
        assert.equal(await page.evaluate(() => scrollY), down);
    };
    await page.keyboard.press("4");
    await panel(page, "log").locator('input[type="search"]').fill("no message has these words");
    const asked = [];
    await page.waitForTimeout(700);
    page.on("request", request => { if (/\/api\/(table|confusion|ranking|predict)/.test(request.url())) asked.push(request.url()); });
    await page.waitForTimeout(2500);
    assert.deepEqual(asked, []);
    await tab(page, "Training");
    await same();
    while (!asked.some(url => url.includes("table"))) await page.waitForTimeout(50);  // it goes on
    await page.keyboard.press("t");
    await same();
    await tab(page, "Log");
    assert.equal(await panel(page, "log").locator('input[type="search"]').inputValue(), "no message has these words");
    assert.equal(await page.locator(".card:visible").count(), 1);
    await close(page);
});

test("a chart is not told of while it is away, and has its zoom and the theme's colours when it is back; dragged nodes stay", async () => {
    const page = await open({}), chart = panel(page, "chart"), over = chart.locator(".u-over"), sent = [];
    page.on("websocket", socket => socket.on("framesent", frame => sent.push(JSON.parse(frame.payload))));
    await page.reload();
    await running(page);
    await over.waitFor(wait_for);
    const box = await place_of(over);
    await page.mouse.move(box.x + box.width * 0.3, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.6, box.y + 60, {steps: 6});
    await page.mouse.up();
    const whole = chart.getByRole("button", {name: "whole run"});
    await whole.waitFor(wait_for);
    sent.length = 0;
    await tab(page, "Network");
    const node = panel(page, "graph").locator("g.node").first();
    await node.waitFor(wait_for);
    while (!sent.some(one => one.unsubscribe?.series.includes("error"))) await page.waitForTimeout(50);
    const at = await place_of(node);
    await page.mouse.move(at.x + at.width / 2, at.y + at.height / 2);
    await page.mouse.down();
    await page.mouse.move(at.x + at.width / 2 + 30, at.y + at.height / 2 + 12, {steps: 4});
    await page.mouse.up();
    const placed = await node.getAttribute("transform");
    await page.keyboard.press("t");
    await tab(page, "Training");
    while (!sent.some(one => one.subscribe?.series.includes("error"))) await page.waitForTimeout(50);
    assert.ok(await whole.isVisible());
    const wanted = () => chart.locator("canvas").first().evaluate(canvas => {
        const [r, g, b] = getComputedStyle(document.documentElement).getPropertyValue("--series-2").match(/[0-9a-f]{2}/g).map(part => Number.parseInt(part, 16));
        const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        let count = 0;
        for (let i = 0; i < data.length; i += 4) if (Math.abs(data[i] - r) + Math.abs(data[i + 1] - g) + Math.abs(data[i + 2] - b) < 12) ++count;
        return count;
    });
    await chart.getByRole("button", {name: "whole run"}).click();
    for (let i = 0; i < 100 && await wanted() < 20; ++i) await page.waitForTimeout(50);
    assert.ok(await wanted() >= 20);
    await tab(page, "Network");
    await page.waitForTimeout(500);
    assert.equal(await node.getAttribute("transform"), placed);
    await close(page);
});

test("a tab has a window of its own, and both know what is arranged", async () => {
    const page = await open({}, "Network");
    await page.context().addInitScript(() => window.addEventListener("storage", event => { if (window.deaf) event.stopImmediatePropagation(); }));
    const coming = page.context().waitForEvent("page", wait_for);
    await page.getByRole("button", {name: "in a new window"}).click();
    const other = await coming;
    await panel(other, "graph").waitFor(wait_for);
    await tab(page, "Training");
    await page.waitForSelector('[data-kind="chart"]', wait_for);
    assert.equal(await other.getByRole("tab", {name: "Network"}).getAttribute("aria-selected"), "true");
    // The user shows what the other window has hidden, before the program tells this window of it: the last change counts.
    const hidden = n => other.waitForFunction(async wanted => (await (await fetch("/api/arrangement")).json()).arrangement?.hidden.length === wanted, n, wait_for);
    await page.route("**/api/arrangement", route => route.request().method() === "GET" ? route.abort() : route.continue());
    await panel(other, "graph").hover();
    await panel(other, "graph").getByRole("button", {name: /Hide/}).click();
    await hidden(1);
    await page.getByRole("button", {name: "Show 1 hidden"}).click(wait_for);
    await panel(other, "graph").waitFor(wait_for);
    await hidden(0);
    await page.unroute("**/api/arrangement");
    for (const name of ["Parameters", "Training"]) {
        await tab(page, name);
        await page.reload();
        await page.waitForSelector(".card", wait_for);
        assert.equal(await page.getByRole("tab", {name}).getAttribute("aria-selected"), "true");
    }
    // A window that has not heard yet which tab is open does not change it.
    await other.evaluate(() => { window.deaf = true; });
    await other.route("**/api/arrangement", route => route.abort());  // nor does the program tell it
    await tab(page, "Parameters");
    await panel(other, "graph").hover();
    await panel(other, "graph").getByRole("button", {name: /Hide/}).click();
    await page.getByRole("button", {name: "Show 1 hidden"}).waitFor(wait_for);
    await page.reload();
    await page.waitForSelector(".card", wait_for);
    assert.equal(await page.getByRole("tab", {name: "Parameters"}).getAttribute("aria-selected"), "true");
    await close(page);
});

test("a late answer to another window does not undo what the user has changed since", async () => {
    const page = await open({}, "Network");
    const coming = page.context().waitForEvent("page", wait_for);
    await page.getByRole("button", {name: "in a new window"}).click();
    const other = await coming;
    await panel(other, "graph").waitFor(wait_for);
    const hold = async (of, method) => {
        let release;
        const released = new Promise(resolve => { release = resolve; });
        const reached = new Promise(resolve => of.route("**/api/arrangement", async route => {
            if (route.request().method() !== method) return method === "GET" ? route.abort() : route.continue();
            const response = method === "GET" ? await route.fetch() : null;
            resolve();
            await released;
            return response ? route.fulfill({response}) : route.continue();
        }));
        return {reached, release};
    };
    const answer = await hold(other, "GET"), change = await hold(page, "POST");
    const arrangement = {tabs: [], of: {}, order: [], width: {}, hidden: ["graph-network"], own: []};  // by another browser
    await fetch(`${served.address}api/arrangement`, {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify({arrangement})});
    await answer.reached;
    await page.getByRole("button", {name: "Show 1 hidden"}).click(wait_for);
    await change.reached;
    answer.release();
    await page.waitForTimeout(300);
    change.release();
    for (let i = 0; i < 20; ++i) {
        await page.waitForTimeout(100);
        for (const one of [page, other]) await panel(one, "graph").waitFor(wait_for);
    }
    assert.deepEqual((await (await fetch(`${served.address}api/arrangement`)).json()).arrangement.hidden, []);
    await close(page);
});

test("the browser notifies of the end of a run, if the user wants it", async () => {
    const page = await open();
    await page.addInitScript(() => {
        window.Notification = class { static permission = "default"; static told = []; static async requestPermission() { return this.permission = "granted"; } constructor(text) { Notification.told.push(text); } };
    });
    await page.reload();
    await page.waitForSelector(".card", wait_for);
    const button = page.getByRole("button", {name: "Notify of the end of a run"});
    assert.equal(await button.getAttribute("aria-pressed"), "false");
    await button.click();
    await page.waitForSelector('[aria-label="Notify of the end of a run"][aria-pressed="true"]', wait_for);
    await running(page);
    await page.locator('[data-command="stop"]').click();
    await state_becomes(page, "stopped");
    await page.waitForFunction(() => Notification.told.some(text => text.startsWith("digits stopped")), null, wait_for);
    await button.click();
    await page.waitForSelector('[aria-label="Notify of the end of a run"][aria-pressed="false"]', wait_for);
    await close(page);
});

test("a warning of the program is shown, wherever one looks", async () => {
    const page = await open({}, "Network");
    await running(page);
    const warned = page.locator(".toast", {hasText: "served: the sky is falling"});
    await page.evaluate(() => fetch("/api/registry", {method: "POST", headers: {"Content-Type": "application/json"},
        body: JSON.stringify({trainer: "moves", name: "mode", value: "falling"})}));
    await warned.first().waitFor(wait_for);
    await close(page);
});

test("everything can be reached by the keyboard", async () => {
    const page = await open();
    const seen = new Set();
    for (let i = 0; i < 60; ++i) {
        await page.keyboard.press("Tab");
        seen.add(await page.evaluate(() => document.activeElement?.dataset?.command ?? document.activeElement?.getAttribute("role") ?? document.activeElement?.tagName));
    }
    for (const wanted of ["resume", "save", "tab"]) assert.ok(seen.has(wanted), `${wanted} is not among ${[...seen]}`);
    await page.locator('[role="tab"]').first().focus();  // keys in a field or a list are its own
    await page.keyboard.press("?");
    await page.locator("dialog").waitFor(wait_for);
    await page.keyboard.press("Escape");
    await close(page);
});

test("the focus stays with what is worked on", async () => {
    const page = await open(), focus = () => page.evaluate(() => document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent);
    const press = async (locator, key = "Enter") => { await locator.focus(); await page.keyboard.press(key); };
    const titles = () => page.locator(".card:not(.away)").evaluateAll(all => all.map(one => one.getAttribute("aria-label")));
    const field = panel(page, "tic_tac_toe").locator('[role="gridcell"]').nth(4);
    await press(field);
    await page.waitForFunction(() => document.querySelector('[data-kind="tic_tac_toe"] [role="status"]').textContent === "Your move.", null, wait_for);
    assert.equal(await focus(), "Field 5: you");
    for (const name of ["Change width of confusion", "Move confusion earlier", "Move confusion later"]) {
        await press(page.getByRole("button", {name}));
        assert.equal(await focus(), name);
    }
    const before = await titles();
    await press(page.getByRole("button", {name: "Hide confusion"}));
    const now = await titles();
    assert.ok(!now.includes("confusion"));
    assert.equal(await focus(), now[before.indexOf("confusion")]);
    await press(page.getByRole("button", {name: "Show 1 hidden"}));
    assert.equal(await focus(), "Training");
    await page.keyboard.press("ArrowRight");
    assert.equal(await focus(), "Parameters");
    await page.keyboard.press("ArrowLeft");
    // To another tab, without a mouse.
    await press(page.getByRole("button", {name: "Move confusion to a tab"}));
    await press(page.locator("dialog").getByRole("button", {name: "Network"}));
    await page.waitForFunction(() => document.activeElement.matches(".card"), null, wait_for);
    assert.ok(!(await titles()).includes("confusion"));
    await tab(page, "Network");
    assert.ok((await titles()).includes("confusion"));
    await close(page);
});

test("rewinding is asked for, and stopping by a key only where nothing has the focus", async () => {
    const page = await open(), asked = [], dialog = page.locator("dialog");
    page.on("request", request => { if (request.url().endsWith("/api/commands")) asked.push(request.postDataJSON().command); });
    await running(page);
    await page.locator("body").evaluate(() => document.activeElement.blur());
    asked.length = 0;
    await page.keyboard.press("r");
    await dialog.waitFor(wait_for);
    assert.match(await dialog.innerText(), /discards the trained parameters/);
    await page.keyboard.press("Escape");
    await dialog.waitFor({state: "detached", ...wait_for});
    await page.locator('[data-command="rewind"]').click();
    await dialog.getByRole("button", {name: "Cancel"}).click();
    await page.locator('[data-command="step"]').focus();
    await page.keyboard.press("x");
    await page.locator(".toast", {hasText: "no control has the focus"}).waitFor(wait_for);
    assert.deepEqual(asked, []);
    await page.keyboard.press("r");
    await dialog.waitFor(wait_for);
    await page.keyboard.press("Enter");
    await page.locator(".toast.good", {hasText: "beginning"}).waitFor(wait_for);
    assert.deepEqual(asked, ["rewind"]);
    await running(page);
    await page.locator("body").evaluate(() => document.activeElement.blur());
    await page.keyboard.press("x");
    await state_becomes(page, "stopped");
    await page.keyboard.press("s");  // nothing to step: it says so
    await page.locator(".toast", {hasText: "there is no run to step"}).waitFor(wait_for);
    await running(page);
    await close(page);
});

test("as many steps are made as the key was pressed", async () => {
    const page = await open();
    await running(page);
    await page.keyboard.press(" ");
    await state_becomes(page, "paused");
    await page.locator("body").evaluate(() => document.activeElement.blur());
    const at = await iteration(page);
    for (let i = 0; i < 12; ++i) await page.keyboard.press("s");
    await page.locator(".toast.good", {hasText: /took/}).waitFor(wait_for);
    await state_becomes(page, "paused");
    await page.waitForFunction(n => document.querySelector("header .facts").innerText.replaceAll("\u202f", "").includes(`iteration ${n}`), at + 12, wait_for);
    await running(page);
    await close(page);
});

test("names of files that were saved are offered, and a wrong one says why", async () => {
    const page = await open(), dialog = page.locator("dialog"), offered = () => dialog.locator("datalist option").evaluateAll(all => all.map(one => one.value));
    await running(page);
    const save = async file => {
        await page.locator('[data-command="save"]').click();
        await dialog.locator("input").fill(file);
        await dialog.locator("button.main").click();
    };
    for (const file of ["first.sigma", "second.sigma"]) {
        await save(file);
        await page.locator(".toast.good", {hasText: "saved"}).first().waitFor(wait_for);
        await page.waitForFunction(name => JSON.parse(localStorage.getItem("sigma.files") ?? "[]").includes(name), file, wait_for);
    }
    await save("a".repeat(120));
    await page.locator(".toast.bad", {hasText: "may have at most 100 letters"}).waitFor(wait_for);
    await save(" ");
    await dialog.locator(".why", {hasText: "Enter a name."}).waitFor(wait_for);
    await page.keyboard.press("Escape");
    await dialog.waitFor({state: "detached", ...wait_for});
    await page.reload();
    await page.waitForSelector(".card", wait_for);
    await running(page);
    await page.locator('[data-command="load"]').click();
    assert.deepEqual(await offered(), ["second.sigma", "first.sigma"]);
    assert.equal(await dialog.locator("input").inputValue(), "second.sigma");
    await page.keyboard.press("Escape");
    await close(page);
});

test("a small screen is left to the cards, and nothing sticks out of it", async () => {
    for (const [width, height, most] of [[390, 800, 110], [320, 640, 110], [800, 360, 80]]) {
        const page = await open({viewport: {width, height}, isMobile: true, hasTouch: true});
        await running(page);
        const tall = await page.locator("header").evaluate(head => head.offsetHeight);
        assert.ok(tall <= most, `${tall} of ${height}`);
        for (const name of ["Training", "Parameters", "Network", "Log"]) {
            await tab(page, name);
            await page.waitForTimeout(600);
            const out = await page.evaluate(() => [...document.querySelectorAll(".card:not(.away) input, .card:not(.away), header button, main")]
                .filter(one => one.getBoundingClientRect().right > innerWidth + 0.5).map(one => one.outerHTML.slice(0, 80)));
            assert.deepEqual(out, [], `${name} at ${width}`);
        }
        await close(page);
    }
});

test("what was shown stays when the program has gone", async () => {
    const page = await open();
    await running(page);
    await panel(page, "table").locator("td").first().waitFor(wait_for);
    await panel(page, "confusion").locator("td").first().waitFor(wait_for);
    await tab(page, "Log");
    await panel(page, "log").locator(".log p:not(.dim)").first().waitFor(wait_for);
    const lines = await panel(page, "log").locator(".log p").count();
    const port = Number(new URL(served.address).port);
    await end(served);
    await state_becomes(page, "not responding");
    await tab(page, "Training");
    assert.equal(await panel(page, "chart").getByText("No points yet").isVisible(), false);
    assert.ok(await panel(page, "chart").locator("canvas").first().isVisible());
    for (const kind of ["table", "confusion"]) assert.ok(await panel(page, kind).locator("td").count() > 10, kind);
    assert.match(await page.locator('[data-trainer="digits"]').innerText(), /not responding/);
    await tab(page, "Log");
    await page.waitForTimeout(500);
    assert.ok(await panel(page, "log").locator(".log p").count() >= lines);
    await tab(page, "Parameters");  // never seen before
    await panel(page, "weights").getByText("The program does not respond.").waitFor(wait_for);
    assert.doesNotMatch(await page.locator("main").evaluate(main => main.textContent), /Failed to fetch|No messages/);
    assert.doesNotMatch(await page.locator("main").innerText(), /running/);
    assert.match(await page.title(), /not responding/);
    served = await start(port);
    await running(page);
    await panel(page, "weights").locator("canvas").first().waitFor(wait_for);
    await close(page);
});

test("the program goes and comes back, and the page with it", async () => {
    const page = await open();
    await running(page);
    const port = Number(new URL(served.address).port);
    await end(served);
    await state_becomes(page, "not responding");
    served = await start(port);
    await running(page);
    await close(page);
});

test("a program that comes back with a token asks for it, once", async () => {
    const page = await open();
    await running(page);
    const port = Number(new URL(served.address).port);
    await end(served);
    await state_becomes(page, "not responding");
    served = await start(port, "a-token-of-some-length");
    const dialog = page.locator("dialog");
    await dialog.waitFor(wait_for);
    assert.equal(await dialog.count(), 1);
    await dialog.locator("input").fill("another-token-than-it");
    await dialog.getByRole("button", {name: "Enter"}).click();
    await page.waitForFunction(() => /wrong token/.test(document.querySelector("dialog p").textContent), null, wait_for);
    await dialog.locator("input").fill("a-token-of-some-length");
    await dialog.getByRole("button", {name: "Enter"}).click();
    await running(page);
    assert.equal(await dialog.count(), 0);
    await close(page);
    await end(served);
    served = await start();
});

test("a token can be given however often its dialog was left", async () => {
    const port = Number(new URL(served.address).port);
    await end(served);
    served = await start(port, "a-token-of-some-length");
    const context = await browser.newContext(), page = await context.newPage(), dialog = page.locator("dialog"), again = page.getByRole("button", {name: "Enter token"});
    await page.goto(served.address);
    for (let i = 0; i < 3; ++i) {
        await dialog.waitFor(wait_for);
        for (const name of ["resume", "step", "rewind", "stop", "save", "load"]) assert.ok(await page.locator(`[data-command="${name}"]`).isDisabled(), name);
        await page.keyboard.press("Escape");
        await page.keyboard.press("Escape");
        await dialog.waitFor({state: "detached", ...wait_for});
        await again.waitFor(wait_for);
        assert.equal(await pill(page).textContent(), "locked");
        await again.click();
    }
    await dialog.locator("input").fill("a-token-of-some-length");
    await page.keyboard.press("Enter");
    await running(page);
    assert.equal(await again.isVisible(), false);
    await close(page);
    await end(served);
    served = await start();
});

test("panels are asked for every three seconds at most", async () => {
    const page = await open();
    const times = [];
    page.on("request", request => { if (request.url().endsWith("/api/panels")) times.push(performance.now()); });
    await page.waitForTimeout(7500);
    assert.ok(times.length >= 1 && times.length <= 3, `${times.length} times`);
    await close(page);
});

/// Sets a value of the second trainer, as another program would.
const set = (page, name, value) => page.evaluate(([of, to]) => fetch("/api/registry", {method: "POST", headers: {"Content-Type": "application/json"},
    body: JSON.stringify({trainer: "moves", name: of, value: to})}).then(answer => answer.status), [name, value]);

test("a run that has failed says so, and why, until another begins", async () => {
    const page = await open();
    await running(page);
    await panel(page, "chart").locator("canvas").first().waitFor(wait_for);
    assert.equal(await page.locator("header .ending").isVisible(), false);
    assert.equal(await set(page, "mode", "failing"), 200);
    await state_becomes(page, "failed");
    assert.equal(await page.locator("header .ending").innerText(), "digits failed: the loss is infinite, as a test wanted it");
    assert.match(await page.title(), /digits · failed/);
    assert.match(await page.locator('[data-trainer="digits"]').innerText(), /failed: the loss is infinite/);
    const notes = panel(page, "chart").locator(".notes");
    await notes.getByText(/^failed: the loss is infinite, as a test wanted it, at iteration/).waitFor(wait_for);
    // A line over the whole chart, in the colour of what is bad.
    const marked = () => panel(page, "chart").locator("canvas").first().evaluate(canvas => {
        const bad = getComputedStyle(document.documentElement).getPropertyValue("--bad").match(/[0-9a-f]{2}/g).map(part => Number.parseInt(part, 16));
        const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        let count = 0;
        for (let i = 0; i < data.length; i += 4) if (bad.every((part, k) => Math.abs(part - data[i + k]) < 12)) ++count;
        return count;
    });
    assert.ok(await marked() > 100);
    // Who comes later sees it, and so does the folder of runs.
    await page.reload();
    await page.waitForSelector(".card", wait_for);
    await state_becomes(page, "failed");
    await tab(page, "Runs");
    await page.locator("tr[data-run] .pill.failed").waitFor(wait_for);
    assert.match(await page.locator("tr[data-run] .state").first().innerText(), /failed\s*the loss is infinite, as a test wanted it at/);
    await tab(page, "Training");
    await page.locator('[data-command="resume"]', {hasText: "Run"}).click();
    await state_becomes(page, "running");
    assert.equal(await page.locator("header .ending").isVisible(), false);
    assert.equal(await notes.isVisible(), false);
    await close(page);
});

test("a program that stands still is no answer within five seconds, and comes back", async () => {
    const page = await open();
    await running(page);
    served.child.kill("SIGSTOP");
    const began = performance.now();
    try {
        await state_becomes(page, "not responding");
        assert.ok(performance.now() - began < 5000, `${performance.now() - began} ms`);
        await page.waitForTimeout(4000);  // and is so as long as it stands, though the system takes connections
        assert.equal(await pill(page).textContent(), "not responding");
    } finally { served.child.kill("SIGCONT"); }
    await state_becomes(page, "running");
    await close(page);
});

test("numbers that are not finite leave marks, and what holds goes in stairs to the end", async () => {
    const page = await open({}, "Mine");
    await running(page);
    const chart = page.locator('[data-kind="chart"]:not(.away)', {hasText: "odd"});
    await chart.locator(".notes").getByText(/^odd: (nan|inf|-inf)/).waitFor(wait_for);
    await page.waitForFunction(() => /nan/.test(document.querySelector('[data-kind="chart"]:not(.away) .notes').textContent), null, {timeout: 60000});
    assert.match(await chart.locator(".plot").getAttribute("aria-label"), /^Chart of odd, latest (1|2|nan|inf|-inf); optimizer\.learning_rate, latest 0\.00\d+$/);
    // A rate that was set once is a line to the end of the run.
    const painted_at = share => chart.locator("canvas").first().evaluate((canvas, at) => {
        const {data} = canvas.getContext("2d").getImageData(Math.round(canvas.width * at), 0, 2, canvas.height);
        for (let i = 0; i < data.length; i += 4) if (data[i] - data[i + 2] > 40) return true;  // it is orange, and nothing else there is
        return false;
    }, share);
    for (const share of [0.4, 0.7, 0.85]) assert.ok(await painted_at(share), `at ${share}`);
    await close(page);
});

test("a text is not cut by being looked at or left, and one that a field cannot hold is not changed", async () => {
    const page = await open({}, "Parameters"), whole = `${"x".repeat(300)}the end`;
    await set(page, "story", whole);
    const story = page.locator('[data-name="story"] input'), lines = page.locator('[data-name="lines"] input');
    await page.waitForFunction(text => document.querySelector('[data-name="story"] input')?.value === text, whole, wait_for);
    const sent = [];
    page.on("request", request => { if (request.url().endsWith("/api/registry") && request.method() === "POST") sent.push(request.postDataJSON().value); });
    await story.focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("End");
    await page.keyboard.type("!");
    await page.keyboard.press("Enter");
    await page.locator('[data-name="story"].done').waitFor(wait_for);
    assert.deepEqual(sent, [`${whole}!`]);
    assert.equal(await story.inputValue(), `${whole}!`);
    assert.equal(await lines.evaluate(field => field.readOnly), true);
    await lines.focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    await page.waitForTimeout(700);
    assert.equal(sent.length, 1);
    await close(page);
});

test("an address of the program lets one browser in, once, and leaves nothing for other ports", async () => {
    const port = Number(new URL(served.address).port);
    await end(served);
    served = await start(port, "a-token-of-some-length");
    assert.match(served.link, /#ticket=[0-9a-f]{32}$/);
    const context = await browser.newContext(), page = await context.newPage();
    await page.goto(served.link);
    await running(page);
    assert.equal(await page.locator("dialog").count(), 0);
    assert.equal(page.url(), served.address);
    assert.deepEqual(await context.cookies(), []);
    assert.doesNotMatch(await page.evaluate(() => JSON.stringify({...localStorage})), /a-token-of-some-length/);
    await page.reload();
    await running(page);
    await close(page);
    const other = await browser.newContext(), late = await other.newPage();
    await late.goto(served.link);
    await late.locator("dialog").waitFor(wait_for);
    await other.close();
    await end(served);
    served = await start();
});

test("workers stand side by side while a run has some", async () => {
    await end(served);
    served = await start();
    const page = await open();
    assert.equal(await panel(page, "workers").count(), 0);
    await page.getByRole("button", {name: "Run moves"}).click();
    const card = panel(page, "workers"), rows = card.locator("tr[data-worker]");
    await rows.nth(2).waitFor(wait_for);
    assert.equal(await rows.count(), 3);
    assert.equal(await card.getAttribute("aria-label"), "workers of moves");
    assert.ok((await place_of(card)).y <= (await place_of(panel(page, "chart"))).y, "workers stand at the top");
    await page.waitForFunction(() => [...document.querySelectorAll('[data-kind="workers"] tr[data-worker="1"] td')].slice(2, 5).every(cell => Number(cell.textContent.replaceAll("\u202f", "")) > 0), null, wait_for);
    const cells = await rows.nth(0).locator("td").allInnerTexts();
    assert.match(cells[1], /^(trains|waits)$/);
    assert.match(cells[5].trim(), /^\d+\u202f%$/);
    assert.equal(cells[6], "cpu");
    await changes(page, rows.nth(0).locator("td").nth(2));
    if (process.env.PICTURES) await card.screenshot({path: join(process.env.PICTURES, "workers.png")});
    await end(served);
    served = await start();
    await close(page);
});

test("charts have one cursor, and tell where it is", async () => {
    const page = await open();
    await running(page);
    const charts = [0, 1].map(i => panel(page, "chart", i)), place = i => charts[i].locator(".legend .at"), at = async i => Number((await place(i).innerText()).match(/^iteration ([\d\u202f]+)$/)?.[1].replaceAll("\u202f", "") ?? NaN);
    for (const chart of charts) await chart.locator(".u-over").waitFor(wait_for);
    await page.waitForFunction(() => Number(document.querySelector("header .facts").innerText.match(/iteration ([\d\u202f]+)/)[1].replaceAll("\u202f", "")) > 1200, null, {timeout: 60000});
    await page.locator('[data-command="resume"]', {hasText: "Pause"}).click();
    await state_becomes(page, "paused");
    const last = await iteration(page), box = await place_of(charts[0].locator(".u-over"));
    await page.mouse.move(box.x + box.width / 2, box.y + 50);
    await page.waitForFunction(n => [...document.querySelectorAll('[data-kind="chart"]:not(.away) .legend .at')].every(one => Number(one.textContent.replace(/\D/g, "")) < n), 0.8 * last, wait_for);
    const [here, there] = [await at(0), await at(1)];
    assert.ok(Math.abs(here - last / 2) < 0.1 * last, `${here} of ${last}`);
    assert.ok(Math.abs(there - here) <= 300, `${there} beside ${here}`);  // an accuracy an epoch
    await page.mouse.move(5, 5);
    await page.waitForFunction(n => Number(document.querySelector('[data-kind="chart"]:not(.away) .legend .at').textContent.replace(/\D/g, "")) >= n - 1, last, wait_for);
    await running(page);
    await close(page);
});

test("a chart shows the newest part of a run, also after a reload, and a part that was selected can be followed", async () => {
    // So long that the run, whose end is the end of the window, cannot get there meanwhile.
    const {page, asked, chart} = await open_told({}, 3000000), range = chart.getByLabel(/^Range of/);
    await range.selectOption("1000");
    while (asked.at(-1).from !== "2999000") await page.waitForTimeout(20);
    assert.equal(asked.at(-1).to, undefined);
    await page.reload();
    await chart.locator(".u-over").waitFor(wait_for);
    assert.equal(await range.inputValue(), "1000");
    while (asked.at(-1).from !== "2999000") await page.waitForTimeout(20);
    await range.selectOption("");
    while (asked.at(-1).from) await page.waitForTimeout(20);
    await chart.getByRole("button", {name: /^Zoom in/}).click();
    while (asked.at(-1).from !== "500000") await page.waitForTimeout(20);
    assert.equal(await range.inputValue(), "part");
    await chart.getByRole("button", {name: "follow"}).click();
    while (asked.at(-1).from !== "1000000") await page.waitForTimeout(20);  // 2000000 of 3000000
    assert.equal(await range.inputValue(), "2000000");
    await close(page);
});

test("a change by hand and a checkpoint leave marks that say who made them", async () => {
    const page = await open();
    await running(page);
    const changes = panel(page, "chart").locator(".changes");
    await page.evaluate(() => fetch("/api/registry", {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify({trainer: "digits", name: "optimizer.learning_rate", value: 0.003})}));
    await changes.getByText(/^optimizer\.learning_rate \S+ → 0\.003 by 127\.0\.0\.1, at iteration/).waitFor({state: "attached", ...wait_for});
    await page.locator('[data-command="save"]').click();
    await page.locator("dialog input").fill("marked.sigma");
    await page.locator("dialog button.main").click();
    await changes.getByText(/^saved marked\.sigma by 127\.0\.0\.1, at iteration/).waitFor({state: "attached", ...wait_for});
    await page.reload();  // the program keeps them
    await changes.getByText(/→ 0\.003/).waitFor({state: "attached", ...wait_for});
    await changes.locator("summary").click();
    await changes.getByText(/^saved marked/).waitFor(wait_for);
    await page.evaluate(() => fetch("/api/registry", {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify({trainer: "digits", name: "optimizer.learning_rate", value: 0.001})}));
    await close(page);
});

test("the first view has the best value and two charts that fill the width, and nothing is beside a card that is higher", async () => {
    for (const [width, height] of [[1920, 1080], [1366, 768]]) {
        const page = await open({viewport: {width, height}});
        await running(page);
        await page.locator("header .best", {hasText: /^best accuracy 0\.\d+ at \d/}).waitFor({timeout: 60000});
        const [a, b] = [await place_of(panel(page, "chart", 0)), await place_of(panel(page, "chart", 1))];
        assert.ok(a.y === b.y && a.width + b.width > 0.95 * width, `${a.width} and ${b.width} of ${width}`);
        assert.ok(a.y + 300 < height, `the charts begin at ${a.y}`);
        await page.waitForTimeout(500);
        // No card covers another, and each is as high as its content.
        const odd = await page.evaluate(() => {
            const boxes = [...document.querySelectorAll(".card:not(.away)")].map(card => ({name: card.dataset.panel, box: card.getBoundingClientRect(), low: card.lastElementChild.lastElementChild?.getBoundingClientRect().bottom}));
            const over = boxes.flatMap((one, i) => boxes.slice(i + 1).filter(({box}) => box.left < one.box.right - 1 && box.right > one.box.left + 1 && box.top < one.box.bottom - 1 && box.bottom > one.box.top + 1).map(other => `${one.name} over ${other.name}`));
            return [...over, ...boxes.filter(({box, low}) => low && box.bottom - low > 60).map(({name}) => `${name} is empty below`)];
        });
        assert.deepEqual(odd, []);
        for (const name of ["Network", "Log"]) {
            await tab(page, name);
            await page.waitForTimeout(300);
            const box = await place_of(page.locator(".card:not(.away)").first());
            assert.ok(box.width > 0.95 * width && box.y + box.height > height - 40 && box.y + box.height <= height, `${name} ends at ${box.y + box.height} of ${height}`);
        }
        await close(page);
    }
});

test("a card is enlarged to the whole page, and Escape or the key brings it back", async () => {
    const page = await open();
    await running(page);
    const chart = panel(page, "chart"), before = await place_of(chart.locator(".u-over"));
    await chart.hover();
    await chart.getByRole("button", {name: /^Enlarge/}).click();
    await page.waitForFunction(tall => document.querySelector('[data-kind="chart"]:not(.away) .u-over').clientHeight > 1.5 * tall, before.height, wait_for);
    const box = await place_of(chart);
    assert.deepEqual([box.x, box.y, box.width, box.height], [0, 0, 1400, 900]);
    assert.equal(await page.locator("#head").evaluate(head => head.inert), true);
    await page.keyboard.press("Escape");
    await page.waitForFunction(tall => Math.abs(document.querySelector('[data-kind="chart"]:not(.away) .u-over').clientHeight - tall) < 2, before.height, wait_for);
    assert.equal(await page.locator("#head").evaluate(head => head.inert), false);
    await page.keyboard.press("f");
    assert.match(await chart.getAttribute("class"), /enlarged/);
    await page.keyboard.press("f");
    assert.doesNotMatch(await chart.getAttribute("class"), /enlarged/);
    await close(page);
});

test("what is arranged is kept with the run, for all browsers", async () => {
    const page = await open(), other = await open();
    const hidden = one => one.locator('[data-kind="confusion"]');
    await hidden(other).waitFor(wait_for);
    await hidden(page).hover();
    await hidden(page).getByRole("button", {name: "Hide confusion"}).click();
    await page.waitForFunction(() => document.querySelector('[data-kind="confusion"].away'), null, wait_for);
    await other.waitForFunction(() => document.querySelector('[data-kind="confusion"].away'), null, wait_for);
    const late = await (await browser.newContext({viewport: {width: 1400, height: 900}})).newPage();
    await late.goto(served.address);
    await late.getByRole("button", {name: "Show 1 hidden"}).click(wait_for);
    await hidden(late).waitFor(wait_for);
    await page.waitForFunction(() => document.querySelector('[data-kind="confusion"]:not(.away)'), null, wait_for);
    for (const one of [page, other, late]) await close(one);
});

test("a number is found, becomes a panel that is edited, kept and shared, and is removed", async () => {
    const page = await open();
    await running(page);
    const own = one => one.locator('[data-panel^="own-"]:not(.away)'), dialog = page.locator("dialog");
    await page.keyboard.press("/");
    await dialog.getByLabel("Search numbers").fill("digits rate");
    assert.equal(await dialog.locator(".found label").count(), 1);
    await page.keyboard.press("Enter");
    await own(page).locator(".u-over").waitFor(wait_for);
    assert.equal(await own(page).getAttribute("aria-label"), "optimizer.learning_rate");
    await own(page).hover();
    await own(page).getByRole("button", {name: /^Edit/}).click();
    await dialog.getByLabel("Title").fill("rate and loss");
    await dialog.getByLabel("Names, one per line").fill("optimizer.learning_rate\nloss");
    await dialog.getByRole("button", {name: "Save"}).click();
    await page.waitForFunction(() => document.querySelectorAll('[data-panel^="own-"] .legend button').length === 2, null, wait_for);
    await page.reload();
    await own(page).locator(".u-over").waitFor(wait_for);
    assert.equal(await own(page).getAttribute("aria-label"), "rate and loss");
    await page.getByRole("button", {name: "Share"}).click();
    const address = await dialog.getByLabel("Address").inputValue();
    await page.keyboard.press("Escape");
    // A control for a value of another trainer, and a search without a result.
    await page.keyboard.press("/");
    await dialog.getByLabel("Search numbers").fill("no such number");
    await dialog.getByText("No values match").waitFor(wait_for);
    assert.equal(await dialog.getByRole("button", {name: "Add chart"}).isDisabled(), true);
    await dialog.getByLabel("Search numbers").fill("moves mode");
    await dialog.locator(".found input").check();
    assert.equal(await dialog.getByRole("button", {name: "Add chart"}).isDisabled(), true);  // a text
    await dialog.getByRole("button", {name: "Add control"}).click();
    await page.locator('[data-panel^="own-"] [data-name="mode"] input').waitFor(wait_for);
    const other = await browser.newContext({viewport: {width: 1400, height: 900}}), late = await other.newPage();
    await late.goto(address);
    await own(late).locator(".u-over").waitFor(wait_for);
    assert.equal(await own(late).getAttribute("aria-label"), "rate and loss");  // without the control that came later
    assert.doesNotMatch(late.url(), /view=/);
    await late.waitForTimeout(600);
    assert.equal(await own(page).count(), 2);  // who looks at an address changes nobody's page
    await late.getByRole("button", {name: "Undo"}).click();
    await own(late).nth(1).waitFor(wait_for);
    await late.goto("about:blank");
    await late.goto(`${served.address}#view=nonsense`);
    await late.getByText("The address has no valid arrangement.").waitFor(wait_for);
    await other.close();
    await own(page).first().hover();
    await own(page).first().getByRole("button", {name: /^Edit/}).click();
    await dialog.getByRole("button", {name: "Remove panel"}).click();
    await page.waitForFunction(() => document.querySelectorAll('[data-panel^="own-"]').length === 1, null, wait_for);
    await close(page);
});

test("pictures of it", {skip: !process.env.PICTURES}, async () => {
    for (const [name, options] of [["wide-dark", {}], ["wide-light", {colorScheme: "light"}], ["phone-dark", {viewport: {width: 390, height: 844}, isMobile: true, hasTouch: true}],
                                   ["phone-light", {viewport: {width: 390, height: 844}, isMobile: true, hasTouch: true, colorScheme: "light"}]]) {
        const page = await open(options);
        await running(page);
        await page.waitForTimeout(3000);
        await page.screenshot({path: `${process.env.PICTURES}/monitor-${name}.png`});
        await close(page);
    }
});

test("nothing was wrong in the browser's eyes", () => assert.deepEqual(problems, []));
