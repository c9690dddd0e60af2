// SPDX-License-Identifier: BSL-1.0
// Runs several test files of the browser at once, since each waits for its browser half of the time, and fails if one does.
//     node tests/browser/together.mjs FILE...
import {spawn} from "node:child_process";

const results = await Promise.all(process.argv.slice(2).map(file => new Promise(resolve => {
    const child = spawn(process.execPath, ["--test", file], {stdio: ["ignore", "pipe", "inherit"]});
    let text = "";
    child.stdout.on("data", data => { text += data; });
    child.on("close", code => {
        process.stdout.write(`${file}\n${text}`);
        resolve(code);
    });
})));
process.exitCode = results.every(code => code === 0) ? 0 : 1;
