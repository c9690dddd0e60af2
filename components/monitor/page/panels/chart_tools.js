// SPDX-License-Identifier: BSL-1.0
// The toolbar of a chart: smoothing, axes, other runs, and the visible part.
import {clear, duration, h, number} from "../dom.js";
import {beside, nearer} from "./axes.js";

const windows = {iteration: [100, 1000, 10_000, 100_000], time: [60, 600, 3600, 86_400]};
/// Describes a window that follows the run: "last 1 000", "last 10:00".
export const window_text = (size, by_time) => `last ${by_time ? duration(size) : number(Math.round(size))}`;

function make_range(chart) {
    const select = h("select", {class: "quiet", "aria-label": `Range of ${chart.panel.title}`, onchange: () => { if (select.value !== "part") chart.follow(select.value ? Number(select.value) : null); }});
    let before = "";
    return {select, show() {
        const {kept, following, zoom} = chart, now = JSON.stringify([kept.by_time, following?.size, Boolean(zoom)]);
        if (now === before) return;
        before = now;
        const sizes = [...new Set([...windows[kept.by_time ? "time" : "iteration"], ...following ? [following.size] : []])].sort((a, b) => a - b);
        clear(select).append(h("option", {value: ""}, "whole run"), ...sizes.map(size => h("option", {value: String(size)}, window_text(size, kept.by_time))),
            ...zoom ? [h("option", {value: "part"}, "selected part")] : []);
        select.value = zoom ? "part" : following ? String(following.size) : "";
    }};
}

/// Makes {element, over, show()}: controls above the plot and over it. `show` updates the controls of the visible part.
export function make_toolbar(chart) {
    const {kept, panel} = chart;
    const slider = h("input", {type: "range", min: 0, max: 0.995, step: 0.005, value: kept.smooth, "aria-label": "Smoothing",
        oninput: () => { kept.smooth = Number(slider.value); chart.keep(); chart.redraw(); }});
    const switch_of = (name, text) => h("button", {class: "quiet", "aria-pressed": String(kept[name]), onclick: event => {
        kept[name] = !kept[name];
        event.currentTarget.setAttribute("aria-pressed", String(kept[name]));
        chart.keep();
        chart.rebuild();
    }}, text);
    const axis = h("select", {class: "quiet", "aria-label": "Axis", onchange: () => {
        kept.by_time = axis.value === "time";
        chart.keep();
        if (chart.zoom || kept.window) chart.whole();
        toolbar.show();
        chart.rebuild();
    }}, ["iteration", "time"].map(word => h("option", {value: word}, `by ${word}`)));
    axis.value = kept.by_time ? "time" : "iteration";
    const range = make_range(chart), back = h("button", {class: "quiet", onclick: () => chart.whole()}, "whole run");
    const follow = h("button", {class: "quiet", title: "Show the newest part of this size", onclick: () => chart.follow(chart.zoom.to - chart.zoom.from)}, "follow");
    // Buttons for keyboard and touch; a mouse drags instead.
    const tool = (text, name, work) => h("button", {class: "quiet", title: name, "aria-label": `${name}: ${panel.title}`, onclick: work}, text);
    const ways = h("span", {role: "group", "aria-label": `Part of ${panel.title}`},
        tool("◀", "Earlier", () => chart.see(beside, -0.5)), tool("+", "Zoom in", () => chart.see(nearer, 1.5)), tool("−", "Zoom out", () => chart.see(nearer, 1 / 1.5)),
        tool("□", "Show all", () => chart.whole()), tool("▶", "Later", () => chart.see(beside, 0.5)));
    const toolbar = {
        element: h("div", {class: "toolbar"}, h("label", {}, "smooth", slider), switch_of("log_y", "log y"), switch_of("log_x", "log x"), axis, range.select,
            panel.only_runs || panel.labels ? null : chart.menu.element, h("span", {class: "grow"}), ways),
        over: h("div", {class: "row"}, follow, back),  // over the plot, so that nothing moves when they appear
        show() { range.show(); follow.hidden = back.hidden = !chart.zoom; },
    };
    toolbar.show();
    return toolbar;
}
