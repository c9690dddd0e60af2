// SPDX-License-Identifier: BSL-1.0
// What TypeScript's checker cannot know of the monitor's page. types.test.mjs reads it.

/** index.html loads uPlot before the page. */
declare const uPlot: any;

/** Newer browsers write a number with digits that a double does not hold. */
interface JSON { rawJSON?(text: string): object }

/** The page reads `detail` of its own events only, which are CustomEvents. */
interface Event { readonly detail: any }

/** All elements of the page are HTML or SVG elements, which have these members. */
interface Element extends HTMLOrSVGElement { inert: boolean; click(): void }

/** The targets of the page's pointer and key events are elements. A MediaQueryList, which is no element, has another `matches`. */
interface EventTarget { closest(selectors: string): HTMLElement; matches: any }
