// SPDX-License-Identifier: BSL-1.0
// Takes the pictures of the monitor in docs/pictures: the page while digits learn, on a wide screen and on a phone, and
// three runs compared by sigma-runs. All of them are real runs of example 31.
//     node scripts/pictures/monitor.mjs [BUILD]    BUILD (default: build/release) has examples/31_monitor and sigma-runs;
//                                                  CHROMIUM=<browser>, PLAYWRIGHT=<folder of playwright-core>
import {spawn} from "node:child_process";
import {mkdtempSync, readdirSync, rmSync} from "node:fs";
import {homedir, tmpdir} from "node:os";
import {dirname, join, resolve} from "node:path";
import {fileURLToPath, pathToFileURL} from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const build = resolve(process.argv[2] ?? join(root, "build/release"));
const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "sigma");
const playwright = process.env.PLAYWRIGHT ?? join(cache, readdirSync(cache).find(name => name.startsWith("playwright-core")));
const {chromium} = await import(pathToFileURL(join(playwright, "index.mjs")));
const folder = mkdtempSync(join(tmpdir(), "sigma-pictures-"));
const pause = seconds => new Promise(done => setTimeout(done, 1000 * seconds));

function start(program, ...options) {
    const child = spawn(program, options, {cwd: folder, stdio: ["ignore", "pipe", "inherit"], env: {...process.env, SIGMA_OFFLINE: "1", SIGMA_SHARED_MACHINE: "0"}});
    return new Promise((done, fail) => {
        let text = "";
        child.stdout.on("data", data => {
            text += data;
            const found = text.match(/(http:\/\/[^\s]+)/);
            if (found) done({child, link: found[1]});
        });
        child.on("exit", code => fail(new Error(`${program} ended with ${code}: ${text}`)));
    });
}
const end = served => new Promise(done => {
    served.child.removeAllListeners("exit");
    served.child.on("exit", done);
    served.child.kill("SIGTERM");
});

const browser = await chromium.launch({executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"]});
async function picture(link, name, viewport, colorScheme, ready = ".card") {
    const context = await browser.newContext({viewport, colorScheme}), page = await context.newPage();
    await page.goto(link);
    await page.waitForSelector(ready, {timeout: 20000});
    await pause(3);
    await page.screenshot({path: join(root, "docs/pictures", name)});
    console.log(`docs/pictures/${name}`);
    await context.close();
}
const wide = {width: 1600, height: 1000}, phone = {width: 390, height: 844};

try {
    for (const seconds of [4, 7]) {
        const served = await start(join(build, "examples/31_monitor"));
        await pause(seconds);
        await end(served);
    }
    const served = await start(join(build, "examples/31_monitor"));
    await pause(8);
    for (const scheme of ["dark", "light"]) {
        await picture(served.link, `monitor-wide-${scheme}.png`, wide, scheme);
        await picture(served.link, `monitor-phone-${scheme}.png`, phone, scheme);
    }
    await end(served);
    const runs = await start(join(build, "sigma-runs"), "--port", "0", join(folder, "runs"));
    await picture(runs.link, "monitor-runs-dark.png", wide, "dark", "main");
    await end(runs);
} finally {
    await browser.close();
    rmSync(folder, {recursive: true, force: true});
}
