// SPDX-License-Identifier: BSL-1.0
// The site of the documentation in a browser: nothing comes from elsewhere, nothing overflows, its search finds names, and axe-core
// finds nothing critical or serious, in both themes, on three widths.
//     node --test tests/browser/site.test.mjs    with SITE=<the folder with versions.json>, AXE, CHROMIUM and PLAYWRIGHT as axe.test.mjs has them
import assert from "node:assert/strict";
import {createReadStream, existsSync, readFileSync, statSync} from "node:fs";
import {createServer} from "node:http";
import {extname, join, normalize} from "node:path";
import test, {after, before} from "node:test";
import {pathToFileURL} from "node:url";

const {chromium} = await import(pathToFileURL(`${process.env.PLAYWRIGHT}/index.mjs`));
const types = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".json": "application/json", ".svg": "image/svg+xml", ".png": "image/png"};
const site = process.env.SITE, version = JSON.parse(readFileSync(join(site, "versions.json"), "utf8"))[0].version;
const pages = ["index.html", "demo/digits.html", "reference/optimizers.html", "monitors.html", "source/include/sigma/layer/dense.hpp.html"];
const long_pages = ["reference/layers.html", "reference/hooks-actions.html"];  // alike, and axe-core takes long for them
let browser, server, address;
before(async () => {
    server = createServer((request, response) => {
        const path = join(site, normalize(decodeURIComponent(new URL(request.url, "http://localhost").pathname)));
        if (!existsSync(path)) return response.writeHead(404).end();
        response.writeHead(200, {"Content-Type": types[extname(path)] ?? "application/octet-stream"});
        createReadStream(path).pipe(response);
    });
    await new Promise(resolve => server.listen(0, "127.0.0.1", resolve));
    address = `http://127.0.0.1:${server.address().port}/${version}/`;
    browser = await chromium.launch({executablePath: process.env.CHROMIUM, args: ["--no-sandbox", "--disable-gpu"]});
});
after(async () => {
    await browser?.close();
    server?.closeAllConnections();
    server?.close();
});

/// What is wrong with a page.
async function look(path, width, colorScheme, by_axe = true) {
    const context = await browser.newContext({viewport: {width, height: 900}, colorScheme}), page = await context.newPage(), found = [];
    const where = `${path}, ${width} wide, ${colorScheme}: `;
    page.setDefaultTimeout(120000);
    page.on("request", request => { if (!request.url().startsWith(new URL("/", address).href)) found.push(`${where}fetches ${request.url()}`); });
    page.on("pageerror", error => found.push(where + error.message));
    await page.goto(address + path, {waitUntil: "load"});
    await page.waitForTimeout(700);
    if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)) found.push(`${where}is wider than the window`);
    if (by_axe) await page.addScriptTag({path: `${process.env.AXE}/axe.min.js`});
    const {violations} = by_axe ? await page.evaluate(() => axe.run()) : {violations: []};
    for (const {id, impact, nodes} of violations)
        if (impact === "critical" || impact === "serious") found.push(`${where}${id}: ${nodes.length} × ${nodes[0].html.slice(0, 160)}: ${nodes[0].failureSummary}`);
    await context.close();
    return found;
}

test("nothing of the site is in anybody's way, and nothing comes from elsewhere", async () => {
    const looks = pages.flatMap(path => [[path, 1920, "light"], [path, 1366, "dark"], [path, 390, "dark"]]);
    for (const path of long_pages) looks.push([path, 390, "light", false]);
    const found = [];
    for (let i = 0; i < looks.length; i += 3) found.push(...(await Promise.all(looks.slice(i, i + 3).map(each => look(...each)))).flat());
    assert.deepEqual(found, []);
});

test("the recorded demo of the monitor shows a run, and fetches nothing", {skip: !existsSync(join(site, version, "demo/monitor.html"))}, async () => {
    const page = await browser.newPage({viewport: {width: 1366, height: 900}}), found = [];
    page.setDefaultTimeout(120000);
    page.on("request", request => { if (!request.url().startsWith("data:") && !request.url().startsWith("blob:")) found.push(request.url()); });
    page.on("pageerror", error => found.push(error.message));
    await page.goto(address + "demo/monitor.html");
    await page.waitForSelector(".card .uplot");
    for (const tab of await page.getByRole("tab").all()) {
        await tab.click();
        await page.waitForTimeout(500);
    }
    assert.deepEqual(found, [address + "demo/monitor.html"]);
    await page.close();
});

// Lines through points in shares of the area, drawn by other hands than those of the page's examples.
const drawings = {
    0: [[[0.52, 0.12], [0.25, 0.3], [0.2, 0.6], [0.4, 0.88], [0.7, 0.75], [0.78, 0.4], [0.52, 0.12]]],
    1: [[[0.55, 0.1], [0.5, 0.9]]],
    2: [[[0.25, 0.3], [0.4, 0.14], [0.65, 0.18], [0.7, 0.38], [0.5, 0.6], [0.25, 0.85], [0.78, 0.84]]],
    3: [[[0.3, 0.2], [0.5, 0.12], [0.68, 0.22], [0.66, 0.38], [0.48, 0.48], [0.7, 0.58], [0.72, 0.75], [0.52, 0.88], [0.28, 0.8]]],
    4: [[[0.35, 0.15], [0.25, 0.55], [0.75, 0.55]], [[0.62, 0.3], [0.6, 0.9]]],
    7: [[[0.2, 0.2], [0.75, 0.2], [0.45, 0.85]]],
};
/// Moves the mouse over a part of the drawing area, which begins at `left` and `top` and has this size, in shares of the area.
async function draw(page, strokes, left = 0, top = 0, size = 1) {
    const area = await page.locator(".digit-drawing").boundingBox();
    const place = ([x, y]) => [area.x + area.width * (left + size * x), area.y + area.height * (top + size * y)];
    for (const [first, ...others] of strokes) {
        await page.mouse.move(...place(first));
        await page.mouse.down();
        for (const point of others) await page.mouse.move(...place(point), {steps: 6});
        await page.mouse.up();
    }
}
async function open_drawing(path, options) {
    const context = await browser.newContext(options), page = await context.newPage(), errors = [];
    page.setDefaultTimeout(120000);
    page.on("pageerror", error => errors.push(error.message));
    await page.goto(address + path);
    await page.locator(".digit-drawing").waitFor();
    await page.evaluate(() => document.querySelector(".digit-demo").scrollIntoView({block: "center"}));
    return {context, page, errors, told: text => page.locator(".digit-told", {hasText: text}).waitFor({state: "attached"})};
}

test("drawn digits are read, on three widths, in both themes, anywhere in the area", async () => {
    for (const [path, width, colorScheme] of [["index.html", 1366, "light"], ["demo/digits.html", 768, "dark"], ["demo/digits.html", 390, "light"]]) {
        const {context, page, errors, told} = await open_drawing(path, {viewport: {width, height: 900}, colorScheme});
        for (const [digit, strokes] of Object.entries(drawings))
            for (const part of [[], [0.05, 0.5, 0.45]]) {
                await draw(page, strokes, ...part);
                await told(`The network reads a ${digit},`);
                assert.equal(await page.locator(".digit-best").count(), 1);
                assert.match(await page.locator(".digit-best").textContent(), new RegExp(`^${digit}[\\d.]+ %$`));
                await page.locator(".digit-demo").getByRole("button", {name: "Clear"}).click();
                await page.getByText("Draw a digit from 0 to 9.").waitFor();
                assert.equal(await page.locator(".digit-best").count(), 0);
            }
        assert.deepEqual(errors, []);
        await context.close();
    }
});

test("bars follow the pen before it is lifted", async () => {
    const {context, page} = await open_drawing("demo/digits.html", {viewport: {width: 1366, height: 900}});
    const area = await page.locator(".digit-drawing").boundingBox();
    await page.mouse.move(area.x + 0.55 * area.width, area.y + 0.1 * area.height);
    await page.mouse.down();
    await page.mouse.move(area.x + 0.5 * area.width, area.y + 0.9 * area.height, {steps: 8});
    await page.getByText("It is a 1.").waitFor();
    await page.mouse.up();
    await context.close();
});

test("a finger draws and does not scroll, and a keyboard chooses examples", async () => {
    const {context, page, errors, told} = await open_drawing("demo/digits.html", {viewport: {width: 390, height: 844}, hasTouch: true, isMobile: true});
    const area = await page.locator(".digit-drawing").boundingBox(), touch = await context.newCDPSession(page), scrolled = await page.evaluate(() => scrollY);
    const finger = (type, ...points) => touch.send("Input.dispatchTouchEvent", {type, touchPoints: points.map(([x, y]) => ({x: area.x + x * area.width, y: area.y + y * area.height}))});
    await finger("touchStart", [0.5, 0.1]);
    for (let step = 1; step <= 16; ++step) await finger("touchMove", [0.5, 0.1 + 0.05 * step]);
    await finger("touchEnd");
    await told("The network reads a 1,");
    assert.equal(await page.evaluate(() => scrollY), scrolled);
    for (let digit = 0; digit < 10; ++digit) {
        await page.getByRole("button", {name: `Example of a ${digit}`}).press("Enter");
        await told(`The network reads a ${digit},`);
    }
    await page.locator(".digit-demo").getByRole("button", {name: "Clear"}).press("Space");
    await page.getByText("Draw a digit from 0 to 9.").waitFor();
    assert.deepEqual(errors, []);
    await context.close();
});

test("the script with its network has at most 100 kB, and runs without a server", async () => {
    assert.ok(statSync(join(site, version, "demo/digits.js")).size <= 100000);
    const page = await browser.newPage();
    await page.goto(pathToFileURL(join(site, version, "demo/digits.html")).href, {waitUntil: "domcontentloaded"});
    await page.getByRole("button", {name: "Example of a 5"}).click();
    await page.locator(".digit-told", {hasText: "The network reads a 5,"}).waitFor({state: "attached"});
    await page.close();
});

test("the search finds a name, and opens it", async () => {
    const page = await browser.newPage({viewport: {width: 1366, height: 900}});
    page.setDefaultTimeout(120000);
    await page.goto(address + "index.html");
    await page.getByRole("textbox", {name: "Search"}).fill("Dense constructor");
    const first = page.locator(".md-search-result__link").first();
    await first.waitFor();
    assert.match(await first.getAttribute("href"), /reference\/layers\.html/);
    await first.click();
    await page.waitForURL(/reference\/layers\.html/);
    await page.close();
});
