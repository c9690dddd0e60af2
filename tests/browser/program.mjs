// SPDX-License-Identifier: BSL-1.0
// Programs that serve a page, started and ended by tests of the page.
import {spawn} from "node:child_process";

/// Starts a program; its first line with an address says where it serves, and may have a ticket that lets one browser in.
export function start(program, ...words) {
    const child = spawn(program, words, {stdio: ["ignore", "pipe", "inherit"]});
    return new Promise((resolve, reject) => {
        let text = "";
        child.stdout.on("data", data => {
            text += data;
            const found = text.match(/(http:\/\/[^\s/]+\/)(\S*)\n/);
            if (found) resolve({child, address: found[1], link: found[1] + found[2]});
        });
        child.on("exit", code => reject(new Error(`the program ended with ${code}: ${text}`)));
    });
}
/// Ends it as a user would; rejects if that takes longer than ten seconds.
export const end = ({child}) => new Promise((resolve, reject) => {
    child.removeAllListeners("exit");
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    const late = setTimeout(() => {
        child.kill("SIGKILL");
        reject(new Error("the program did not end within ten seconds of SIGTERM"));
    }, 10000);
    child.on("exit", () => {
        clearTimeout(late);
        resolve();
    });
    child.kill("SIGTERM");
});
/// Closes what a failed test has left open in a browser: such pages would take the time of the tests that follow.
export const close_all = browser => Promise.all(browser.contexts().map(context => context.close()));
