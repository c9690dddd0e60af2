// SPDX-License-Identifier: BSL-1.0
// A place to draw a digit. Ten bars follow the pen: they are the probabilities that the network predicts.
import {load} from "./network.js";
import {picture} from "./picture.js";

// Lines through points in percent of the area, to choose in place of drawing.
export const examples = [
    "50,10 30,17 20,38 20,60 30,82 48,91 66,84 78,64 80,42 70,20 50,10", "42,24 53,10 52,50 51,91",
    "22,32 32,14 52,9 71,18 74,36 60,58 40,76 21,90 50,87 80,89", "24,18 46,9 68,17 70,34 58,45 42,48 62,50 76,66 68,84 46,92 22,83",
    "34,10 30,30 24,55 50,53 80,50;66,30 64,60 62,92", "74,11 34,13 30,45 50,40 70,47 76,66 66,85 44,92 22,83",
    "64,9 44,24 29,48 26,72 38,90 58,91 71,77 66,60 48,55 30,67", "20,15 50,16 79,13 66,40 54,66 46,92",
    "67,24 52,10 35,18 36,36 52,47 68,62 67,82 50,92 33,82 34,64 52,48 66,38 67,24", "70,28 57,12 38,16 29,34 38,49 56,47 70,28 69,58 62,92"];

/// The strokes of an example, with corners cut as a hand cuts them.
export function strokes_of(example) {
    return example.split(";").map(text => {
        let points = text.split(" ").map(point => point.split(",").map(percent => percent / 100));
        for (let round = 0; round < 3; ++round) {
            const between = (a, b, share) => [0, 1].map(axis => a[axis] + share * (b[axis] - a[axis]));
            points = [points[0], ...points.slice(1).flatMap((point, i) => [between(points[i], point, 0.25), between(points[i], point, 0.75)]), points.at(-1)];
        }
        return points;
    });
}

function element(name, properties = {}, ...children) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
}

/// Fills an element with the drawing area and the bars. `bytes` are those of digits.wasm.
export async function show(place, bytes) {
    const predict = await load(bytes, 784, 10);
    const namespace = "http://www.w3.org/2000/svg", drawing = document.createElementNS(namespace, "svg");
    const attributes = {viewBox: "0 0 1 1", class: "digit-drawing", role: "img", "aria-label": "Area to draw a digit in, with the mouse or a finger"};
    for (const [name, value] of Object.entries(attributes)) drawing.setAttribute(name, value);
    const lines = drawing.appendChild(document.createElementNS(namespace, "path"));  // one path: crossings of translucent lines are not darker
    const seen = element("canvas", {width: 28, height: 28, className: "digit-seen"});
    seen.setAttribute("role", "img");
    seen.setAttribute("aria-label", "The drawing as the network gets it, 28 by 28 pixels");
    const bars = Array.from({length: 10}, (_, digit) => {
        const bar = element("i"), percent = element("span");
        return {row: element("li", {}, element("b", {textContent: digit}), element("span", {className: "digit-track"}, bar), percent), bar, percent};
    });
    const answer = element("p", {className: "digit-answer"}), told = element("p", {className: "digit-told"});
    told.setAttribute("role", "status");  // for screen readers: at the end of a stroke, not at each of its points
    const clear = element("button", {type: "button", textContent: "Clear"});
    const choices = examples.map((_, digit) => element("button", {type: "button", textContent: digit, ariaLabel: `Example of a ${digit}`}));
    place.replaceChildren(
        element("div", {className: "digit-left"}, drawing, element("div", {className: "digit-buttons"}, clear, seen)),
        element("div", {className: "digit-right"}, answer, element("ol", {}, ...bars.map(({row}) => row)), told),
        element("div", {className: "digit-buttons digit-examples"}, element("span", {textContent: "Examples:"}), ...choices));

    let strokes = [], pointer = null, waiting = false;
    function update() {
        waiting = false;
        lines.setAttribute("d", strokes.map(points => `M${points.map(point => point.map(share => share.toFixed(3))).join("L")}h0`).join(""));
        const pixels = picture(strokes), context = seen.getContext("2d"), image = context.createImageData(28, 28);
        pixels.forEach((light, i) => image.data.set([255 * light, 255 * light, 255 * light, 255], 4 * i));
        context.putImageData(image, 0, 0);
        const began = performance.now(), shares = predict(pixels), took = performance.now() - began;
        const best = shares.indexOf(Math.max(...shares)), empty = strokes.length === 0;
        bars.forEach(({row, bar, percent}, digit) => {
            const share = empty ? 0 : shares[digit];
            row.className = !empty && digit === best ? "digit-best" : "";
            bar.style.width = `${100 * share}%`;
            percent.textContent = empty ? "" : `${(100 * share).toFixed(1)} %`;
        });
        answer.textContent = empty ? "Draw a digit from 0 to 9." : `${shares[best] < 0.6 ? "Perhaps" : "It is"} a ${best}. Computed in ${Math.max(0.1, took).toFixed(1)} ms.`;
        if (pointer === null) told.textContent = empty ? "" : `The network reads a ${best}, with ${Math.round(100 * shares[best])} percent.`;
    }
    /// Once for each picture on the screen, however many points have come.
    function soon() {
        if (!waiting) requestAnimationFrame(update);
        waiting = true;
    }
    function wipe() {
        strokes = [];
        pointer = null;
        soon();
    }
    const point = event => {
        const box = drawing.getBoundingClientRect(), inside = share => Math.min(1, Math.max(0, share));
        return [inside((event.clientX - box.left) / box.width), inside((event.clientY - box.top) / box.height)];
    };
    drawing.addEventListener("pointerdown", event => {
        if (pointer !== null || event.button !== 0) return;
        event.preventDefault();
        pointer = event.pointerId;
        drawing.setPointerCapture(pointer);
        strokes.push([point(event)]);
        soon();
    });
    drawing.addEventListener("pointermove", event => {
        if (event.pointerId !== pointer) return;
        const stroke = strokes.at(-1);
        for (const each of event.getCoalescedEvents?.() ?? [event]) {
            const [x, y] = point(each), [last_x, last_y] = stroke.at(-1);
            if (Math.hypot(x - last_x, y - last_y) > 0.012) stroke.push([x, y]);
        }
        soon();
    });
    for (const end of ["pointerup", "pointercancel", "lostpointercapture"])
        drawing.addEventListener(end, event => {
            if (event.pointerId !== pointer) return;
            pointer = null;
            soon();
        });
    clear.addEventListener("click", wipe);
    choices.forEach((choice, digit) => choice.addEventListener("click", () => {
        wipe();
        strokes = strokes_of(examples[digit]);
    }));
    update();
}
