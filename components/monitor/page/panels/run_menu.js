// SPDX-License-Identifier: BSL-1.0
// The menu of other runs that a chart shows.
import {clear, h, toast} from "../dom.js";
import {runs} from "../runs.js";

/// Dashes of lines: one for each repetition of the colors.
export const dashes = [[], [7, 4], [2, 3], [9, 3, 2, 3]];

export function choose(id, on) {
    if (runs.choose(id, on)) return true;
    toast("Too many runs are selected. Deselect one first.", "bad");
    return false;
}

/// Makes {element, word, boxes}: a word that opens a list, which closes by Escape and when the user goes elsewhere.
export function make_popover(text) {
    const boxes = h("div", {class: "popover"}), word = h("summary", {}, text);
    const element = h("details", {class: "menu", hidden: true, ontoggle: () => {
        const how = element.open ? "addEventListener" : "removeEventListener";
        document[how]("pointerdown", beside);
        document[how]("focusin", beside);
        document[how]("keydown", left);
    }}, word, boxes);
    const shut = () => { element.open = false; };
    const beside = event => { if (!element.contains(event.target)) shut(); };
    const left = event => {
        if (event.key !== "Escape") return;
        if (element.contains(document.activeElement)) word.focus();
        shut();
    };
    return {element, word, boxes};
}

/// Makes {element, show()}: a menu that is hidden if there are no other runs.
export function make_menu() {
    const {element, word, boxes} = make_popover("runs");
    let before = "";
    const show = () => {
        const others = runs.others(), count = runs.chosen().length, now = JSON.stringify([others.map(run => run.id), count]);
        element.hidden = !others.length;
        if (now === before) return;
        before = now;
        word.textContent = count ? `runs (${count})` : "runs";
        const focused = document.activeElement?.dataset?.run;
        clear(boxes).append(...others.slice(0, 100).map(run => h("label", {}, h("input", {type: "checkbox", checked: runs.place(run.id) >= 0, "data-run": run.id,
            onchange: event => { if (!choose(run.id, event.currentTarget.checked)) event.currentTarget.checked = false; }}), h("span", {}, run.id))));
        if (focused) boxes.querySelector(`[data-run="${CSS.escape(focused)}"]`)?.focus();
    };
    return {element, show};
}
