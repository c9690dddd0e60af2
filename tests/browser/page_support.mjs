// SPDX-License-Identifier: BSL-1.0
// What tests of the page of a program that trains share: the program, the browser, and what a user does.
//     PROGRAM=<program that prints its address>, CHROMIUM=<browser>, PLAYWRIGHT=<folder of playwright-core>
import assert from "node:assert/strict";
import {mkdtempSync, rmSync} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";
import node_test, {after, afterEach, before} from "node:test";
import {pathToFileURL} from "node:url";
import {close_all, end, start as start_program} from "./program.mjs";

const {chromium} = await import(pathToFileURL(`${process.env.PLAYWRIGHT}/index.mjs`));
export const wait_for = {timeout: 20000};

/// A test that does not end fails, and the others are still run.
export const test = (name, ...rest) => node_test(name, {timeout: 120000, ...(rest.length > 1 ? rest[0] : {})}, rest.at(-1));

const folder = mkdtempSync(join(tmpdir(), "sigma-page-"));
let started = 0;

/// The program, with a folder of runs of its own.
export const start = async (port = 0, token = "") => ({token, ...await start_program(process.env.PROGRAM, String(port), join(folder, String(++started)), token)});
/// A test that has failed leaves the next what it needs.
async function put_right() {
    const {child, token} = run.served, has_ended = child.exitCode !== null || child.signalCode !== null;
    if (!has_ended && !token) return;
    if (!has_ended) await end(run.served);
    run.served = await start();
}

/// The browser, and the program that it drives.
export const run = {browser: null, served: null};
export const problems = [];
before(async () => {
    run.served = await start();
    run.browser = await chromium.launch({executablePath: process.env.CHROMIUM, args: ["--no-sandbox", "--disable-gpu"]});
});
after(async () => {
    await run.browser?.close();
    if (run.served) await end(run.served);
    rmSync(folder, {recursive: true, force: true});
});

afterEach(() => close_all(run.browser));

export async function open(options = {}, tab_name = null) {
    await put_right();
    // The program keeps what a test before has arranged.
    await fetch(`${run.served.address}api/arrangement`, {method: "POST", headers: {"Content-Type": "application/json"}, body: '{"arrangement":null}'});
    const context = await run.browser.newContext({viewport: {width: 1400, height: 900}, colorScheme: "dark", ...options}), page = await context.newPage();
    page.on("pageerror", error => problems.push(error.stack));
    page.on("console", message => { if (message.type() === "error" && !/ERR_CONNECTION|WebSocket|Failed to load resource/.test(message.text())) problems.push(message.text()); });
    await page.goto(run.served.address);
    await page.waitForSelector(".card", wait_for);
    if (tab_name) await tab(page, tab_name);
    return page;
}
export const close = page => page.context().close();
export const pill = page => page.locator("header .pill");
export const state_becomes = (page, word) => page.waitForFunction(w => document.querySelector("header .pill").textContent === w && !document.querySelector("header .pending"), word, wait_for);
export const iteration = async page => Number((await page.locator("header .facts").innerText()).match(/iteration ([\d\u202f]+)/)[1].replaceAll("\u202f", ""));
export const tab = (page, name) => page.getByRole("tab", {name}).click();
export const panel = (page, kind, which = 0) => page.locator(`[data-kind="${kind}"]:not(.away)`).nth(which);
/// Until what is there is something else.
export const changes = async (page, locator, read = one => one.innerText()) => {
    const before = await read(locator);
    for (let i = 0; i < 400 && await read(locator) === before; ++i) await page.waitForTimeout(50);
    assert.notEqual(await read(locator), before);
};
/// The bytes of a file that the page gives.
export async function saved(page, work) {
    const coming = page.waitForEvent("download", wait_for);
    await work();
    const parts = [];
    for await (const part of await (await coming).createReadStream()) parts.push(part);
    return Buffer.concat(parts);
}
/// Where it is; a chart may be drawn anew just then.
export async function place_of(locator) {
    for (;;) {
        const box = await locator.boundingBox(wait_for);
        if (box) return box;
    }
}
/// A line downwards, as a 1 is drawn.
export async function stroke(page, canvas) {
    await canvas.scrollIntoViewIfNeeded();
    const box = await place_of(canvas);
    await page.mouse.move(box.x + box.width / 2, box.y + box.height * 0.2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height * 0.8, {steps: 12});
    await page.mouse.up();
}
export const painted = canvas => canvas.evaluate(c => c.toDataURL());
export async function running(page) {
    await page.waitForFunction(() => ["running", "paused", "idle", "stopped", "failed"].includes(document.querySelector("header .pill").textContent), null, wait_for);
    if (await pill(page).textContent() !== "running") await page.locator('[data-command="resume"]', {hasText: "Run"}).click();
    await state_becomes(page, "running");
}
/// Sets a value of the second trainer, as another program would.
export const set = (page, name, value) => page.evaluate(([of, to]) => fetch("/api/registry", {method: "POST", headers: {"Content-Type": "application/json"},
    body: JSON.stringify({trainer: "moves", name: of, value: to})}).then(answer => answer.status), [name, value]);
