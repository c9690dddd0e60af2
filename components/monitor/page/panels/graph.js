// SPDX-License-Identifier: BSL-1.0
// The graph of the data's steps and the network: nodes in ranks by their longest path from an input.
import {query} from "../connection.js";
import {clear, h, number} from "../dom.js";

const width = 168, height = 54, gap_x = 34, gap_y = 18;

/// Returns the rank of each node: one more than the highest of its predecessors. `edges` go from earlier to later nodes.
export function ranks(count, edges) {
    const rank = new Array(count).fill(0);
    for (let round = 0; round < count; ++round) {
        let changed = false;
        for (const [a, b] of edges) if (rank[b] < rank[a] + 1) { rank[b] = rank[a] + 1; changed = true; }
        if (!changed) break;
    }
    return rank;
}

/// Returns the visible part of `full` after zooming by `factor` around (x, y), in its units: never more than everything, never less than
/// a twentieth.
export function zoomed(view, full, factor, x = view.x + view.w / 2, y = view.y + view.h / 2) {
    const w = Math.min(full.w, Math.max(full.w / 20, view.w / factor)), by = w / view.w;
    return moved({x: x - (x - view.x) * by, y: y - (y - view.y) * by, w, h: w * full.h / full.w}, full, 0, 0);
}
/// Returns the visible part moved by (dx, dy), within `full`.
export function moved(view, full, dx, dy) {
    return {...view, x: Math.min(full.w - view.w, Math.max(0, view.x + dx)), y: Math.min(full.h - view.h, Math.max(0, view.y + dy))};
}

/// Returns a path from the right side of a node to the left side of another. If that lies to the left, the path runs between the rows or below both nodes.
export function line(from, to) {
    const x1 = from.x + width, y1 = from.y + height / 2, x2 = to.x, y2 = to.y + height / 2;
    if (x2 > x1) return `M${x1},${y1} C${(x1 + x2) / 2},${y1} ${(x1 + x2) / 2},${y2} ${x2 - 3},${y2}`;
    const between = to.y >= from.y + height + gap_y / 2 ? to.y - gap_y / 2 : Math.max(from.y, to.y) + height + gap_y / 2;
    return `M${x1},${y1} h${gap_x / 2} V${between} H${Math.max(1, x2 - gap_x / 3)} V${y2} H${x2 - 3}`;
}

/// Returns the nearest node in a direction, preferring straight ahead; -1 if there is none.
export function ahead(spots, i, dx, dy) {
    const far = ({x, y}) => {
        const along = (x - spots[i].x) * dx + (y - spots[i].y) * dy, aside = Math.abs((x - spots[i].x) * dy) + Math.abs((y - spots[i].y) * dx);
        return along > 1 ? along + 2 * aside : Infinity;
    };
    return spots.reduce((best, spot, k) => k !== i && far(spot) < (best < 0 ? Infinity : far(spots[best])) ? k : best, -1);
}

/// Makes a table of the layers with their shares of the parameters, and one of the steps of the data with their full texts.
function tables_of({nodes, data}, total) {
    const share = node => total ? (node.parameters ?? 0) / total : 0;
    const layers = h("table", {}, h("tr", {}, ["layer", "kind", "output"].map(head => h("th", {}, head)), h("th", {class: "n"}, "parameters"), h("th", {}, "share")),
        nodes.map(node => h("tr", {}, [node.name, node.kind, node.shape || "–"].map(text => h("td", {}, text)), h("td", {class: "n"}, number(node.parameters ?? 0)),
            h("td", {}, h("meter", {min: 0, max: 1, value: share(node), "aria-label": `Share of ${node.name}`, title: `${(100 * share(node)).toFixed(1)} %`})))));
    const steps = data.length ? h("table", {}, h("tr", {}, ["data", "description"].map(head => h("th", {}, head))), data.map(step => h("tr", {}, h("td", {}, step.kind), h("td", {}, step.text)))) : null;
    return [layers, steps].filter(Boolean).map((table, i) => h("div", {class: "scroll", role: "group", tabindex: "0", "aria-label": i ? "Steps of the data" : "Layers"}, table));
}

const cut = (text, most) => text.length > most ? `${text.slice(0, most - 1)}…` : text;
/// Returns the last part of a path or an address.
const base = text => text.replace(/\/+$/, "").split("/").pop() || text;
const keys_told = "Arrow keys select a node. Shift with arrow keys moves it.";

/// Returns the nodes, the steps of the data first, and the edges between their indices.
function parts_of(graph) {
    const steps = graph.data.map(step => ({name: step.kind, kind: step.kind === "source" ? base(step.text) : step.text, full: step.text, data: true}));
    const index = new Map(graph.nodes.map((node, i) => [node.id, steps.length + i]));
    const edges = graph.edges.map(([a, b]) => [index.get(a), index.get(b)]).filter(([a, b]) => a !== undefined && b !== undefined);
    const entered = new Set(edges.map(([, b]) => b));
    if (steps.length) for (const i of index.values()) if (!entered.has(i)) edges.push([steps.length - 1, i]);
    graph.data.forEach((step, i) => step.from.forEach(before => edges.push([before, i])));
    return {nodes: [...steps, ...graph.nodes], edges};
}
/// Returns the places of `count` nodes in columns by their rank, and the visible part that shows all. Folds a long chain into rows, like text.
function laid_out(count, edges, room) {
    const rank = ranks(count, edges), columns = Math.max(1, Math.floor(room / (width + gap_x))), slots = new Map();
    const slot = rank.map(r => { const n = slots.get(r) ?? 0; slots.set(r, n + 1); return n; });
    const last = rank.reduce((most, r) => Math.max(most, r), 0), rows = Math.floor(last / columns) + 1, top = [0];
    const tall = row => [...slots].reduce((most, [r, n]) => Math.floor(r / columns) === row ? Math.max(most, n) : most, 1);
    for (let row = 0; row < rows; ++row) top.push(top[row] + tall(row) * (height + gap_y) + gap_y);
    return {spots: rank.map((r, i) => ({x: (r % columns) * (width + gap_x) + 4, y: top[Math.floor(r / columns)] + slot[i] * (height + gap_y) + 4})),
            part: {x: 0, y: 0, w: Math.max(Math.min(columns, last + 1) * (width + gap_x), width + 8), h: top[rows] + 8}};
}
function box_of(node, i) {
    const told = [node.name, node.full ?? node.kind, node.shape, node.parameters ? `${number(node.parameters)} parameters` : ""].filter(Boolean);
    return h("g", {class: node.data ? "data" : "node", "data-node": i, role: "img", tabindex: i ? "-1" : "0", "aria-label": told.join(", ")},
        h("title", {svg: true}, told.join("\n")),
        h("rect", {width, height, rx: 7}), h("text", {x: 11, y: 22}, cut(node.name, 21)),
        h("text", {x: 11, y: 41, class: "small"}, cut([node.data ? node.kind : node.shape, node.parameters ? `${number(node.parameters)} p` : ""].filter(Boolean).join(" · "), 24)));
}

export const create = (panel, body) => new Graph(panel, body);

class Graph {
    #edges = [];
    #lines = [];
    #boxes = [];
    #laid = {spots: [], part: {x: 0, y: 0, w: 1, h: 1}};  // initial positions of the nodes, and initial picture
    #spots = [];                // current positions
    #full = this.#laid.part;    // current picture
    #view = this.#full;         // its visible part
    #known = null;
    #wide = 0;
    #begun = false;
    #place = h("div", {class: "graph"});
    #tables = h("div", {class: "layers"});
    #hint = h("span", {hidden: true}, ` · ${keys_told}`);

    constructor(panel, body) {
        this.panel = panel;
        this.body = body;
        body.append(this.#place, this.#tables);
        this.observer = new ResizeObserver(() => { if (this.#known && body.clientWidth !== this.#wide) { this.#wide = body.clientWidth; this.#show(this.#known); } });
        const tool = (text, name, to) => h("button", {class: "quiet", title: name, "aria-label": name, onclick: to}, text), zoom = by => () => this.#look(zoomed(this.#view, this.#full, by));
        this.tools = [tool("+", "Zoom in", zoom(1.5)), tool("−", "Zoom out", zoom(1 / 1.5)), tool("□", "Show whole graph", () => this.#whole())];
    }
    #show(graph) {
        const {nodes, edges} = parts_of(graph), total = graph.nodes.reduce((sum, node) => sum + (node.parameters ?? 0), 0);
        this.#edges = edges;
        this.#laid = laid_out(nodes.length, edges, this.#place.clientWidth || 900);
        this.#lines = edges.map(() => h("path", {"marker-end": "url(#arrow)"}));
        this.#boxes = nodes.map(box_of);
        const svg = h("svg", {role: "group", "aria-label": `Network of ${graph.nodes.length} nodes with ${number(total)} parameters. ${keys_told}`},
            h("defs", {}, h("marker", {id: "arrow", viewBox: "0 0 6 6", refX: 4, refY: 3, markerWidth: 6, markerHeight: 6, orient: "auto"}, h("path", {d: "M0,0 L6,3 L0,6"}))),
            this.#lines, this.#boxes);
        clear(this.#place).append(svg, h("p", {class: "dim"}, `${number(total)} parameters`, this.#hint));
        clear(this.#tables).append(...tables_of(graph, total));
        this.#listen_to_pointer(svg);
        this.#listen_to_keys(svg);
        this.#whole();
    }
    /// Moves a node and its lines, at most half beyond the right or lower edge.
    #put(i, to) {
        const spots = this.#spots;
        spots[i] = {x: Math.min(this.#full.w - width / 2, Math.max(4, to.x)), y: Math.min(this.#full.h - height / 2, Math.max(4, to.y))};
        this.#boxes[i].setAttribute("transform", `translate(${spots[i].x},${spots[i].y})`);
        this.#edges.forEach(([a, b], k) => { if (a === i || b === i) this.#lines[k].setAttribute("d", line(spots[a], spots[b])); });
    }
    /// Enlarges the picture until it contains all nodes and the lines around them.
    #grow() {
        const of = (side, size, least) => this.#spots.reduce((most, spot) => Math.max(most, spot[side] + size), least), full = this.#full;
        const all = this.#view.w >= full.w;
        this.#full = {...full, w: of("x", width + 0.6 * gap_x, full.w), h: of("y", height + gap_y, full.h)};
        this.#look(all ? this.#full : zoomed(this.#view, this.#full, 1));
    }
    #look(to) {
        this.#view = to;
        const svg = this.#place.querySelector("svg");
        if (!svg) return;
        svg.setAttribute("viewBox", `${to.x} ${to.y} ${to.w} ${to.h}`);
        svg.style.maxWidth = `${this.#full.w}px`;
        svg.style.cursor = this.#near ? "grab" : "";
        svg.style.touchAction = this.#near ? "none" : "";
    }
    get #near() { return this.#view.w < this.#full.w; }
    #move(dx, dy) { this.#look(moved(this.#view, this.#full, dx, dy)); }
    #whole() {
        this.#full = this.#laid.part;
        this.#spots = [...this.#laid.spots];
        this.#spots.forEach((spot, i) => this.#put(i, spot));
        this.#look(this.#full);
    }
    /// Drags a node, or everything if zoomed in. The wheel zooms with Ctrl and scrolls the page without. A finger scrolls the page unless the graph is zoomed in.
    #listen_to_pointer(svg) {
        let held = null, from = null;  // dragged node, and the point in it or in the picture where the drag began
        const at = event => {
            const box = svg.getBoundingClientRect(), view = this.#view;
            return {x: view.x + (event.clientX - box.left) / box.width * view.w, y: view.y + (event.clientY - box.top) / box.height * view.h};
        };
        svg.addEventListener("pointerdown", event => {
            const box = event.target.closest("[data-node]"), point = at(event);
            held = box && (this.#near || event.pointerType !== "touch") ? Number(box.dataset.node) : null;
            if (held === null && !this.#near) return;
            from = held === null ? point : {x: point.x - this.#spots[held].x, y: point.y - this.#spots[held].y};
            svg.setPointerCapture(event.pointerId);
            event.preventDefault();  // do not select text
            if (held !== null) this.#boxes[held].focus({preventScroll: true});
        });
        svg.addEventListener("pointermove", event => {
            if (!event.buttons || !from) return;
            const point = at(event);
            if (held !== null) this.#put(held, {x: point.x - from.x, y: point.y - from.y});
            else this.#move(from.x - point.x, from.y - point.y);
        });
        for (const end of ["pointerup", "pointercancel"]) svg.addEventListener(end, () => {
            if (held !== null) this.#grow();
            held = from = null;
        });
        svg.addEventListener("wheel", event => {
            if (!event.ctrlKey) return;
            event.preventDefault();
            const {x, y} = at(event);
            this.#look(zoomed(this.#view, this.#full, event.deltaY < 0 ? 1.25 : 0.8, x, y));
        }, {passive: false});
        svg.addEventListener("dblclick", () => this.#whole());
    }
    #listen_to_keys(svg) {
        svg.addEventListener("focusin", event => {
            const i = this.#boxes.indexOf(event.target);
            if (i < 0) return;
            this.#boxes.forEach((box, k) => box.setAttribute("tabindex", k === i ? "0" : "-1"));
            this.#by_keys(i, event.target.matches(":focus-visible"));
        });
        svg.addEventListener("focusout", () => { this.#hint.hidden = true; });
        svg.addEventListener("keydown", event => {
            const i = this.#boxes.indexOf(event.target), way = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]}[event.key];
            if (i < 0 || !way || event.altKey || event.ctrlKey || event.metaKey) return;
            event.preventDefault();
            this.#by_keys(i, true);
            if (event.shiftKey) {
                this.#put(i, {x: this.#spots[i].x + 12 * way[0], y: this.#spots[i].y + 12 * way[1]});
                this.#grow();
                this.#show_node(i);
            } else this.#boxes[ahead(this.#spots, i, way[0], way[1])]?.focus();
        });
    }
    /// Shows focus and hint only for keyboard use; a browser would frame a node after a click, too.
    #by_keys(i, on) {
        this.#hint.hidden = !on;
        this.#boxes[i].style.outline = on ? "" : "none";
        if (on) this.#show_node(i);
    }
    /// Scrolls the visible part to a node.
    #show_node(i) {
        const over = (at, size, from, seen) => Math.min(0, at - from) + Math.max(0, at + size - from - seen), {x, y} = this.#spots[i], view = this.#view;
        if (this.#near) this.#move(over(x, width, view.x, view.w), over(y, height, view.y, view.h));
    }
    async begin() {
        this.#begun = true;
        try {
            const now = await query("/api/graph", {trainer: this.panel.trainer});
            if (JSON.stringify(now) !== JSON.stringify(this.#known)) this.#show(this.#known = now);  // an unchanged graph keeps dragged nodes
        } catch (error) { if (!this.#known) clear(this.#place).append(h("p", {class: "empty"}, error.message)); }
        if (this.#begun) this.observer.observe(this.body);
    }
    end() { this.#begun = false; this.observer.disconnect(); }
}
