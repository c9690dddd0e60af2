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
export const end = served => new Promise(resolve => {
    served.child.removeAllListeners("exit");
    served.child.on("exit", resolve);
    served.child.kill("SIGTERM");
});
