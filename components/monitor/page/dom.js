// SPDX-License-Identifier: BSL-1.0
// Elements, and texts of numbers. Texts from users become text nodes, never markup.

/// h("button", {class: "x", onclick: f, "aria-label": "…"}, "text", element, …)
export function h(tag, properties = {}, ...children) {
    const svg = ["svg", "g", "path", "rect", "text", "line", "circle", "title", "polyline", "marker", "defs"].includes(tag)
        && properties.svg !== false;
    const element = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
    for (const [name, value] of Object.entries(properties)) {
        if (value === undefined || value === null || value === false || name === "svg") continue;
        if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
        else if (name === "class") element.setAttribute("class", value);
        else if (name === "value" || name === "checked" || name === "disabled") element[name] = value;
        else element.setAttribute(name, value === true ? "" : value);
    }
    element.append(...children.flat().filter(child => child !== null && child !== undefined));
    return element;
}

export const clear = element => { element.replaceChildren(); return element; };

/// Formats a number with at most `digits` digits, without an exponent if that is short.
export function number(x, digits = 5) {
    if (x === null || x === undefined) return "–";
    if (typeof x === "string") return x;  // "nan", "inf", "-inf": JSON has no such numbers
    if (!Number.isFinite(x)) return Number.isNaN(x) ? "nan" : x > 0 ? "inf" : "-inf";
    if (Number.isInteger(x) && Math.abs(x) < 1e15) return x.toLocaleString("en").replaceAll(",", "\u202f");
    const size = Math.abs(x);
    if (size !== 0 && (size < 1e-4 || size >= 1e7)) return x.toExponential(Math.max(0, digits - 2));
    return Number(x.toPrecision(digits)).toString();
}

/// Formats seconds as 0:07, 12:30, 3:04:05, or 2 d 03:04.
export function duration(seconds) {
    if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return "–";
    const s = Math.max(0, Math.round(seconds)), two = n => String(n).padStart(2, "0");
    if (s >= 86400) return `${Math.floor(s / 86400)} d ${two(Math.floor(s / 3600) % 24)}:${two(Math.floor(s / 60) % 60)}`;
    if (s >= 3600) return `${Math.floor(s / 3600)}:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}`;
    return `${Math.floor(s / 60)}:${two(s % 60)}`;
}

export function toast(text, kind = "note", action) {
    const place = document.getElementById("toasts");
    const item = h("div", {class: `toast ${kind}`}, h("span", {}, text), action ?? null,
                   h("button", {class: "quiet", "aria-label": "Dismiss", onclick: () => item.remove()}, "×"));
    place.append(item);
    while (place.children.length > 4) place.firstChild.remove();
    setTimeout(() => item.remove(), kind === "bad" ? 12000 : 4000);
    return item;
}

/// Shows a dialog and resolves to the value of the button that closed it; "" if the user pressed Escape.
export function ask(...content) {
    return new Promise(resolve => {
        const dialog = h("dialog", {onclose: () => { dialog.remove(); resolve(dialog.returnValue); }}, h("form", {method: "dialog"}, content));
        document.body.append(dialog);
        dialog.showModal();
    });
}

/// Makes begin() and end() of a panel that `show` updates at some events of `source`, now and while it is visible.
export function updated(source, events, show) {
    let end = null;
    return {
        begin() { end = source.watch?.(); for (const event of events) source.addEventListener(event, show); show(); },
        end() { end?.(); for (const event of events) source.removeEventListener(event, show); },
    };
}

/// Downloads a file to the user.
export function download(name, content, type) {
    const blob = content instanceof Blob ? content : new Blob([content], {type});
    const link = h("a", {href: URL.createObjectURL(blob), download: name});
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/// Values that this browser remembers, if it allows storage.
export const memory = {
    get(key, otherwise) {
        try { return JSON.parse(localStorage.getItem(`sigma.${key}`)) ?? otherwise; } catch { return otherwise; }
    },
    set(key, value) {
        try { localStorage.setItem(`sigma.${key}`, JSON.stringify(value)); } catch { /* storage is full or forbidden */ }
    },
};

export const colours = () => {
    const style = getComputedStyle(document.documentElement);
    return [1, 2, 3, 4, 5, 6, 7, 8].map(i => style.getPropertyValue(`--series-${i}`).trim());
};
export const colour = name => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
