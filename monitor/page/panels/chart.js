// SPDX-License-Identifier: BSL-1.0
// Lines of any numbers over iterations: zoom, smoothing, logarithmic axes, other runs over them, export.
import {connection} from "../connection.js";
import {clear, colour, colours, download, duration, h, memory, number} from "../dom.js";
import {runs, trainer_with} from "../runs.js";
import {Line, aligned, most_points, smoothed} from "./line.js";
import {dashes, make_menu} from "./run_menu.js";

export function create(panel, body) {
    const key = `chart.${panel.id}`, kept = {smooth: 0, log_x: false, log_y: false, by_time: false, off: [], ...memory.get(key, {})};
    const keep = () => memory.set(key, kept);
    const own = panel.only_runs ? [] : panel.series.map(name => new Line({trainer: panel.trainer, name})), ends = [], menu = make_menu();
    let lines = own;
    let plot = null, drawing = 0, zoom = null, reading = 0;
    const place = h("div", {class: "plot"}), legend = h("div", {class: "legend"}), empty = h("p", {class: "empty"}, "No points yet");
    const slider = h("input", {type: "range", min: 0, max: 0.995, step: 0.005, value: kept.smooth, "aria-label": "Smoothing",
        oninput: () => { kept.smooth = Number(slider.value); keep(); redraw(); }});
    const switch_of = (name, text) => h("button", {class: "quiet", "aria-pressed": String(kept[name]), onclick: event => {
        kept[name] = !kept[name];
        event.currentTarget.setAttribute("aria-pressed", String(kept[name]));
        keep();
        rebuild();
    }}, text);
    const axis = h("select", {class: "quiet", "aria-label": "Axis", onchange: () => {
        kept.by_time = axis.value === "time";
        keep();
        if (zoom) back.click();
        rebuild();
    }}, ["iteration", "time"].map(word => h("option", {value: word}, `by ${word}`)));
    axis.value = kept.by_time ? "time" : "iteration";
    const back = h("button", {class: "quiet", hidden: true, onclick: () => { zoom = null; back.hidden = true; read_all(); }}, "whole run");
    body.append(h("div", {class: "toolbar"}, h("label", {}, "smooth", slider), switch_of("log_y", "log y"), switch_of("log_x", "log x"), axis, panel.only_runs ? null : menu.element, h("span", {class: "grow"}), back), empty, place, legend);

    const visible = line => !kept.off.includes(line.key);
    /// Lines of the program have the first colours; those of another run others, and dashes where it shows over them.
    function look(line, i) {
        if (line.run === null) return {colour: i % 8, dash: []};
        const of_run = line.place * panel.series.length + panel.series.indexOf(line.name), place = of_run + own.length;
        return {colour: place % 8, dash: dashes[(Math.floor(place / 8) + (own.length ? 1 : 0)) % dashes.length]};
    }
    function data() {
        const [x, ...y] = aligned(lines.map(line => {
            const {x: at, y: values} = line.over(kept.by_time);
            return {x: at, y: smoothed(values, kept.smooth)};
        }));
        // A logarithmic axis has no place for what is not positive.
        const fit = kept.log_y ? y.map(line => line.map(v => v === undefined ? v : v > 0 ? v : null)) : y;
        return kept.log_x ? [x.map(v => Math.max(v, 0.5)), ...fit] : [x, ...fit];
    }
    function rebuild() {
        plot?.destroy();
        plot = null;
        redraw();
    }
    function make(values) {
        const lined = {stroke: colour("dim"), grid: {stroke: colour("line"), width: 1}, ticks: {stroke: colour("line"), width: 1}, font: "12px system-ui"};
        const paint = colours();
        plot = new uPlot({
            width: Math.max(200, place.clientWidth), height: 250, padding: [10, 14, 0, 0], legend: {show: false}, pxAlign: 0,
            cursor: {drag: {x: true, y: false}, points: {size: 6}},
            scales: {x: {time: false, distr: kept.log_x ? 3 : 1}, y: {distr: kept.log_y ? 3 : 1}},
            axes: [{...lined, size: 34, values: (_, at) => at.map(v => v === null ? "" : kept.by_time ? duration(v) : number(v, 4))}, {...lined, size: 62, values: (_, at) => at.map(v => v === null ? "" : number(v, 4))}],
            series: [{}, ...lines.map((line, i) => ({label: line.label(), stroke: paint[look(line, i).colour], dash: look(line, i).dash, width: line.run === null ? 1.8 : 1.4,
                                                     spanGaps: true, points: {show: false}, show: visible(line)}))],
            hooks: {
                setCursor: [show_values],
                setSelect: [u => {
                    if (u.select.width < 4) return;
                    const [from, to] = [u.select.left, u.select.left + u.select.width].map(at => u.posToVal(at, "x"));
                    zoom = kept.by_time ? {from, to, by_time: true} : {from: Math.max(0, Math.floor(from)), to: Math.ceil(to)};
                    back.hidden = false;
                    read_all();
                }],
            },
        }, values, place);
        plot.over.addEventListener("dblclick", () => back.click());
    }
    function show_values() {
        legend.querySelectorAll("b").forEach((place_of_value, i) => {
            const column = plot?.data[i + 1], at = plot?.cursor.idx;
            let value = at === null || at === undefined ? undefined : column?.[at];
            if (value === undefined && column) for (let k = at ?? column.length - 1; k >= 0; --k) if (column[k] !== undefined && column[k] !== null) { value = column[k]; break; }
            place_of_value.textContent = number(value ?? null, 5);
        });
    }
    function redraw() {
        if (drawing) return;
        drawing = requestAnimationFrame(() => {
            drawing = 0;
            const any = lines.some(line => line.x.length);
            empty.hidden = any;
            place.hidden = !any;
            if (!any) return;
            const values = data();
            if (!plot) make(values); else plot.setData(values);
            show_values();
        });
    }
    async function read_all() {
        const mine = ++reading;
        await Promise.all(lines.map(line => line.read(zoom).catch(() => {})));
        if (mine === reading) redraw();
    }
    function draw_legend() {
        const alone = panel.series.length === 1;
        clear(legend).append(...lines.map((line, i) => h("button", {"aria-pressed": String(visible(line)), "data-line": line.key, onclick: event => {
            const off = !visible(line);
            kept.off = off ? kept.off.filter(other => other !== line.key) : [...kept.off, line.key];
            event.currentTarget.setAttribute("aria-pressed", String(off));
            keep();
            plot?.setSeries(i + 1, {show: off});
        }}, swatch(line, i), h("span", {}, line.label(alone)), h("b", {}, "–"))));
    }
    function swatch(line, i) {
        const {colour: at, dash} = look(line, i), element = h("i", {class: dash.length ? "swatch dashed" : "swatch"});
        element.style.background = `var(--series-${at + 1})`;
        return element;
    }
    /// The lines of runs that are chosen now: those that were there stay as they are, and what is new or grows is read.
    async function take_runs() {
        menu.show();
        const others = [], fresh = [];
        for (const run of runs.chosen())
            for (const name of panel.series) {
                const trainer = trainer_with(run, panel.trainer, name);
                if (!trainer) continue;
                const place = runs.place(run.id), there = lines.find(line => line.run === run.id && line.name === name && line.place === place);
                const line = there ?? new Line({trainer: trainer.name, name, run: run.id, place});
                others.push(line);
                if (!there || (run.growing && !zoom) || run.read < 1) fresh.push(line);
            }
        const now = [...own, ...others], changed = now.length !== lines.length || now.some((line, i) => line !== lines[i]);
        lines = now;
        if (changed) {
            draw_legend();
            rebuild();
        }
        if (!fresh.length) return;
        await Promise.all(fresh.map(line => line.read(zoom).catch(() => {})));
        if (drawing >= 0) redraw();
    }
    const observer = new ResizeObserver(() => { if (plot && place.clientWidth) plot.setSize({width: place.clientWidth, height: 250}); });
    const again = () => read_all();
    return {
        tools: [
            h("button", {class: "quiet", title: "Numbers as CSV", "aria-label": `${panel.title} as CSV`, onclick: async () => {
                const columns = await Promise.all(lines.map(line => line.history({points: 10000})));
                const [x, ...y] = aligned(columns), quoted = text => /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
                const rows = [["iteration", ...lines.map(line => quoted(line.label()))], ...x.map((at, i) => [at, ...y.map(line => line[i] ?? "")])];
                download(`${panel.title}.csv`, rows.map(row => row.join(",")).join("\n") + "\n", "text/csv");
            }}, "csv"),
            h("button", {class: "quiet", title: "Picture as PNG", "aria-label": `${panel.title} as PNG`, onclick: () => {
                if (!plot) return;
                const from = plot.ctx.canvas, canvas = h("canvas", {width: from.width, height: from.height}), to = canvas.getContext("2d");
                to.fillStyle = colour("card");
                to.fillRect(0, 0, canvas.width, canvas.height);
                to.drawImage(from, 0, 0);
                canvas.toBlob(blob => download(`${panel.title}.png`, blob));
            }}, "png")],
        begin() {
            observer.observe(place);
            draw_legend();
            own.forEach(line => ends.push(connection.subscribe(line.trainer, line.name, {
                add: points => { if (!zoom) { line.add(points); if (line.x.length > 4 * most_points) again(); else redraw(); } },
                again,
            })));
            connection.addEventListener("hello", again);
            ends.push(runs.watch());
            for (const event of ["list", "chosen"]) runs.addEventListener(event, take_runs);
            take_runs();
            again();
        },
        end() {
            observer.disconnect();
            ends.splice(0).forEach(end => end());
            connection.removeEventListener("hello", again);
            for (const event of ["list", "chosen"]) runs.removeEventListener(event, take_runs);
        },
        recolour: rebuild,
        drop() {
            if (drawing) cancelAnimationFrame(drawing);
            drawing = -1;
            plot?.destroy();
        },
    };
}
