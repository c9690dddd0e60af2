// SPDX-License-Identifier: BSL-1.0
// Lines of any numbers over iterations: zoom, smoothing, logarithmic axes, other runs over them, export.
import {connection, query} from "../connection.js";
import {colour, colours, download, h, memory, number} from "../dom.js";

const most_points = 1500;

/// Points of one line. Thinned ones come with the extremes of what each stands for.
class Line {
    constructor(trainer, name) { this.trainer = trainer; this.name = name; this.x = []; this.y = []; }
    async read(from, to) {
        const got = await query("/api/history", {trainer: this.trainer, name: this.name, from, to, points: most_points});
        this.x = []; this.y = [];
        // A bucket is drawn as its lowest and highest point, so that no spike is lost.
        got.x.forEach((x, i) => {
            const low = got.low?.[i] ?? got.y[i], high = got.high?.[i] ?? got.y[i];
            if (got.low && low !== high) { this.x.push(x, x); this.y.push(low, high); }
            else { this.x.push(x); this.y.push(got.y[i]); }
        });
    }
    add(points) {
        for (const [x, y] of points) if (!this.x.length || x > this.x[this.x.length - 1]) { this.x.push(x); this.y.push(y); }
    }
}

/// Mean with weights that fall by `share` from point to point, without the pull of a first value (as Adam's).
export function smoothed(y, share) {
    if (!share) return y;
    let sum = 0, weight = 0;
    return y.map(value => {
        if (value === null || !Number.isFinite(value)) return value;
        sum = share * sum + (1 - share) * value;
        weight = share * weight + (1 - share);
        return sum / weight;
    });
}

/// All lines over one axis, which uPlot wants sorted and of distinct places; what a line lacks is undefined (a gap is null).
export function aligned(lines) {
    const places = [...new Set(lines.flatMap(line => line.x))].sort((a, b) => a - b);
    const index = new Map(places.map((x, i) => [x, i]));
    return [places, ...lines.map(line => {
        const y = new Array(places.length).fill(undefined);
        line.x.forEach((x, i) => { y[index.get(x)] = line.y[i]; });
        return y;
    })];
}

export function create(panel, body) {
    const key = `chart.${panel.id}`, kept = {smooth: 0, log_x: false, log_y: false, off: [], ...memory.get(key, {})};
    const keep = () => memory.set(key, kept);
    const lines = panel.series.map(name => new Line(panel.trainer, name)), ends = [];
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
    const back = h("button", {class: "quiet", hidden: true, onclick: () => { zoom = null; back.hidden = true; read_all(); }}, "whole run");
    body.append(h("div", {class: "toolbar"}, h("label", {}, "smooth", slider), switch_of("log_y", "log y"), switch_of("log_x", "log x"), h("span", {class: "grow"}), back), empty, place, legend);

    const shown = () => lines.map((line, i) => ({line, i})).filter(({line}) => !kept.off.includes(line.name));
    function data() {
        const [x, ...y] = aligned(lines.map(line => ({x: line.x, y: smoothed(line.y, kept.smooth)})));
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
        const axis = {stroke: colour("dim"), grid: {stroke: colour("line"), width: 1}, ticks: {stroke: colour("line"), width: 1}, font: "12px system-ui"};
        const paint = colours();
        plot = new uPlot({
            width: Math.max(200, place.clientWidth), height: 250, padding: [10, 14, 0, 0], legend: {show: false}, pxAlign: 0,
            cursor: {drag: {x: true, y: false}, points: {size: 6}},
            scales: {x: {time: false, distr: kept.log_x ? 3 : 1}, y: {distr: kept.log_y ? 3 : 1}},
            axes: [{...axis, size: 34, values: (_, at) => at.map(v => number(v, 4))}, {...axis, size: 62, values: (_, at) => at.map(v => v === null ? "" : number(v, 4))}],
            series: [{}, ...lines.map((line, i) => ({label: line.name, stroke: paint[i % paint.length], width: 1.6, spanGaps: true, points: {show: false},
                                                     show: !kept.off.includes(line.name)}))],
            hooks: {
                setCursor: [show_values],
                setSelect: [u => {
                    if (u.select.width < 4) return;
                    const from = Math.floor(u.posToVal(u.select.left, "x")), to = Math.ceil(u.posToVal(u.select.left + u.select.width, "x"));
                    zoom = {from: Math.max(0, from), to};
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
        await Promise.all(lines.map(line => line.read(zoom?.from, zoom?.to).catch(() => {})));
        if (mine === reading) redraw();
    }
    lines.forEach((line, i) => legend.append(h("button", {"aria-pressed": String(!kept.off.includes(line.name)), onclick: event => {
        const off = kept.off.includes(line.name);
        kept.off = off ? kept.off.filter(name => name !== line.name) : [...kept.off, line.name];
        event.currentTarget.setAttribute("aria-pressed", String(off));
        keep();
        plot?.setSeries(i + 1, {show: off});
    }}, swatch(i), h("span", {}, line.name), h("b", {}, "–"))));
    function swatch(i) {
        const element = h("i", {class: "swatch"});
        element.style.background = `var(--series-${i % 8 + 1})`;
        return element;
    }
    const observer = new ResizeObserver(() => { if (plot && place.clientWidth) plot.setSize({width: place.clientWidth, height: 250}); });
    const again = () => read_all();
    return {
        tools: [
            h("button", {class: "quiet", title: "Numbers as CSV", "aria-label": `${panel.title} as CSV`, onclick: async () => {
                const columns = await Promise.all(lines.map(async line => query("/api/history", {trainer: line.trainer, name: line.name, points: 10000}).then(got => ({x: got.x, y: got.y}))));
                const [x, ...y] = aligned(columns), quoted = text => /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
                const rows = [["iteration", ...lines.map(line => quoted(line.name))], ...x.map((at, i) => [at, ...y.map(line => line[i] ?? "")])];
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
            lines.forEach(line => ends.push(connection.subscribe(line.trainer, line.name, {
                add: points => { if (!zoom) { line.add(points); if (line.x.length > 4 * most_points) again(); else redraw(); } },
                again,
            })));
            connection.addEventListener("hello", again);
            again();
        },
        end() {
            observer.disconnect();
            ends.forEach(end => end());
            connection.removeEventListener("hello", again);
            if (drawing) cancelAnimationFrame(drawing);
            drawing = -1;
            plot?.destroy();
        },
    };
}
