// SPDX-License-Identifier: BSL-1.0
// Records what a monitor's page is told: every answer and every message of the stream, with its time, while each tab is shown.
//     PLAYWRIGHT=… CHROMIUM=… node record_demo.mjs ADDRESS OUT.json.gz [SECONDS]
// demo.py makes one HTML file of the page and a recording. The committed one, docs/demo/run.json.gz, is of examples/31-monitor.
import {writeFileSync} from "node:fs";
import {pathToFileURL} from "node:url";
import {gzipSync} from "node:zlib";

const [address, out, seconds = "40"] = process.argv.slice(2);
const {chromium} = await import(pathToFileURL(`${process.env.PLAYWRIGHT}/index.mjs`));
const browser = await chromium.launch({executablePath: process.env.CHROMIUM, args: ["--no-sandbox", "--disable-gpu"]});
const page = await browser.newPage({viewport: {width: 1400, height: 900}});
page.setDefaultTimeout(120000);
const begun = Date.now(), now = () => Date.now() - begun, frames = [], answers = {};
page.on("websocket", socket => socket.on("framereceived", ({payload}) => frames.push([now(), String(payload)])));
page.on("response", async response => {
    const {pathname, search} = new URL(response.url());
    if (!pathname.startsWith("/api/") || response.request().method() !== "GET") return;
    try { (answers[pathname + search] ??= []).push([now(), response.status(), await response.text()]); } catch { /* it was given up */ }
});
await page.goto(address);
await page.waitForSelector(".card");
while (now() < 1000 * seconds) {
    for (const tab of await page.getByRole("tab").all()) {
        await tab.click();
        await page.waitForTimeout(2500);
    }
}
await browser.close();
// Four digits are what a picture shows; of what is long, the last answer.
const rounded = text => text.replace(/-?\d+\.\d{4,}(?:e[-+]?\d+)?/g, number => String(Number(Number(number).toPrecision(4))));
for (const frame of frames) frame[1] = rounded(frame[1]);
for (const [path, all] of Object.entries(answers)) {
    all.sort((a, b) => a[0] - b[0]);
    for (const answer of all) answer[2] = rounded(answer[2]);
    if (all.reduce((sum, answer) => sum + answer[2].length, 0) > 300000) answers[path] = all.slice(-1);
}
writeFileSync(out, gzipSync(JSON.stringify({frames, answers}), {level: 9}));
console.log(`${frames.length} messages, ${Object.keys(answers).length} addresses, ${now()} ms`);
