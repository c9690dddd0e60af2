// SPDX-License-Identifier: BSL-1.0
// Notifications of the browser: a run has ended, improves, or does not move; the program does not respond.
import {connection, ending_of, has_ended} from "./connection.js";
import {h, memory, number, toast} from "./dom.js";

/// Times in milliseconds: a run that does not move for at least `still`, a program that does not respond for `gone`, and the pause
/// between two notifications of a better value.
const still = 60_000, gone = 30_000, between = 60_000;

/// Returns the texts that are news in the state of trainers, as [{kind, trainer, text}]. `kept` holds what is known of each trainer
/// and is updated. A trainer that was not known is no news.
export function news(kept, trainers, time) {
    const found = [];
    for (const {name, state, reason, iteration} of trainers) {
        const was = kept.get(name), moves = !was || was.iteration !== iteration || was.state !== state;
        const now = moves ? {state, iteration, since: time, longest: 0, stalled: false} : was;
        if (was && moves && state === "running" && was.state === state) now.longest = Math.max(was.longest, time - was.since);
        if (was && !has_ended(was) && has_ended({state})) found.push({kind: "end", trainer: name, text: `${name} ${ending_of({state, reason})}`});
        if (!now.stalled && state === "running" && time - now.since > Math.max(still, 5 * now.longest)) {
            now.stalled = true;
            found.push({kind: "stall", trainer: name, text: `${name} has not moved for ${Math.round((time - now.since) / 1000)} seconds`});
        }
        kept.set(name, now);
    }
    return found;
}

/// Makes {button, best}: a button that turns notifications on and off. They are shown while a window of the page is open, also behind
/// others.
export function make_notifier() {
    const kept = new Map(), allowed = () => memory.get("notify", false) && globalThis.Notification?.permission === "granted";
    const button = h("button", {class: "quiet", title: "Notify me when a run ends, improves or does not move", "aria-label": "Notify of the end of a run", onclick: turn}, "✉");
    const show = () => button.setAttribute("aria-pressed", String(Boolean(allowed())));
    // Windows of one browser show one notification: each replaces that of the same tag.
    const tell = ({kind, trainer, text}) => { if (allowed()) new Notification(text, {tag: `sigma-${location.host}-${trainer}-${kind}`, icon: "/page/icon.svg"}); };
    async function turn() {
        if (!globalThis.Notification) toast("This browser shows notifications only at https or at localhost.", "bad");
        else if (allowed()) memory.set("notify", false);
        else if (await Notification.requestPermission() === "granted") memory.set("notify", true);
        else toast("The browser does not allow notifications of this page.", "bad");
        show();
    }
    let last = null, told = -Infinity, silent = 0;
    connection.addEventListener("state", ({detail: {trainers}}) => news(kept, trainers, performance.now()).forEach(tell));
    connection.addEventListener("online", ({detail: online}) => {
        clearTimeout(silent);
        if (!online && [...kept.values()].some(trainer => trainer.state === "running"))
            silent = setTimeout(() => tell({kind: "gone", trainer: "", text: "The program does not respond"}), gone);
    });
    show();
    return {button, /** Takes the best value of a trainer, {name, value}, or null. */ best(trainer, found) {
        const key = found && `${trainer}\n${found.name}`, time = performance.now();
        if (key && last?.key === key && last.value !== found.value && time - told > between) {
            told = time;
            tell({kind: "best", trainer, text: `${trainer}: best ${found.name} ${number(found.value)}`});
        }
        last = key && {key, value: found.value};
    }};
}
