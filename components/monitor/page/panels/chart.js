// SPDX-License-Identifier: BSL-1.0
// Lines of any numbers over iterations: zoom, smoothing, logarithmic axes, other runs over them, export.
import {attempt, connection, ending_of} from "../connection.js";
import {clear, colour, colours, download, duration, h, memory, number} from "../dom.js";
import {runs, trainer_with} from "../runs.js";
import {beside, log_splits, nearer, roomy, spread, time_labels} from "./axes.js";
import {csv, picture} from "./exported.js";
import {Line, aligned, most_points, smoothed} from "./line.js";
import {dashes, make_menu} from "./run_menu.js";

export function create(panel, body) {
    const key = `chart.${panel.id}`, kept = {smooth: 0, log_x: false, log_y: false, by_time: false, off: [], ...memory.get(key, {})};
    const keep = () => memory.set(key, kept);
    const own = panel.only_runs ? [] : panel.series.map(name => new Line({trainer: panel.trainer, name})), ends = [], menu = make_menu();
    const unread = new Set();
    let lines = own, seen = false;
    let plot = null, drawing = 0, zoom = null, reading = 0, banded = [], steps = "", held_to = "";
    const place = h("div", {class: "plot", role: "img"}), notes = h("ul", {class: "notes", hidden: true}), legend = h("div", {class: "legend"}), empty = h("p", {class: "empty"}, "No points yet");
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
        if (zoom) whole();
        rebuild();
    }}, ["iteration", "time"].map(word => h("option", {value: word}, `by ${word}`)));
    axis.value = kept.by_time ? "time" : "iteration";
    const back = h("button", {class: "quiet", hidden: true, onclick: () => whole()}, "whole run");
    // Buttons for keyboard and touch; a mouse drags instead.
    const tool = (text, name, work) => h("button", {class: "quiet", title: name, "aria-label": `${name}: ${panel.title}`, onclick: work}, text);
    const ways = h("span", {role: "group", "aria-label": `Part of ${panel.title}`},
        tool("◀", "Earlier", () => see(beside, -0.5)), tool("+", "Zoom in", () => see(nearer, 1.5)), tool("−", "Zoom out", () => see(nearer, 1 / 1.5)),
        tool("□", "Show all", () => whole()), tool("▶", "Later", () => see(beside, 0.5)));
    body.append(h("div", {class: "toolbar"}, h("label", {}, "smooth", slider), switch_of("log_y", "log y"), switch_of("log_x", "log x"), axis, panel.only_runs ? null : menu.element, h("span", {class: "grow"}), back, ways), empty, place, legend, notes);

    /// Returns the trainer of a line, from the program or the run's folder.
    const trainer_of = line => line.run === null ? connection.state?.trainers.find(one => one.name === line.trainer)
        : runs.list.find(run => run.id === line.run)?.trainers.find(one => one.name === line.trainer);
    /// Returns the progress of a line's run on the visible axis.
    function reached(line) {
        const trainer = trainer_of(line), to = trainer && (kept.by_time ? trainer.runtime ?? trainer.seconds : trainer.iteration) || null;
        return zoom && to !== null ? Math.min(to, zoom.to) : to;
    }
    /// Returns the places where runs ended early: {x, text, colour, line}.
    const endings = () => lines.flatMap((line, i) => {
        const trainer = trainer_of(line);
        if (!trainer || !["failed", "stopped", "broken off"].includes(trainer.state) || !line.x.length) return [];
        const whole = line.over(kept.by_time, reached(line)), x = kept.by_time ? whole.x.at(-1) : trainer.ended ?? trainer.iteration ?? whole.x.at(-1);
        return [{x, text: ending_of(trainer), state: trainer.state, colour: trainer.state === "failed" ? "bad" : "warn", line, i}];
    });
    /// Describes the chart in words.
    function tell() {
        const ended = new Map(endings().filter(({line}) => visible(line)).map(({x, text, state, line}) =>
            [line.run ?? line.trainer, {class: state === "failed" ? "failed" : "", text: `${line.run === null ? "" : `${line.run} `}${text}, ${kept.by_time ? `after ${duration(x)}` : `at iteration ${number(x)}`}`}]));
        const odd = lines.filter(visible).flatMap(line => {
            const odd = line.odd();
            return odd ? [{class: odd.now && line.y.some(v => v !== null) ? "failed" : "", text: `${line.label()}: ${odd.words.join(", ")} at ${number(odd.points)} ${odd.points === 1 ? "point" : "points"}`}] : [];
        });
        const all = [...ended.values(), ...odd], now = JSON.stringify(all);
        place.setAttribute("aria-label", `Chart of ${lines.filter(visible).map(line => `${line.label()}, latest ${number(line.latest().value ?? null)}`).join("; ")}`);
        if (notes.dataset.now === now) return;
        notes.dataset.now = now;
        notes.hidden = !all.length;
        clear(notes).append(...all.map(note => h("li", {class: note.class}, note.text)));
    }
    /// Draws ends of runs, and numbers that are not finite at the edges, since they have no place on the y axis.
    function draw_marks(u) {
        const {ctx, bbox: {left, top, width, height}} = u, ratio = devicePixelRatio, size = 5 * ratio, paint = colours();
        const inside = x => x >= left - 1 && x <= left + width + 1;
        ctx.save();
        const rows = [];  // occupied ranges of each row of words at the top
        for (const ending of new Map(endings().filter(({line}) => visible(line)).map(one => [`${one.x} ${one.state}`, one])).values()) {
            const at = u.valToPos(kept.log_x ? Math.max(ending.x, positive()) : ending.x, "x", true);
            if (!inside(at)) continue;
            ctx.strokeStyle = ctx.fillStyle = colour(ending.colour);
            ctx.lineWidth = 1.5 * ratio;
            ctx.setLineDash([4 * ratio, 3 * ratio]);
            ctx.beginPath();
            ctx.moveTo(at, top);
            ctx.lineTo(at, top + height);
            ctx.stroke();
            ctx.font = `600 ${12 * ratio}px system-ui`;
            const to_left = at > left + width / 2, long = ctx.measureText(ending.state).width + 2 * size;
            const from = to_left ? at - long : at, to = from + long;
            let row = 0;
            while (rows[row]?.some(other => from < other.to && to > other.from)) ++row;
            (rows[row] ??= []).push({from, to});
            ctx.textAlign = to_left ? "right" : "left";
            ctx.textBaseline = "top";
            ctx.fillText(ending.state, at + (to_left ? -size : size), top + (2 + 15 * row) * ratio);
        }
        ctx.setLineDash([]);
        lines.forEach((line, i) => {
            if (!visible(line) || !line.words.some(Boolean)) return;
            ctx.strokeStyle = ctx.fillStyle = paint[look(line, i).colour];
            ctx.lineWidth = 1.8 * ratio;
            const {x, y, words} = line.over(kept.by_time), first = y.findIndex(value => value !== null);
            x.forEach((v, k) => {
                if (k < first) return;  // no value yet
                for (const word of words[k] ?? []) {
                    const at = u.valToPos(kept.log_x ? Math.max(v, positive()) : v, "x", true);
                    if (!inside(at)) continue;
                    const up = word === "inf", edge = up ? top : top + height, way = up ? 1 : -1;
                    ctx.beginPath();
                    if (word === "nan") {
                        ctx.moveTo(at - size, edge - 2.2 * size);
                        ctx.lineTo(at + size, edge - 0.2 * size);
                        ctx.moveTo(at + size, edge - 2.2 * size);
                        ctx.lineTo(at - size, edge - 0.2 * size);
                        ctx.stroke();
                    } else {
                        ctx.moveTo(at, edge);
                        ctx.lineTo(at - size, edge + way * 1.7 * size);
                        ctx.lineTo(at + size, edge + way * 1.7 * size);
                        ctx.fill();
                    }
                }
            });
        });
        ctx.restore();
    }
    const visible = line => !kept.off.includes(line.key);
    /// Returns color and dash of a line: the first colors for the program, others for other runs, with dashes beside the program's lines.
    function look(line, i) {
        if (line.run === null) return {colour: i % 8, dash: []};
        const of_run = line.place * panel.series.length + panel.series.indexOf(line.name), place = of_run + own.length;
        return {colour: place % 8, dash: dashes[(Math.floor(place / 8) + (own.length ? 1 : 0)) % dashes.length]};
    }
    function whole() {
        zoom = null;
        back.hidden = true;
        read_all();
    }
    /// Shows a part of the axis; iterations are rounded to whole numbers.
    function show_part({from, to}) {
        zoom = kept.by_time ? {from, to, by_time: true} : {from: Math.max(0, Math.floor(from)), to: Math.ceil(to)};
        back.hidden = false;
        plot?.setScale("x", {min: zoom.from, max: zoom.to});
        read_all();
    }
    function see(change, by) {
        if (!plot) return;
        const least = positive(), ends = lines.filter(visible).flatMap(line => line.reach(kept.by_time)).map(v => kept.log_x ? Math.max(v, least) : v);
        if (!ends.length) return;
        const all = {from: Math.min(...ends), to: Math.max(...ends)}, now = zoom ?? all;
        if (change === nearer && by > 1 && kept.by_time && now.to - now.from < 1e-4 * (all.to - all.from)) return;
        const part = change({from: kept.log_x ? Math.max(now.from, least) : now.from, to: now.to}, all, by, kept.log_x);
        if (part) show_part(kept.by_time || change === nearer ? part : {from: Math.round(part.from), to: Math.round(part.to)});
        else if (zoom) whole();
    }
    /// Returns the upper limit for the start of a logarithmic axis: iteration 0 and time 0 have no place there.
    const positive = () => kept.by_time ? Math.min(1, ...lines.flatMap(line => line.seconds.find(s => s > 0) ?? [])) : 0.5;
    /// Returns columns: x, then low and high of each line with a band, then all means. A band is not smoothed, and shows the spread that smoothing removes.
    function data() {
        const all = lines.map(line => line.over(kept.by_time, reached(line))), wide = all.filter((_, i) => banded[i]);
        const [x, ...y] = aligned([...wide.flatMap(({x: at, low, high}) => [{x: at, y: low}, {x: at, y: high}]), ...all.map(({x: at, y: values}) => ({x: at, y: smoothed(values, kept.smooth)}))]);
        // A logarithmic axis has no place for numbers up to 0: bands reach down to the lowest positive number.
        const lows = 2 * wide.length;
        let floor = null;
        if (kept.log_y && lows) for (const line of y) for (const v of line) if (v > 0 && (floor === null || v < floor)) floor = v;
        const fit = kept.log_y ? y.map((line, i) => line.map(v => v === undefined || v > 0 ? v : i < lows && v !== null ? floor : null)) : y;
        const least = kept.log_x ? positive() : 0;
        return kept.log_x ? [x.map(v => Math.max(v, least)), ...fit] : [x, ...fit];
    }
    const with_bands = () => lines.map(line => !kept.smooth && line.merged);
    const column_of = i => 1 + 2 * banded.filter(Boolean).length + i;
    /// Returns the two columns of a line's band.
    const band_of = i => { const at = 1 + 2 * banded.slice(0, i).filter(Boolean).length; return [at, at + 1]; };
    function rebuild() {
        plot?.destroy();
        plot = null;
        redraw();
    }
    /// Draws a number that holds as stairs, from change to change.
    const stairs = line => line.held ? {paths: uPlot.paths.stepped({align: 1})} : {};
    function make(values) {
        const lined = {stroke: colour("dim"), grid: {stroke: colour("line"), width: 1}, ticks: {stroke: colour("line"), width: 1}, font: "12px system-ui"};
        const paint = colours(), edge = 30, left = 62;
        // uPlot labels only whole decades of a logarithmic axis; the filter labels every place.
        const logarithmic = (length, least) => ({splits: (u, _, low, high) => log_splits(low, high, Math.max(60, length(u)), least), filter: (_, places) => places});
        const series = [], bands = [];
        lines.forEach((line, i) => {
            if (!banded[i]) return;
            const stroke = `${paint[look(line, i).colour]}70`, side = {stroke, width: 1, ...stairs(line), points: {show: false}, show: visible(line)}, [low, high] = band_of(i);
            series.push({...side}, {...side});
            bands.push({series: [high, low], fill: `${paint[look(line, i).colour]}38`});
        });
        const means = column_of(0);
        plot = new uPlot({
            width: Math.max(200, place.clientWidth), height: 250, padding: [10, edge, 0, 0], legend: {show: false}, pxAlign: 0,
            cursor: {drag: {x: true, y: false, setScale: false}, points: {size: 6, show: (_, i) => i >= means && h("div")}},
            scales: {x: {time: false, distr: kept.log_x ? 3 : 1, range: (_, low, high) => zoom && !!zoom.by_time === kept.by_time
                            ? spread(kept.log_x ? Math.max(zoom.from, positive()) : zoom.from, zoom.to, kept.log_x) : spread(low, high, kept.log_x)},
                     y: kept.log_y ? {distr: 3, range: (_, low, high) => roomy(low, high)} : {distr: 1}},
            axes: [{...lined, size: 34, ...kept.log_x ? logarithmic(u => u.width - left - edge, 58) : {},
                    values: (_, at) => kept.by_time ? time_labels(at) : at.map(v => v === null ? "" : number(v, 4))},
                   {...lined, size: left, ...kept.log_y ? logarithmic(u => u.height - 44, 24) : {}, values: (_, at) => at.map(v => v === null ? "" : number(v, 4))}],
            series: [{}, ...series, ...lines.map((line, i) => ({label: line.label(), stroke: paint[look(line, i).colour], dash: look(line, i).dash, width: line.run === null ? 1.8 : 1.4,
                                                                ...stairs(line), points: {show: false}, show: visible(line)}))],
            bands,
            hooks: {
                draw: [draw_marks],
                setCursor: [show_values],
                setSelect: [u => {
                    const {left: at, width} = u.select;
                    if (width < 4) return;
                    const [from, to] = [at, at + width].map(pixel => u.posToVal(pixel, "x"));
                    u.setSelect({left: 0, top: 0, width: 0, height: 0}, false);
                    show_part({from, to});
                }],
            },
        }, values, place);
        plot.over.addEventListener("dblclick", () => whole());
    }
    /// Shows the numbers at the pointer, or the exact latest ones without a pointer. "~" marks a number that is smoothed or a mean.
    function show_values() {
        legend.querySelectorAll("b").forEach((place_of_value, i) => {
            const line = lines[i], column = plot?.data[column_of(i)], at = plot?.cursor.idx;
            let shown = line?.latest() ?? {};
            if (at !== null && at !== undefined && column) {
                let k = at;
                while (k > 0 && (column[k] === undefined || column[k] === null)) --k;
                const [low, high] = banded[i] ? band_of(i).map(of => plot.data[of][k]) : [];
                shown = {value: column[k], about: kept.smooth > 0 || low !== high};
            }
            place_of_value.textContent = `${shown.about ? "~" : ""}${number(shown.value ?? null, 5)}`;
            place_of_value.title = !shown.about ? "" : kept.smooth > 0 ? "smoothed" : "mean of merged points";
        });
    }
    function redraw() {
        if (drawing) return;
        drawing = requestAnimationFrame(() => {
            drawing = 0;
            const any = lines.some(line => line.x.length);
            empty.hidden = any;
            empty.textContent = zoom ? "No points in this part" : "No points yet";
            place.hidden = !any;
            if (!any) return;
            const bands = with_bands(), stepped = lines.map(line => line.held).join();
            if (bands.some((has, i) => has !== banded[i]) || bands.length !== banded.length || stepped !== steps) {
                plot?.destroy();
                plot = null;
                banded = bands;
                steps = stepped;
            }
            const values = data();
            if (!plot) make(values); else plot.setData(values);
            show_values();
            tell();
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
            plot?.batch(() => { for (const column of [column_of(i), ...banded[i] ? band_of(i) : []]) plot.setSeries(column, {show: off}); });
        }}, swatch(line, i), h("span", {}, line.label(alone)), h("b", {}, "–"))));
    }
    function swatch(line, i) {
        const {colour: at, dash} = look(line, i), element = h("i", {class: dash.length ? "swatch dashed" : "swatch"});
        element.style.background = `var(--series-${at + 1})`;
        return element;
    }
    /// Reads waiting lines when the chart becomes visible, so that visible charts come first.
    async function read_unread() {
        if (!seen || !unread.size) return;
        const now = [...unread].filter(line => lines.includes(line));
        unread.clear();
        await Promise.all(now.map(line => (zoom ? line.read(zoom) : line.follow()).catch(() => {})));
        if (drawing >= 0) redraw();
    }
    /// Updates the lines of the selected runs: keeps existing lines, and reads new and growing ones.
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
                // Reads a run once more after it has ended.
                if (!there || ((run.growing || line.grew) && !zoom) || run.read < 1) fresh.push(line);
                if (!zoom) line.grew = run.growing;
            }
        const now = [...own, ...others], changed = now.length !== lines.length || now.some((line, i) => line !== lines[i]);
        lines = now;
        if (changed) {
            draw_legend();
            rebuild();
        }
        for (const line of fresh) unread.add(line);
        read_unread();
    }
    const sight = new IntersectionObserver(entries => { seen = entries.at(-1).isIntersecting; read_unread(); }, {rootMargin: "200px"});
    const observer = new ResizeObserver(() => { if (plot && place.clientWidth) plot.setSize({width: place.clientWidth, height: 250}); });
    const again = () => read_all();
    /// Redraws when a run ends or a held number advances, which add no point.
    const moved = () => {
        const now = JSON.stringify(own.map(line => { const trainer = trainer_of(line); return [trainer?.state, line.held && trainer?.iteration]; }));
        if (now !== held_to) { held_to = now; redraw(); }
    };
    return {
        tools: [
            h("button", {class: "quiet", title: "Download CSV", "aria-label": `Download ${panel.title} as CSV`, onclick: async () => {
                const points = await attempt(() => Promise.all(lines.map(line => line.table(zoom, kept.by_time))));
                if (points) download(`${panel.title}.csv`, csv(kept.by_time ? "seconds" : "iteration", lines.map((line, i) => ({name: line.label(), ...points[i]}))), "text/csv");
            }}, "csv"),
            h("button", {class: "quiet", title: "Download PNG", "aria-label": `Download ${panel.title} as PNG`, onclick: () => {
                if (!plot) return;
                const paint = colours(), axis = kept.by_time ? "running time" : "iteration";
                const canvas = picture(plot, {title: panel.title, axis: kept.smooth ? `${axis}, smoothed with ${kept.smooth}` : axis,
                    lines: lines.flatMap((line, i) => visible(line) ? [{name: line.label(), colour: paint[look(line, i).colour], dash: look(line, i).dash}] : []),
                    paint: {back: colour("card"), text: colour("text"), dim: colour("dim")}});
                canvas.toBlob(blob => download(`${panel.title}.png`, blob));
            }}, "png")],
        begin() {
            observer.observe(place);
            sight.observe(body);
            draw_legend();
            own.forEach(line => ends.push(connection.subscribe(line.trainer, line.name, {
                add: points => {
                    if (zoom) { line.pass(points); return; }
                    line.add(points);
                    if (line.x.length > 4 * most_points) again(); else redraw();
                },
                again,
            })));
            connection.addEventListener("hello", again);
            connection.addEventListener("state", moved);
            ends.push(runs.watch());
            for (const event of ["list", "chosen"]) runs.addEventListener(event, take_runs);
            take_runs();
            again();
        },
        end() {
            observer.disconnect();
            sight.disconnect();
            seen = false;
            ends.splice(0).forEach(end => end());
            connection.removeEventListener("hello", again);
            connection.removeEventListener("state", moved);
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
