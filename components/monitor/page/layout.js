// SPDX-License-Identifier: BSL-1.0
// Places of cards: heights by their contents, one card that fills a tab, and one that is enlarged to the whole page.
import {h} from "./dom.js";

const row = 4, gap = 12;  // pixels, as in style.css

/// Lets cards take as many rows of the grid as they are high, so that others come close below. Reads all heights first: a change
/// before the next height would cost a layout of the page for each card.
export function fit(elements) {
    const placed = elements.filter(({classList}) => !classList.contains("away") && !classList.contains("enlarged"));
    const rows = placed.map(element => `span ${Math.max(1, Math.ceil((element.offsetHeight + gap) / row))}`);
    placed.forEach(({style}, i) => { if (style.gridRowEnd !== rows[i]) style.gridRowEnd = rows[i]; });
}
const sizes = new ResizeObserver(entries => fit(entries.map(({target}) => target)));
export const watch = element => sizes.observe(element);
export const unwatch = element => sizes.unobserve(element);

/// Tells the style sheet how much of the window is above the cards, for a card that fills the rest.
export function measure(main) {
    const above = () => document.documentElement.style.setProperty("--above", `${Math.round(main.getBoundingClientRect().top + scrollY + gap)}px`);
    new ResizeObserver(above).observe(document.getElementById("head"));
    addEventListener("resize", above);
    above();
}

let large = null;  // {element, button}
const beside = element => [...document.querySelectorAll("#head, #tabs, .skip"), ...document.querySelectorAll("#panels > *")].filter(other => other !== element);
/// Brings an enlarged card back to its place.
export function restore() {
    if (!large) return;
    const {element, button} = large;
    large = null;
    for (const other of beside(element)) other.inert = false;
    element.classList.remove("enlarged");
    button.setAttribute("aria-pressed", "false");
    fit([element]);
    button.focus({preventScroll: true});
}
function enlarge(element, button) {
    restore();
    large = {element, button};
    for (const other of beside(element)) other.inert = true;
    element.classList.add("enlarged");
    button.setAttribute("aria-pressed", "true");
    button.focus({preventScroll: true});
}
export const is_enlarged = element => large?.element === element;
/// Makes the button that enlarges a card and brings it back.
export function make_enlarger(element, title) {
    const button = h("button", {class: "quiet enlarge", title: "Enlarge (f)", "aria-label": `Enlarge ${title}`, "aria-pressed": "false",
        onclick: () => { if (is_enlarged(element)) restore(); else enlarge(element, button); }},
        h("i", {class: "corners", "aria-hidden": "true"}));
    return button;
}
document.addEventListener("keydown", event => {
    if (event.key !== "Escape" || !large || event.defaultPrevented || event.target.closest("dialog, input, select, details[open]")) return;
    event.preventDefault();
    restore();
});
