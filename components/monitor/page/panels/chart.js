// SPDX-License-Identifier: BSL-1.0
// Lines of any numbers over iterations or time: zoom, a window that follows the run, smoothing, logarithmic axes, other runs over them, export.
import {at_ease, attempt, connection} from "../connection.js";
import {clear, colour, colours, download, duration, h, memory, number} from "../dom.js";
import {groups_of} from "../facts.js";
import {runs, trainer_with} from "../runs.js";
import {last_part, nearer} from "./axes.js";
import {draw_marks, open_mark, tell} from "./chart_marks.js";
import {make_plot} from "./chart_plot.js";
import {make_toolbar} from "./chart_tools.js";
import {csv, picture} from "./exported.js";
import {GroupLine, Line, ParentLine, aligned, most_points, smoothed} from "./line.js";
import {marks} from "./marks.js";
import {dashes, make_menu} from "./run_menu.js";

export function create(panel, body) {
    const chart = new Chart(panel, body);
    return {tools: chart.downloads(), begin: () => chart.begin(), end: () => chart.end(), recolour: () => chart.rebuild(), drop: () => chart.drop()};
}

class Chart {
    plot = null;
    zoom = null;            // the part that the user has selected: {from, to, by_time}; null: the whole run, or a window that follows it
    banded = [];            // of each line, whether it has a band from minimum to maximum
    drawn = [];             // the points of each line in the plot
    #seen = false;
    #drawing = 0;
    #reading = 0;
    #steps = "";
    #held_to = "";
    #parents = "";
    #pointed = null;
    #ends = [];
    #unread = new Set();

    constructor(panel, body) {
        this.panel = panel;
        this.body = body;
        this.key = `chart.${panel.id}`;
        // window: {size, by_time} of the newest part that the chart shows, null for the whole run
        this.kept = {smooth: 0, log_x: false, log_y: panel.log_y ?? false, by_time: false, window: null, off: [], ...memory.get(this.key, {})};
        this.own = panel.only_runs ? [] : panel.series.map((name, i) => new Line({trainer: panel.trainer, name, label: panel.labels?.[i]}));
        this.lines = this.own;
        this.menu = make_menu();
        this.place = h("div", {class: "plot", role: "img"});
        this.notes = h("ul", {class: "notes", hidden: true});
        this.changes = h("details", {class: "changes", hidden: true});
        this.at = h("span", {class: "at"});
        this.values = h("span", {class: "values"});
        this.empty = h("p", {class: "empty"}, "No points yet");
        this.toolbar = make_toolbar(this);
        this.stage = h("div", {class: "stage"}, this.place, this.toolbar.over);
        body.append(this.toolbar.element, this.empty, this.stage, h("div", {class: "legend"}, this.at, this.values), this.notes, this.changes);
        // Each answer is used, also if more points come before it than the chart keeps.
        this.again = at_ease(() => this.read_all());
        this.moved = () => this.#moved();
        this.take_runs = () => this.#take_runs();
        this.remark = () => this.redraw();
        this.sight = new IntersectionObserver(entries => { this.#seen = entries.at(-1).isIntersecting; this.#read_unread(); }, {rootMargin: "200px"});
        this.observer = new ResizeObserver(() => { if (this.plot && this.place.clientWidth) this.plot.setSize(this.size()); });
    }
    keep() { memory.set(this.key, this.kept); }
    get seen() { return this.#seen; }
    visible(line) { return !this.kept.off.includes(line.key); }
    /// Returns the size of the plot: its height follows from its width, and fills an enlarged card.
    size() {
        const width = Math.max(200, this.place.clientWidth), card = this.body.closest(".card");
        if (card?.classList.contains("enlarged") || card?.classList.contains("solo")) return {width, height: Math.max(200, this.stage.clientHeight)};
        return {width, height: Math.round(Math.min(380, Math.max(220, 0.4 * width)))};
    }

    /// Returns the trainer of a line, from the program or the run's folder.
    trainer_of(line) {
        return line.run === null ? connection.state?.trainers.find(one => one.name === line.trainer)
            : runs.list.find(run => run.id === line.run)?.trainers.find(one => one.name === line.trainer);
    }
    /// Returns the progress of a line's run on the visible axis.
    reached(line) {
        const trainer = this.trainer_of(line), to = line.fork ? this.kept.by_time ? line.fork.seconds : line.fork.iteration : trainer && (this.kept.by_time ? trainer.runtime ?? trainer.seconds : trainer.iteration) || null;
        return this.zoom && to !== null ? Math.min(to, this.zoom.to) : to;
    }
    /// Returns color and dash of a line: the first colors for the program, others for other runs, with dashes beside the program's lines.
    /// The line of a parent has the color of its child, but pale.
    look(line, i) {
        if (line.fork) return {colour: this.look(line.of, this.own.indexOf(line.of)).colour, dash: dashes[2], pale: true};
        if (line.run === null) return {colour: i % 8, dash: []};
        const of_run = line.place * this.panel.series.length + this.panel.series.indexOf(line.name), place = of_run + this.own.length;
        return {colour: place % 8, dash: dashes[(Math.floor(place / 8) + (this.own.length ? 1 : 0)) % dashes.length]};
    }

    /// Returns the ends of the visible lines; [] without points.
    reach() {
        const {log_x, by_time} = this.kept, least = this.positive();
        return this.lines.filter(line => this.visible(line)).flatMap(line => line.reach(by_time)).map(v => log_x ? Math.max(v, least) : v);
    }
    /// Returns the window that follows the run, if the axis is the one of this window.
    get following() { return !this.zoom && this.kept.window && Boolean(this.kept.window.by_time) === this.kept.by_time ? this.kept.window : null; }
    /// Returns the visible part: {from, to, by_time, follows}; null for the whole run.
    get part() {
        if (!this.following) return this.zoom;
        const ends = this.reach();
        if (ends.length) ends.push(...this.own.filter(line => this.visible(line)).map(line => this.reached(line) ?? 0));
        return ends.length ? {...last_part({from: Math.min(...ends), to: Math.max(...ends)}, this.following.size), by_time: this.kept.by_time, follows: true} : null;
    }
    /// Shows the whole run.
    whole() { this.follow(null); }
    /// Shows the newest part of the given size; null: the whole run.
    follow(size) {
        this.zoom = null;
        this.kept.window = size === null ? null : {size, by_time: this.kept.by_time};
        this.keep();
        this.toolbar.show();
        this.read_all();
    }
    /// Shows a part of the axis; iterations are rounded to whole numbers.
    show_part({from, to}) {
        this.zoom = this.kept.by_time ? {from, to, by_time: true} : {from: Math.max(0, Math.floor(from)), to: Math.ceil(to)};
        this.toolbar.show();
        this.plot?.setScale("x", {min: this.zoom.from, max: this.zoom.to});
        this.read_all();
    }
    see(change, by) {
        const ends = this.plot ? this.reach() : [], {log_x, by_time} = this.kept;
        if (!ends.length) return;
        const all = {from: Math.min(...ends), to: Math.max(...ends)}, now = this.part ?? all;
        if (change === nearer && by > 1 && by_time && now.to - now.from < 1e-4 * (all.to - all.from)) return;
        const part = change({from: log_x ? Math.max(now.from, this.positive()) : now.from, to: now.to}, all, by, log_x);
        if (part) this.show_part(by_time || change === nearer ? part : {from: Math.round(part.from), to: Math.round(part.to)});
        else if (this.zoom || this.following) this.whole();
    }

    /// Returns the upper limit for the start of a logarithmic axis: iteration 0 and time 0 have no place there.
    positive() { return this.kept.by_time ? Math.min(1, ...this.lines.flatMap(line => line.seconds.find(s => s > 0) ?? [])) : 0.5; }
    /// Returns columns: x, then low and high of each line with a band, then all means. A band is not smoothed, and shows the spread that smoothing removes.
    data() {
        const {by_time, smooth, log_x, log_y} = this.kept;
        this.drawn = this.lines.map(line => line.over(by_time, this.reached(line)));
        const wide = this.drawn.filter((_, i) => this.banded[i]), lows = 2 * wide.length;
        const [x, ...y] = aligned([...wide.flatMap(({x: at, low, high}) => [{x: at, y: low}, {x: at, y: high}]), ...this.drawn.map(({x: at, y: values}) => ({x: at, y: smoothed(values, smooth)}))]);
        // A logarithmic axis has no place for numbers up to 0: bands reach down to the lowest positive number.
        let floor = null;
        if (log_y && lows) for (const line of y) for (const v of line) if (v > 0 && (floor === null || v < floor)) floor = v;
        const fit = log_y ? y.map((line, i) => line.map(v => v === undefined || v > 0 ? v : i < lows && v !== null ? floor : null)) : y;
        const least = log_x ? this.positive() : 0;
        return log_x ? [x.map(v => Math.max(v, least)), ...fit] : [x, ...fit];
    }
    column_of(i) { return 1 + 2 * this.banded.filter(Boolean).length + i; }
    /// Returns the two columns of a line's band.
    band_of(i) { const at = 1 + 2 * this.banded.slice(0, i).filter(Boolean).length; return [at, at + 1]; }
    rebuild() { this.#clear_plot(); this.redraw(); }
    /// Removes the plot. The next one has its cursor where this one had it.
    #clear_plot() {
        const {cursor} = this.plot ?? {};
        this.#pointed = cursor?.left >= 0 ? {left: cursor.left, top: cursor.top} : null;
        this.plot?.destroy();
        this.plot = null;
    }
    /// Shows x and the numbers at the pointer of any chart, or the exact latest ones without a pointer. "~" marks a number that is smoothed or a mean.
    show_values() {
        const {plot} = this, idx = plot?.cursor.idx, at = plot && idx !== null && idx !== undefined && plot.cursor.left >= 0 && plot.cursor.left <= plot.over.clientWidth ? idx : null;
        this.#show_place(at === null ? null : plot.data[0][at]);
        this.values.querySelectorAll("b").forEach((place, i) => {
            let shown = this.lines[i]?.latest() ?? {}, spread = "";
            const column = plot?.data[this.column_of(i)];
            if (at !== null && column) {
                let k = at;
                while (k > 0 && (column[k] === undefined || column[k] === null)) --k;
                const [low, high] = this.banded[i] ? this.band_of(i).map(of => plot.data[of][k]) : [];
                shown = {value: column[k], about: this.kept.smooth > 0 || low !== high};
                if (low !== high) spread = `${number(low, 3)} … ${number(high, 3)}`;
            }
            place.textContent = `${shown.about ? "~" : ""}${number(shown.value ?? null, 5)}`;
            place.title = !shown.about ? "" : this.kept.smooth > 0 ? "smoothed" : this.lines[i]?.members ? "mean of runs, and one standard deviation to each side" : "mean of merged points";
            if (place.nextSibling) place.nextSibling.textContent = spread;
        });
    }
    #show_place(x) {
        const {by_time} = this.kept, ends = x === null ? this.lines.flatMap(line => line.reach(by_time)) : [];
        const at = x ?? (ends.length ? Math.max(...ends, ...this.own.map(line => this.reached(line) ?? 0)) : null);
        const text = at === null ? "" : by_time ? `time ${at < 600 && !Number.isInteger(at) ? `${number(at, 3)} s` : duration(at)}` : `iteration ${number(Math.round(at))}`;
        if (this.at.textContent !== text) this.at.textContent = text;
    }
    redraw() { this.#drawing ||= requestAnimationFrame(() => { this.#drawing = 0; this.#draw(); }); }
    #draw() {
        const part = this.part, any = this.lines.some(line => line.x.length);
        if (part?.follows) for (const line of this.own) line.forget(part);
        this.empty.hidden = any;
        this.empty.textContent = this.zoom ? "No points in this part" : "No points yet";
        this.place.hidden = !any;
        if (!any) return;
        const bands = this.lines.map(line => !this.kept.smooth && line.merged), stepped = this.lines.map(line => line.held).join();
        if (bands.some((has, i) => has !== this.banded[i]) || bands.length !== this.banded.length || stepped !== this.#steps) {
            this.#clear_plot();
            this.banded = bands;
            this.#steps = stepped;
            this.draw_legend();
        }
        const values = this.data();
        if (this.plot) this.plot.setData(values);
        else {
            const at = this.#pointed;
            this.plot = make_plot(this, values, {draw: u => draw_marks(this, u), clicked: event => open_mark(this, event), pointed: () => this.show_values(), ready: u => { if (at) u.setCursor(at); }});
        }
        this.show_values();
        tell(this);
    }
    async read_all() {
        const mine = ++this.#reading;
        // A window ends where the whole run ends.
        if (this.following) await Promise.all(this.lines.filter(line => !line.known).map(line => line.read(null).catch(() => {})));
        const part = this.part;
        await Promise.all(this.lines.map(line => line.read(part).catch(() => {})));
        if (mine === this.#reading) this.redraw();
    }
    draw_legend() {
        const alone = this.panel.series.length === 1;
        clear(this.values).append(...this.lines.map((line, i) => h("button", {"aria-pressed": String(this.visible(line)), "data-line": line.key, onclick: event => {
            const off = !this.visible(line);
            this.kept.off = off ? this.kept.off.filter(other => other !== line.key) : [...this.kept.off, line.key];
            event.currentTarget.setAttribute("aria-pressed", String(off));
            this.keep();
            this.plot?.batch(() => { for (const column of [this.column_of(i), ...this.banded[i] ? this.band_of(i) : []]) this.plot.setSeries(column, {show: off}); });
        }}, this.swatch(line, i), h("span", {}, line.label(alone)), h("b", {}, "–"), this.banded[i] ? h("small", {class: "dim"}) : null)));
    }
    swatch(line, i) {
        const {colour: at, dash} = this.look(line, i), element = h("i", {class: dash.length ? "swatch dashed" : "swatch"});
        element.style.background = `var(--series-${at + 1})`;
        return element;
    }

    /// Reads waiting lines when the chart becomes visible, so that visible charts come first.
    async #read_unread() {
        if (!this.#seen || !this.#unread.size) return;
        const now = [...this.#unread].filter(line => this.lines.includes(line));
        this.#unread.clear();
        if (!this.zoom) await Promise.all(now.map(line => line.follow().catch(() => {})));
        const part = this.part;
        if (part) await Promise.all(now.map(line => line.read(part).catch(() => {})));
        if (this.#drawing >= 0) this.redraw();
    }
    /// Makes the lines of the selected runs, or of their groups, each with the ids of its runs.
    #lines_of_runs() {
        const by = runs.grouping, chosen = runs.chosen(), groups = by ? groups_of(chosen, by) : chosen.map(run => ({label: run.id, runs: [run]}));
        return groups.flatMap(group => this.panel.series.flatMap(name => {
            const members = group.runs.flatMap(run => {
                const trainer = trainer_with(run, this.panel.trainer, name);
                return trainer ? [new Line({trainer: trainer.name, name, run: run.id, place: runs.place(run.id)})] : [];
            });
            if (!members.length) return [];
            const line = by ? new GroupLine({name, label: group.label, members, place: members[0].place}) : members[0];
            line.ids = members.map(member => member.run);
            return [line];
        }));
    }
    /// Makes the lines of the parents of these lines. A parent that is selected itself has a whole line already.
    #lines_of_parents(lines) {
        return lines.filter(line => !line.members).flatMap(line => {
            const found = [];
            for (let child = line; found.length < 10; child = found.at(-1)) {
                const fork = this.trainer_of(child)?.parent, run = fork && runs.others().find(one => one.id === fork.run);
                const trainer = run && runs.place(run.id) < 0 && trainer_with(run, child.trainer, line.name);
                if (!trainer) break;
                // The line of a grandparent ends at the fork of the parent or earlier.
                found.push(new ParentLine({of: line, fork: child.fork && child.fork.iteration < fork.iteration ? {...fork, iteration: child.fork.iteration, seconds: child.fork.seconds} : fork,
                    trainer: trainer.name, name: line.name, place: line.place}));
            }
            return found;
        });
    }
    /// Updates the lines of the selected runs and of parents: keeps existing lines, and reads new and growing ones.
    #take_runs() {
        this.menu.show();
        const others = [], fresh = [], of_runs = this.#lines_of_runs();
        for (const made of [...of_runs, ...this.#lines_of_parents([...this.own, ...of_runs])]) {
            const there = this.lines.find(one => one.key === made.key && one.place === made.place && one.fork?.iteration === made.fork?.iteration && String(one.ids) === String(made.ids)), line = there ?? made, of = runs.list.filter(run => made.ids.includes(run.id));
            others.push(line);
            // Reads a run once more after it has ended.
            const growing = of.some(run => run.growing);
            if (!there || ((growing || line.grew) && !this.zoom) || of.some(run => run.read < 1)) fresh.push(line);
            if (!this.zoom) line.grew = growing;
        }
        const now = [...this.own, ...others], changed = now.length !== this.lines.length || now.some((line, i) => line !== this.lines[i]);
        this.lines = now;
        if (changed) {
            this.draw_legend();
            this.rebuild();
        }
        for (const line of fresh) this.#unread.add(line);
        this.#read_unread();
    }
    /// Redraws when a run ends or a held number advances, which add no point. Takes other parents when a run is forked.
    #moved() {
        const trainers = this.own.map(line => this.trainer_of(line)), parents = JSON.stringify(trainers.map(trainer => trainer?.parent));
        if (parents !== this.#parents) { this.#parents = parents; this.#take_runs(); }
        const now = JSON.stringify(this.own.map((line, i) => [trainers[i]?.state, line.held && trainers[i]?.iteration]));
        if (now !== this.#held_to) { this.#held_to = now; this.redraw(); }
    }
    #come(line, points) {
        if (this.zoom) { line.pass(points); return; }
        if (this.following) line.pass(points);
        line.add(points);
        if (line.x.length > 4 * most_points) this.again(); else this.redraw();
    }

    downloads() {
        const {panel} = this;
        return [
            h("button", {class: "quiet", title: "Download CSV", "aria-label": `Download ${panel.title} as CSV`, onclick: async () => {
                const {by_time} = this.kept, part = this.part, points = await attempt(() => Promise.all(this.lines.map(line => line.table(part, by_time))));
                if (points) download(`${panel.title}.csv`, csv(by_time ? "seconds" : "iteration", this.lines.map((line, i) => ({name: line.label(), ...points[i]}))), "text/csv");
            }}, "csv"),
            h("button", {class: "quiet", title: "Download PNG", "aria-label": `Download ${panel.title} as PNG`, onclick: () => {
                if (!this.plot) return;
                const paint = colours(), {smooth, by_time} = this.kept, axis = by_time ? "running time" : "iteration";
                const canvas = picture(this.plot, {title: panel.title, axis: smooth ? `${axis}, smoothed with ${smooth}` : axis,
                    lines: this.lines.flatMap((line, i) => this.visible(line) ? [{name: line.label(), colour: paint[this.look(line, i).colour], dash: this.look(line, i).dash}] : []),
                    paint: {back: colour("card"), text: colour("text"), dim: colour("dim")}});
                canvas.toBlob(blob => download(`${panel.title}.png`, blob));
            }}, "png")];
    }
    begin() {
        this.observer.observe(this.stage);
        this.sight.observe(this.body);
        this.draw_legend();
        for (const line of this.own) this.#ends.push(connection.subscribe(line.trainer, line.name, {add: points => this.#come(line, points), again: this.again}));
        connection.addEventListener("hello", this.again);
        connection.addEventListener("state", this.moved);
        marks.addEventListener("change", this.remark);
        this.#ends.push(runs.watch());
        for (const event of ["list", "chosen"]) runs.addEventListener(event, this.take_runs);
        this.#take_runs();
        this.again();
    }
    end() {
        this.observer.disconnect();
        this.sight.disconnect();
        this.#seen = false;
        this.#ends.splice(0).forEach(end => end());
        connection.removeEventListener("hello", this.again);
        connection.removeEventListener("state", this.moved);
        marks.removeEventListener("change", this.remark);
        for (const event of ["list", "chosen"]) runs.removeEventListener(event, this.take_runs);
    }
    drop() {
        if (this.#drawing) cancelAnimationFrame(this.#drawing);
        this.#drawing = -1;
        this.plot?.setCursor({left: -10, top: -10}, true, true);  // also of the other charts
        this.plot?.destroy();
    }
}
