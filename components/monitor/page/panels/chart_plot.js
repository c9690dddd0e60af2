// SPDX-License-Identifier: BSL-1.0
// The plot of a chart: axes, lines and bands, and the cursor that all charts share.
import {colour, colours, h, number} from "../dom.js";
import {log_splits, roomy, spread, time_labels} from "./axes.js";

const edge = 30, left = 62;

/// Draws a number that holds as stairs, from change to change.
const stairs = line => line.held ? {paths: uPlot.paths.stepped({align: 1})} : {};

function axes_of({kept}) {
    const lined = {stroke: colour("dim"), grid: {stroke: colour("line"), width: 1}, ticks: {stroke: colour("line"), width: 1}, font: "12px system-ui"};
    // uPlot labels only whole decades of a logarithmic axis; the filter labels every place.
    const logarithmic = (length, least) => ({splits: (u, _, low, high) => log_splits(low, high, Math.max(60, length(u)), least), filter: (_, places) => places});
    return [{...lined, size: 34, ...kept.log_x ? logarithmic(u => u.width - left - edge, 58) : {},
             values: (_, at) => kept.by_time ? time_labels(at) : at.map(v => v === null ? "" : number(v, 4))},
            {...lined, size: left, ...kept.log_y ? logarithmic(u => u.height - 44, 24) : {}, values: (_, at) => at.map(v => v === null ? "" : number(v, 4))}];
}
function scales_of(chart) {
    const {kept} = chart;
    const range = (_, low, high) => {
        const part = chart.part;
        return part && Boolean(part.by_time) === kept.by_time ? spread(kept.log_x ? Math.max(part.from, chart.positive()) : part.from, part.to, kept.log_x) : spread(low, high, kept.log_x);
    };
    return {x: {time: false, distr: kept.log_x ? 3 : 1, range}, y: kept.log_y ? {distr: 3, range: (_, low, high) => roomy(low, high)} : {distr: 1}};
}
function series_of(chart) {
    const paint = colours(), series = [], bands = [];
    chart.lines.forEach((line, i) => {
        if (!chart.banded[i]) return;
        const own = paint[chart.look(line, i).colour], side = {stroke: `${own}70`, width: 1, ...stairs(line), points: {show: false}, show: chart.visible(line)}, [low, high] = chart.band_of(i);
        series.push({...side}, {...side});
        bands.push({series: [high, low], fill: `${own}38`});
    });
    const means = chart.lines.map((line, i) => ({label: line.label(), stroke: `${paint[chart.look(line, i).colour]}${chart.look(line, i).pale ? "90" : ""}`, dash: chart.look(line, i).dash, width: line.run === null ? 1.8 : 1.4,
                                                 ...stairs(line), points: {show: false}, show: chart.visible(line)}));
    return {series: [{}, ...series, ...means], bands};
}

/// Makes the plot. `draw(u)` draws over the lines, `pointed()` is called when the pointer moves over this or another chart, and `ready(u)` once, and `clicked(event)` at a click.
export function make_plot(chart, values, {draw, pointed, ready, clicked}) {
    const means = chart.column_of(0);
    const plot = new uPlot({
        ...chart.size(), padding: [10, edge, 0, 0], legend: {show: false}, pxAlign: 0, scales: scales_of(chart), axes: axes_of(chart), ...series_of(chart),
        cursor: {
            drag: {x: true, y: false, setScale: false}, points: {size: 6, show: (_, i) => i >= means && h("div")},
            // Charts of one axis have one cursor. A drag, which zooms, is of one chart only.
            sync: {key: chart.kept.by_time ? "time" : "iteration", scales: ["x", null], filters: {pub: type => type === "mousemove", sub: type => type === "mousemove" && chart.seen}},
        },
        hooks: {
            ready: [ready],
            draw: [draw],
            setCursor: [pointed],
            setSelect: [u => {
                const {left: at, width} = u.select;
                if (width < 4) return;
                const [from, to] = [at, at + width].map(pixel => u.posToVal(pixel, "x"));
                u.setSelect({left: 0, top: 0, width: 0, height: 0}, false);
                chart.show_part({from, to});
            }],
        },
    }, values, chart.place);
    plot.over.addEventListener("click", clicked);
    plot.over.addEventListener("dblclick", () => chart.whole());
    return plot;
}
