// SPDX-License-Identifier: BSL-1.0
// A real browser shows every panel of the page of a program that trains.
//     node --test tests/browser/panels.test.mjs       with the variables of page_support.mjs
import assert from "node:assert/strict";
import {join} from "node:path";
import {changes, close, iteration, open, painted, panel, place_of, problems, run, running, saved, start, state_becomes, stroke, tab, test, wait_for} from "./page_support.mjs";
import {end} from "./program.mjs";

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

test("each layer has a row about its health, and what is wrong is said in words", async () => {
    const page = await open({}, "Health"), health = panel(page, "health"), rows = health.locator("table tr");
    await running(page);
    await page.waitForFunction(() => /\d/.test(document.querySelector('[data-kind="health"] tr:nth-child(2) td:nth-of-type(3)')?.textContent ?? ""), null, wait_for);
    assert.deepEqual(await rows.locator("th:first-child").allInnerTexts(), ["layer", "1-dense", "2-dense", "3-dense"]);
    assert.match(await rows.nth(1).locator("td").first().innerText(), /^[\d.]+$/);
    assert.ok(await rows.nth(1).locator("polyline").count() >= 3);
    await health.locator(".u-over").waitFor(wait_for);
    assert.deepEqual(await health.locator(".legend button span").allInnerTexts(), ["1-dense", "2-dense", "3-dense"]);
    assert.equal(await health.getByRole("button", {name: "log y"}).getAttribute("aria-pressed"), "true");
    await changes(page, rows.nth(1).locator("td").nth(1));
    const curve = y => ({series: "health.1-dense.dead", y, last: y.at(-1)});
    await page.route("**/api/health*", route => route.fulfill({json: {layers: [{name: "1-dense", kind: "dense", values: {dead: curve([1, 1, 1]), update: curve([0.2, 0.2, 0.2])}}]}}));
    await health.locator(".notes .failed").waitFor(wait_for);
    assert.deepEqual(await health.locator(".notes li").allInnerTexts(), ["A step changes 1-dense by 20 %: the learning rate may be too large.", "All units of 1-dense are dead: it does not learn.", "Help: A network does not learn"]);
    const help = await page.evaluate(async address => (await fetch(address)).text(), await health.getByRole("link").getAttribute("href"));
    assert.match(help, /^# A network does not learn/);
    await close(page);
});

test("the machine has a row for each number, and a profile has a flame graph and a table", async () => {
    const page = await open({}, "System"), card = panel(page, "system"), flame = card.locator(".flame");
    await running(page);
    await card.getByText("run: waits for data").waitFor(wait_for);
    await card.getByText("process: cores in use").waitFor(wait_for);
    assert.match(await card.locator("tr", {hasText: "process: resident memory"}).locator("td").first().innerText(), /^[\d.]+ [MG]B$/);
    assert.equal(await flame.count(), 0);
    await card.getByRole("button", {name: "Profile 100 steps"}).click();
    await flame.waitFor(wait_for);
    const step = flame.getByRole("button", {name: /^step, /}), width = async () => (await place_of(step)).width, before = await width();
    await step.click();
    assert.ok(await width() > 5 * before);
    assert.ok(await flame.getByRole("button", {name: /^1-dense, /}).isVisible());
    await flame.getByRole("button", {name: /^iteration, /}).click();
    assert.equal(Math.round(await width()), Math.round(before));
    const heads = await card.locator(".profile th").allInnerTexts();
    assert.deepEqual(heads, ["kernel", "layer", "part", "operation", "time", "share", "bytes", "of peak"]);
    assert.match(await card.locator(".profile tr").nth(1).innerText(), /1-dense/);
    assert.match(await card.locator(".profile p").first().innerText(), /^Mean of \d+ iterations of [\d.]+ ms on cpu/);
    await close(page);
});

test("a chosen record is seen in each layer", async () => {
    const page = await open({}, "Health"), card = panel(page, "activations"), layers = card.locator("section");
    await layers.first().waitFor(wait_for);
    assert.deepEqual(await layers.locator("h3").allInnerTexts(), ["0-input (28, 28)", "1-dense (32)", "2-dense (16)", "3-dense (10)"]);
    assert.match(await card.locator(".toolbar").innerText(), /target \d/);
    await changes(page, layers.first().locator("canvas"), async one => { await card.getByRole("button", {name: "Next record"}).click(); await page.waitForTimeout(1100); return painted(one); });
    await card.getByRole("spinbutton").fill("100000");
    await card.getByRole("spinbutton").press("Enter");
    await card.getByText(/expected an index below/).waitFor(wait_for);
    await close(page);
});

test("a cell of the confusion matrix opens its records, and a slider moves the threshold", async () => {
    const page = await open({}, "Predictions"), card = panel(page, "predictions"), records = card.locator(".records"), cells = card.locator("[data-cell]"), figures = records.locator("figure");
    await running(page);
    await cells.first().waitFor(wait_for);
    await page.locator('[data-command="resume"]', {hasText: "Pause"}).click();
    await state_becomes(page, "paused");
    await page.waitForTimeout(1500);  // predictions that are on their way
    const told = await page.evaluate(() => fetch("/api/predictions?panel=predictions").then(answer => answer.json())), wrong = told.rows.filter(([, target, found]) => target !== found);
    assert.equal(told.rows.length, 500);
    assert.match(await records.locator("h3").innerText(), new RegExp(`^Errors: ${wrong.length} of 500`));
    assert.equal(await figures.count(), Math.min(64, wrong.length));
    assert.match(await figures.first().innerText(), new RegExp(`^${wrong[0][1]} → ${wrong[0][2]}\\s*[\\d.]+ %$`));
    // The picture is that of the record.
    const pixels = await figures.first().locator("canvas").evaluate(canvas => [...canvas.getContext("2d").getImageData(0, 0, 28, 28).data].filter((_, i) => i % 4 === 0));
    const inputs = await page.evaluate(record => fetch(`/api/predictions?panel=predictions&records=${record}`).then(answer => answer.json()), wrong[0][0]);
    assert.deepEqual(pixels, inputs.inputs[wrong[0][0]].match(/../g).map(digits => Number.parseInt(digits, 16)));
    // A cell by the mouse, the next one of its row by the keyboard.
    const [, is, taken] = wrong[0], by = Math.sign(taken - is), count = told.counts[is][is];
    assert.ok(count > 0, "a class without a correct prediction");
    await card.locator(`[data-cell="${is},${is}"]`).click();
    assert.equal(await card.locator(`[data-cell="${is},${is}"]`).getAttribute("aria-pressed"), "true");
    assert.match(await records.locator("h3").innerText(), new RegExp(`^${is}, predicted as ${is}: ${count}`));
    assert.equal(await figures.count(), Math.min(64, count));
    await page.keyboard.press(by > 0 ? "ArrowRight" : "ArrowLeft");
    let next = is + by;
    while (!told.counts[is][next]) next += by;
    assert.equal(await page.evaluate(() => document.activeElement.dataset.cell), `${is},${next}`);
    await page.keyboard.press("Enter");
    assert.match(await records.locator("h3").innerText(), new RegExp(`^${is}, predicted as ${next}: ${told.counts[is][next]}`));
    await records.getByRole("button", {name: "Back to all errors"}).click();
    assert.match(await records.locator("h3").innerText(), /^Errors/);
    assert.equal(await card.locator('[aria-pressed="true"]').count(), 0);
    // The threshold.
    const facts = async () => (await card.locator(".facts b").allInnerTexts()).slice(3).map(Number), counted = (of, step) => {
        const [right, wrong_at] = [told.positive[of][step], told.negative[of][step]];
        return [right, wrong_at, told.positive[of][0] - right, told.negative[of][0] - wrong_at];
    };
    assert.deepEqual(await facts(), counted(0, 50));
    await card.getByRole("combobox").selectOption("7");
    await card.getByRole("slider").fill("0.9");
    assert.deepEqual(await facts(), counted(7, 90));
    assert.equal(await card.locator("output").innerText(), "0.90");
    assert.equal(await card.locator(".threshold circle").count(), 1);
    await page.locator('[data-command="resume"]').click();
    await state_becomes(page, "running");
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

test("workers stand side by side while a run has some", async () => {
    await end(run.served);
    run.served = await start();
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
    await end(run.served);
    run.served = await start();
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
    const other = await run.browser.newContext({viewport: {width: 1400, height: 900}}), late = await other.newPage();
    await late.goto(address);
    await own(late).locator(".u-over").waitFor(wait_for);
    assert.equal(await own(late).getAttribute("aria-label"), "rate and loss");  // without the control that came later
    assert.doesNotMatch(late.url(), /view=/);
    await late.waitForTimeout(600);
    assert.equal(await own(page).count(), 2);  // who looks at an address changes nobody's page
    await late.getByRole("button", {name: "Undo"}).click();
    await own(late).nth(1).waitFor(wait_for);
    await late.goto("about:blank");
    await late.goto(`${run.served.address}#view=nonsense`);
    await late.getByText("The address has no valid arrangement.").waitFor(wait_for);
    await other.close();
    await own(page).first().hover();
    await own(page).first().getByRole("button", {name: /^Edit/}).click();
    await dialog.getByRole("button", {name: "Remove panel"}).click();
    await page.waitForFunction(() => document.querySelectorAll('[data-panel^="own-"]').length === 1, null, wait_for);
    await close(page);
});

test("nothing was wrong in the browser's eyes", () => assert.deepEqual(problems, []));
