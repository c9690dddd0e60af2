// SPDX-License-Identifier: BSL-1.0
// Adds to Material what a keyboard or a screen reader needs.

/// Boxes that scroll can be reached by the keyboard, while they scroll.
function reach() {
    for (const box of document.querySelectorAll(".md-typeset pre > code, .md-typeset__scrollwrap, .md-sidebar__scrollwrap, .md-search__scrollwrap")) {
        const scrolls = box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight || box.classList.contains("md-search__scrollwrap");
        if (scrolls) box.tabIndex = 0;
        else box.removeAttribute("tabindex");
    }
}
function name() {
    document.querySelector(".md-search[role=dialog]")?.setAttribute("aria-label", "Search");
    for (const list of document.querySelectorAll("nav.md-nav[data-md-level]:not([data-md-level='0'])")) {
        list.setAttribute("role", "none");  // the outermost is the landmark
        list.removeAttribute("aria-label");
    }
    const version = document.querySelector(".md-version__current");
    version?.setAttribute("aria-label", `${version.textContent.trim()}: select a version`);
}
addEventListener("load", () => {
    name();
    reach();
    new MutationObserver(name).observe(document.querySelector(".md-header"), {childList: true, subtree: true});
    addEventListener("resize", reach);
});
