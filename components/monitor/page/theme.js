// SPDX-License-Identifier: BSL-1.0
// Sets the theme before the first paint, so that a dark page does not flash light.
(() => {
    let kept = null;
    try { kept = localStorage.getItem("sigma.theme"); } catch { /* storage may be forbidden */ }
    const dark = kept ? kept === "dark" : !matchMedia("(prefers-color-scheme: light)").matches;
    document.documentElement.dataset.theme = dark ? "dark" : "light";
})();
