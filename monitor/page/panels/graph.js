// SPDX-License-Identifier: BSL-1.0
// The network and, before it, the data's way: nodes in ranks by their longest way from an input.
import {query} from "../connection.js";
import {clear, h, number} from "../dom.js";

const width = 168, height = 54, gap_x = 34, gap_y = 18;

/// Rank of each node: one more than the highest before it. `edges` go from earlier to later nodes.
export function ranks(count, edges) {
    const rank = new Array(count).fill(0);
    for (let round = 0; round < count; ++round) {
        let changed = false;
        for (const [a, b] of edges) if (rank[b] < rank[a] + 1) { rank[b] = rank[a] + 1; changed = true; }
        if (!changed) break;
    }
    return rank;
}

/// What is seen of `full` when (x, y), in its units, stays where it is while all becomes `factor` times as large: never more than all, never
/// less than a twentieth.
export function zoomed(view, full, factor, x = view.x + view.w / 2, y = view.y + view.h / 2) {
    const w = Math.min(full.w, Math.max(full.w / 20, view.w / factor)), by = w / view.w;
    return moved({x: x - (x - view.x) * by, y: y - (y - view.y) * by, w, h: w * full.h / full.w}, full, 0, 0);
}
/// The same part elsewhere, but nothing beside `full`.
export function moved(view, full, dx, dy) {
    return {...view, x: Math.min(full.w - view.w, Math.max(0, view.x + dx)), y: Math.min(full.h - view.h, Math.max(0, view.y + dy))};
}

/// From the right side of a node to the left side of another, around the rows of a folded chain where that lies behind.
export function line(from, to) {
    const x1 = from.x + width, y1 = from.y + height / 2, x2 = to.x, y2 = to.y + height / 2;
    return x2 > x1 ? `M${x1},${y1} C${(x1 + x2) / 2},${y1} ${(x1 + x2) / 2},${y2} ${x2 - 3},${y2}`
        : `M${x1},${y1} h${gap_x / 2} V${y2 - height / 2 - gap_y / 2} H${Math.max(1, x2 - gap_x / 3)} V${y2} H${x2 - 3}`;
}

export function create(panel, body) {
    const place = h("div", {class: "graph"});
    body.append(place);
    const cut = (text, most) => text.length > most ? `${text.slice(0, most - 1)}…` : text;

    /// The last part of a path or an address.
    const base = text => text.replace(/\/+$/, "").split("/").pop() || text;

    function show(graph) {
        const steps = graph.data.map(step => ({name: step.kind, kind: step.kind === "source" ? base(step.text) : step.text, full: step.text, data: true}));
        nodes = [...steps, ...graph.nodes];
        const index = new Map(graph.nodes.map((node, i) => [node.id, steps.length + i]));
        edges = graph.edges.map(([a, b]) => [index.get(a), index.get(b)]).filter(([a, b]) => a !== undefined && b !== undefined);
        const entered = new Set(edges.map(([, b]) => b));
        if (steps.length) graph.nodes.forEach((node, i) => { if (!entered.has(steps.length + i)) edges.push([steps.length - 1, steps.length + i]); });
        graph.data.forEach((step, i) => step.from.forEach(before => edges.push([before, i])));
        const rank = ranks(nodes.length, edges), columns = Math.max(1, Math.floor((place.clientWidth || 900) / (width + gap_x)));
        // A long chain is folded into rows, as text is.
        const slots = new Map(), at = [];
        nodes.forEach((_, i) => { const slot = slots.get(rank[i]) ?? 0; slots.set(rank[i], slot + 1); at[i] = {rank: rank[i], slot}; });
        const last = rank.reduce((most, r) => Math.max(most, r), 0), rows = Math.floor(last / columns) + 1, top = [0];
        const tall = row => [...slots].reduce((most, [r, n]) => Math.floor(r / columns) === row ? Math.max(most, n) : most, 1);
        for (let row = 0; row < rows; ++row) top.push(top[row] + tall(row) * (height + gap_y) + gap_y);
        laid = at.map(({rank, slot}) => ({x: (rank % columns) * (width + gap_x) + 4, y: top[Math.floor(rank / columns)] + slot * (height + gap_y) + 4}));
        spots = laid.slice();
        const full_width = Math.min(columns, last + 1) * (width + gap_x), full_height = top[rows];
        const total = graph.nodes.reduce((sum, node) => sum + (node.parameters ?? 0), 0);
        full = {x: 0, y: 0, w: Math.max(full_width, width + 8), h: full_height + 8};
        view = full;
        lines = edges.map(() => h("path", {"marker-end": "url(#arrow)"}));
        boxes = nodes.map((node, i) => h("g", {class: node.data ? "data" : "node", "data-node": i},
            h("title", {svg: true}, [node.name, node.full ?? node.kind, node.shape, node.parameters ? `${number(node.parameters)} parameters` : ""].filter(Boolean).join("\n")),
            h("rect", {width, height, rx: 7}), h("text", {x: 11, y: 22}, cut(node.name, 21)),
            h("text", {x: 11, y: 41, class: "small"}, cut([node.data ? node.kind : node.shape, node.parameters ? `${number(node.parameters)} p` : ""].filter(Boolean).join(" · "), 24))));
        clear(place).append(
            h("svg", {role: "img",
                      "aria-label": `Network of ${graph.nodes.length} nodes with ${number(total)} parameters`,
                      style: undefined},
                h("defs", {}, h("marker", {id: "arrow", viewBox: "0 0 6 6", refX: 4, refY: 3, markerWidth: 6, markerHeight: 6, orient: "auto"}, h("path", {d: "M0,0 L6,3 L0,6"}))),
                lines, boxes),
            h("p", {class: "dim"}, `${number(total)} parameters`));
        place.firstChild.style.maxWidth = `${full_width}px`;
        nodes.forEach((_, i) => put(i, spots[i]));
        listen(place.firstChild);
        look();
    }
    let nodes = [], edges = [], lines = [], boxes = [];
    let laid = [], spots = [];  // where nodes were laid, and where they are
    /// A node to a place within the picture, and the lines that end at it.
    function put(i, to) {
        spots[i] = {x: Math.min(full.w - width, Math.max(0, to.x)), y: Math.min(full.h - height, Math.max(0, to.y))};
        boxes[i].setAttribute("transform", `translate(${spots[i].x},${spots[i].y})`);
        edges.forEach(([a, b], k) => { if (a === i || b === i) lines[k].setAttribute("d", line(spots[a], spots[b])); });
    }
    let full = {x: 0, y: 0, w: 1, h: 1}, view = full;
    function look(to = view) {
        view = to;
        const svg = place.querySelector("svg");
        svg?.setAttribute("viewBox", `${view.x} ${view.y} ${view.w} ${view.h}`);
        if (svg) svg.style.cursor = view.w < full.w ? "grab" : "";
        if (svg) svg.style.touchAction = view.w < full.w ? "none" : "";
    }
    function whole() {
        spots.forEach((_, i) => put(i, laid[i]));
        look(full);
    }
    /// Drags a node, or all where it is zoomed; the wheel zooms with Ctrl, as everywhere, and scrolls the page without. A finger scrolls
    /// the page where all is seen.
    function listen(svg) {
        let held = null;
        svg.addEventListener("pointerdown", event => {
            const box = event.target.closest("[data-node]"), zoomed = view.w < full.w;
            held = box && (zoomed || event.pointerType !== "touch") ? Number(box.dataset.node) : null;
            if (held === null && !zoomed) return;
            svg.setPointerCapture(event.pointerId);
            event.preventDefault();  // texts are not selected
        });
        svg.addEventListener("pointermove", event => {
            if (!event.buttons) return;
            const scale = view.w / svg.clientWidth, dx = event.movementX * scale, dy = event.movementY * scale;
            if (held !== null) put(held, {x: spots[held].x + dx, y: spots[held].y + dy});
            else if (view.w < full.w) look(moved(view, full, -dx, -dy));
        });
        svg.addEventListener("wheel", event => {
            if (!event.ctrlKey) return;
            event.preventDefault();
            const box = svg.getBoundingClientRect();
            look(zoomed(view, full, event.deltaY < 0 ? 1.25 : 0.8, view.x + (event.clientX - box.left) / box.width * view.w,
                        view.y + (event.clientY - box.top) / box.height * view.h));
        }, {passive: false});
        svg.addEventListener("dblclick", whole);
    }
    let known = null;
    let wide = 0, begun = false;
    const observer = new ResizeObserver(() => { if (known && body.clientWidth !== wide) { wide = body.clientWidth; show(known); } });
    const tool = (text, name, to) => h("button", {class: "quiet", title: name, "aria-label": name, onclick: to}, text);
    return {
        tools: [tool("+", "Zoom in", () => look(zoomed(view, full, 1.5))), tool("−", "Zoom out", () => look(zoomed(view, full, 1 / 1.5))), tool("□", "Whole graph", whole)],
        async begin() {
            begun = true;
            try {
                const now = await query("/api/graph", {trainer: panel.trainer});
                if (JSON.stringify(now) !== JSON.stringify(known)) show(known = now);  // else nodes stay where they were dragged
            } catch (error) { if (!known) clear(place).append(h("p", {class: "empty"}, error.message)); }
            if (begun) observer.observe(body);
        },
        end() { begun = false; observer.disconnect(); },
    };
}
