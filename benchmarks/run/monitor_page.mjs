// SPDX-License-Identifier: BSL-1.0
// How long a browser takes from the address to a chart of 10^3 and of 10^7 points: the median of twenty visits, none with anything kept.
//     PROGRAM=<benchmark_monitor_page> CHROMIUM=<browser> PLAYWRIGHT=<folder of playwright-core> node benchmarks/run/monitor_page.mjs
import {pathToFileURL} from "node:url";
import {end, start} from "../../tests/browser/program.mjs";

const {chromium} = await import(pathToFileURL(`${process.env.PLAYWRIGHT}/index.mjs`));
const visits = 20;
const median = all => all.sort((a, b) => a - b)[Math.floor(all.length / 2)];

/// Says when the second frame after the chart's canvas has begun: it has been painted then.
function watch_chart() {
    const observer = new MutationObserver(() => {
        if (!document.querySelector(".plot canvas")) return;
        observer.disconnect();
        requestAnimationFrame(() => requestAnimationFrame(() => { window.charted = performance.now(); }));
    });
    observer.observe(document, {childList: true, subtree: true});
}

const browser = await chromium.launch({executablePath: process.env.CHROMIUM, args: ["--no-sandbox", "--disable-gpu", "--enable-precise-memory-info"]});
for (const points of [1e3, 1e7]) {
    const served = await start(process.env.PROGRAM, String(points)), first = [], own = [], chart = [], memory = [];
    const kept = (await (await fetch(`${served.address}api/series`)).json()).find(series => series.name === "loss").points;
    for (let i = 0; i < visits + 2; ++i) {
        const context = await browser.newContext({viewport: {width: 1400, height: 900}}), page = await context.newPage();
        await page.addInitScript(watch_chart);
        await page.goto(served.address);
        await page.waitForFunction(() => window.charted);
        const found = await page.evaluate(() => {
            const asked = performance.getEntriesByType("resource").find(one => one.name.includes("/api/history")).startTime;
            return [performance.getEntriesByName("first-contentful-paint")[0].startTime, window.charted - asked, window.charted, performance.memory.usedJSHeapSize / 1e6];
        });
        await context.close();
        if (i < 2) continue;  // the program and the browser are cold
        [first, own, chart, memory].forEach((all, k) => all.push(found[k]));
    }
    console.log(`${kept} points: first paint after ${median(first).toFixed(0)} ms, the chart ${median(own).toFixed(0)} ms after its points are asked for, ${median(chart).toFixed(0)} ms after the address, ${median(memory).toFixed(1)} MB of the page's`);
    await end(served);
}
await browser.close();
