// SPDX-License-Identifier: BSL-1.0
// The page is for all: axe-core finds nothing critical or serious on any tab, in both themes, on wide screens and phones, of a run and of runs.
//     node --test tests/browser/axe.test.mjs    with AXE=<folder of axe-core>, PROGRAM, RUNS, CHROMIUM and PLAYWRIGHT as page.test.mjs has them
import assert from "node:assert/strict";
import {cpSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";
import test, {after, before} from "node:test";
import {pathToFileURL} from "node:url";
import {end, start} from "./program.mjs";

const {chromium} = await import(pathToFileURL(`${process.env.PLAYWRIGHT}/index.mjs`));
const wait_for = {timeout: 120000}, folder = mkdtempSync(join(tmpdir(), "sigma-axe-"));
let browser, served;
before(async () => {
    served = await start(process.env.PROGRAM, "0", folder, "");
    browser = await chromium.launch({executablePath: process.env.CHROMIUM, args: ["--no-sandbox", "--disable-gpu"]});
});
after(async () => {
    await browser?.close();
    if (served) await end(served);
    rmSync(folder, {recursive: true, force: true});
});

/// What is critical or serious, each with the first element that has it.
async function faults(page) {
    await page.addScriptTag({path: `${process.env.AXE}/axe.min.js`});
    const {violations} = await page.evaluate(() => axe.run());
    return violations.filter(({impact}) => impact === "critical" || impact === "serious").map(({id, nodes}) => `${id}: ${nodes.length} × ${nodes[0].html.slice(0, 160)}: ${nodes[0].failureSummary}`);
}
const wide = {viewport: {width: 1400, height: 900}}, phone = {viewport: {width: 390, height: 844}, isMobile: true, hasTouch: true};
async function look(address, options, tabs) {
    const context = await browser.newContext({...options, bypassCSP: true}), page = await context.newPage(), found = [];
    page.setDefaultTimeout(wait_for.timeout);  // of clicks, too: four pages share a machine that may be busy
    await page.goto(address);
    await page.waitForSelector(".card", wait_for);
    for (const name of tabs) await page.getByRole("tab", {name, exact: true}).waitFor(wait_for);
    // A profile for the tab "System"; other pages may have asked for it already.
    await page.evaluate(() => fetch("/api/commands", {method: "POST", headers: {"Content-Type": "application/json"}, body: '{"trainer":"digits","command":"profile"}'}));
    for (const name of await page.locator('nav [role="tab"]').allInnerTexts()) {
        await page.getByRole("tab", {name, exact: true}).click();
        await page.waitForTimeout(2500);  // for what is asked for
        for (const fault of await faults(page)) found.push(`${options.viewport.width} wide, ${options.colorScheme}, ${name}: ${fault}`);
    }
    await context.close();
    return found;
}
/// All at once: most of it is waiting.
const everywhere = async (address, tabs = []) =>
    (await Promise.all([wide, phone].flatMap(screen => ["dark", "light"].map(colorScheme => look(address, {...screen, colorScheme}, tabs))))).flat();

test("nothing is in anybody's way on a wide screen and a phone, dark and light", async () => assert.deepEqual(await everywhere(served.address), []));

test("nor where a run has failed, nor in dialogs", async () => {
    const context = await browser.newContext({...wide, colorScheme: "dark", bypassCSP: true}), page = await context.newPage();
    await page.goto(served.address);
    await page.waitForSelector(".card", wait_for);
    await page.evaluate(() => fetch("/api/registry", {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify({trainer: "moves", name: "mode", value: "failing"})}));
    await page.locator("header .pill.failed").waitFor(wait_for);
    await page.waitForTimeout(1000);
    assert.deepEqual(await faults(page), []);
    for (const key of ["?", "/"]) {
        await page.keyboard.press(key);
        await page.locator("dialog").waitFor(wait_for);
        assert.deepEqual(await faults(page), []);
        await page.keyboard.press("Escape");
        await page.locator("dialog").waitFor({state: "detached", ...wait_for});
    }
    await page.locator('.card[data-kind="chart"] .enlarge').first().focus();
    await page.keyboard.press("f");
    await page.locator(".card.enlarged").waitFor(wait_for);
    assert.deepEqual(await faults(page), []);
    await page.keyboard.press("Escape");
    // Of a panel of the user: how it is edited, and how it is shared.
    await page.keyboard.press("/");
    await page.keyboard.type("digits loss");
    await page.keyboard.press("Enter");
    await page.locator('[data-panel^="own-"]').waitFor(wait_for);
    for (const name of [/^Edit/, "Share"]) {
        await page.getByRole("button", {name}).first().press("Enter");
        await page.locator("dialog").waitFor(wait_for);
        assert.deepEqual(await faults(page), []);
        await page.keyboard.press("Escape");
        await page.locator("dialog").waitFor({state: "detached", ...wait_for});
    }
    await context.close();
});

test("nor among runs and searches without a trainer", async () => {
    const lines = [["search by random", "seed 1"], ...[1, 2, 3, 4].map(i => [i, i / 8, 1, i % 2, i === 4 ? "a reason" : "", 2, 0, "rate", 10 ** -i, 10 ** -i, 0, 0, "kind", i % 2, i % 2 ? "tanh" : "relu", 0, 0])];
    writeFileSync(join(folder, "search.jsonl"), lines.map(line => `${JSON.stringify(line.map(String))}\n`).join(""));
    // A second run, so that cards compare both.
    const id = readdirSync(folder).find(name => existsSync(join(folder, name, "run.json"))), other = join(folder, "20261120-101500-other");
    cpSync(join(folder, id), other, {recursive: true});
    writeFileSync(join(other, "run.json"), readFileSync(join(other, "run.json"), "utf8").replaceAll('"seed":', '"seed":1'));
    const runs = await start(process.env.RUNS, folder, "--port", "0");
    try {
        assert.deepEqual(await everywhere(runs.address, ["Runs", "Search"]), []);
    } finally { await end(runs); }
});
