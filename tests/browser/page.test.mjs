// SPDX-License-Identifier: BSL-1.0
// A real browser drives the page of a program that trains: every control, every panel, reload, two browsers, the program gone and back.
//     node --test tests/browser/page.test.mjs         with PROGRAM=<program that prints its address>, CHROMIUM=<browser>,
//                                                     PLAYWRIGHT=<folder of playwright-core>, PICTURES=<folder, optional>
import assert from "node:assert/strict";
import {spawn} from "node:child_process";
import test, {after, before} from "node:test";
import {pathToFileURL} from "node:url";

const {chromium} = await import(pathToFileURL(`${process.env.PLAYWRIGHT}/index.mjs`));
const wait_for = {timeout: 20000};

/// Starts the program; its first line with an address says where it serves.
function start(port = 0) {
    const child = spawn(process.env.PROGRAM, [String(port)], {stdio: ["pipe", "pipe", "inherit"]});
    return new Promise((resolve, reject) => {
        let text = "";
        child.stdout.on("data", data => {
            text += data;
            const found = text.match(/http:\/\/[^\s]+\//);
            if (found) resolve({child, address: found[0]});
        });
        child.on("exit", code => reject(new Error(`the program ended with ${code}: ${text}`)));
    });
}
const end = served => new Promise(resolve => { served.child.removeAllListeners("exit"); served.child.on("exit", resolve); served.child.kill("SIGTERM"); });

let browser, served;
const problems = [];
before(async () => {
    served = await start();
    browser = await chromium.launch({executablePath: process.env.CHROMIUM, args: ["--no-sandbox", "--disable-gpu"]});
});
after(async () => {
    await browser?.close();
    if (served) await end(served);
});

async function open(options = {}) {
    const context = await browser.newContext({viewport: {width: 1400, height: 900}, colorScheme: "dark", ...options}), page = await context.newPage();
    page.on("pageerror", error => problems.push(error.stack));
    page.on("console", message => { if (message.type() === "error" && !/ERR_CONNECTION|WebSocket|Failed to load resource/.test(message.text())) problems.push(message.text()); });
    await page.goto(served.address);
    await page.waitForSelector(".card", wait_for);
    return page;
}
const close = page => page.context().close();
const pill = page => page.locator("header .pill");
const state_becomes = (page, word) => page.waitForFunction(w => document.querySelector("header .pill").textContent === w && !document.querySelector("header .pending"), word, wait_for);
const iteration = async page => Number((await page.locator("header .facts").innerText()).match(/iteration ([\d\u202f]+)/)[1].replaceAll("\u202f", ""));
const tab = (page, name) => page.getByRole("tab", {name}).click();
const panel = (page, kind) => page.locator(`[data-kind="${kind}"]`).first();
async function running(page) {
    await page.waitForFunction(() => ["running", "paused", "idle"].includes(document.querySelector("header .pill").textContent), null, wait_for);
    if (await pill(page).textContent() !== "running") await page.locator('[data-command="resume"]').click();
    await state_becomes(page, "running");
}

test("the commands are obeyed and acknowledged", async () => {
    const page = await open();
    await running(page);
    await page.locator('[data-command="resume"]').click();  // Pause
    await state_becomes(page, "paused");
    await page.locator(".toast.good", {hasText: "paused"}).waitFor(wait_for);
    const at = await iteration(page);
    await page.waitForTimeout(300);
    assert.equal(await iteration(page), at);
    await page.locator('[data-command="step"]').click();
    await page.waitForFunction(n => document.querySelector("header .facts").innerText.replaceAll("\u202f", "").includes(`iteration ${n}`), at + 1, wait_for);
    await page.locator('[data-command="resume"]').click();  // Run
    await state_becomes(page, "running");
    await page.keyboard.press(" ");
    await state_becomes(page, "paused");
    await page.keyboard.press(" ");
    await state_becomes(page, "running");
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
    const box = await over.boundingBox();
    await page.mouse.move(box.x + box.width * 0.3, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.6, box.y + 60, {steps: 6});
    await page.mouse.up();
    await chart.getByRole("button", {name: "whole run"}).click(wait_for);
    await chart.hover();
    for (const [name, beginning] of [[/as CSV/, "iteration,"], [/as PNG/, "\x89PNG"]]) {
        const coming = page.waitForEvent("download", wait_for);
        await chart.getByRole("button", {name}).click();
        const stream = await (await coming).createReadStream(), parts = [];
        for await (const part of stream) parts.push(part);
        assert.ok(Buffer.concat(parts).toString("latin1").startsWith(beginning));
    }
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

test("a digit is drawn and taken for something", async () => {
    const page = await open();
    const canvas = panel(page, "draw").locator("canvas");
    await canvas.scrollIntoViewIfNeeded();
    const box = await canvas.boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height * 0.2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height * 0.8, {steps: 12});
    await page.mouse.up();
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
    await tab(page, "Log");
    await panel(page, "log").locator(".log p").first().waitFor(wait_for);
    const search = panel(page, "log").locator('input[type="search"]');
    await search.fill("no message has these words");
    assert.equal(await panel(page, "log").locator(".log p").first().innerText(), "No messages");
    await search.fill("");
    const shown = await page.locator('nav [role="tab"]').count();
    for (let i = 0; i < shown; ++i) {
        await page.locator('nav [role="tab"]').nth(i).click();
        await page.waitForSelector(".card", wait_for);
    }
    await close(page);
});

test("what is arranged stays so", async () => {
    const page = await open();
    const first = await page.locator(".card").first().getAttribute("data-panel");
    await page.locator(".card").first().hover();
    await page.locator(".card").first().getByRole("button", {name: /behind/}).click();
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

test("everything can be reached by the keyboard", async () => {
    const page = await open();
    const seen = new Set();
    for (let i = 0; i < 60; ++i) {
        await page.keyboard.press("Tab");
        seen.add(await page.evaluate(() => document.activeElement?.dataset?.command ?? document.activeElement?.getAttribute("role") ?? document.activeElement?.tagName));
    }
    for (const wanted of ["resume", "save", "tab"]) assert.ok(seen.has(wanted), `${wanted} is not among ${[...seen]}`);
    await page.keyboard.press("?");
    await page.locator("dialog").waitFor(wait_for);
    await page.keyboard.press("Escape");
    await close(page);
});

test("the program goes and comes back, and the page with it", async () => {
    const page = await open();
    await running(page);
    const port = Number(new URL(served.address).port);
    await end(served);
    await state_becomes(page, "no answer");
    served = await start(port);
    await running(page);
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
