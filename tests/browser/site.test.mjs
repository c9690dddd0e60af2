// SPDX-License-Identifier: BSL-1.0
// The site of the documentation in a browser: nothing comes from elsewhere, nothing overflows, its search finds names, and axe-core
// finds nothing critical or serious, in both themes, on three widths.
//     node --test tests/browser/site.test.mjs    with SITE=<the folder with versions.json>, AXE, CHROMIUM and PLAYWRIGHT as axe.test.mjs has them
import assert from "node:assert/strict";
import {createReadStream, existsSync, readFileSync} from "node:fs";
import {createServer} from "node:http";
import {extname, join, normalize} from "node:path";
import test, {after, before} from "node:test";
import {pathToFileURL} from "node:url";

const {chromium} = await import(pathToFileURL(`${process.env.PLAYWRIGHT}/index.mjs`));
const types = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".json": "application/json", ".svg": "image/svg+xml", ".png": "image/png"};
const site = process.env.SITE, version = JSON.parse(readFileSync(join(site, "versions.json"), "utf8"))[0].version;
const pages = ["index.html", "reference/optimizers.html", "monitors.html", "source/include/sigma/layer/dense.hpp.html"];
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
