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

export function create(panel, body) {
    const place = h("div", {class: "graph"}), tables = h("div", {class: "layers"});
    body.append(place, tables);
    const cut = (text, most) => text.length > most ? `${text.slice(0, most - 1)}…` : text;

    /// Returns the last part of a path or an address.
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
        // Folds a long chain into rows, like text.
        const slots = new Map(), at = [];
        nodes.forEach((_, i) => { const slot = slots.get(rank[i]) ?? 0; slots.set(rank[i], slot + 1); at[i] = {rank: rank[i], slot}; });
        const last = rank.reduce((most, r) => Math.max(most, r), 0), rows = Math.floor(last / columns) + 1, top = [0];
        const tall = row => [...slots].reduce((most, [r, n]) => Math.floor(r / columns) === row ? Math.max(most, n) : most, 1);
        for (let row = 0; row < rows; ++row) top.push(top[row] + tall(row) * (height + gap_y) + gap_y);
        laid = at.map(({rank, slot}) => ({x: (rank % columns) * (width + gap_x) + 4, y: top[Math.floor(rank / columns)] + slot * (height + gap_y) + 4}));
        spots = laid.slice();
        const full_width = Math.min(columns, last + 1) * (width + gap_x), full_height = top[rows];
        const total = graph.nodes.reduce((sum, node) => sum + (node.parameters ?? 0), 0);
        tight = {x: 0, y: 0, w: Math.max(full_width, width + 8), h: full_height + 8};
        full = view = tight;
        lines = edges.map(() => h("path", {"marker-end": "url(#arrow)"}));
        const told = nodes.map(node => [node.name, node.full ?? node.kind, node.shape, node.parameters ? `${number(node.parameters)} parameters` : ""].filter(Boolean));
        boxes = nodes.map((node, i) => h("g", {class: node.data ? "data" : "node", "data-node": i, role: "img", tabindex: i ? "-1" : "0", "aria-label": told[i].join(", ")},
            h("title", {svg: true}, told[i].join("\n")),
            h("rect", {width, height, rx: 7}), h("text", {x: 11, y: 22}, cut(node.name, 21)),
            h("text", {x: 11, y: 41, class: "small"}, cut([node.data ? node.kind : node.shape, node.parameters ? `${number(node.parameters)} p` : ""].filter(Boolean).join(" · "), 24))));
        clear(place).append(
            h("svg", {role: "group", "aria-label": `Network of ${graph.nodes.length} nodes with ${number(total)} parameters. ${keys_told}`},
                h("defs", {}, h("marker", {id: "arrow", viewBox: "0 0 6 6", refX: 4, refY: 3, markerWidth: 6, markerHeight: 6, orient: "auto"}, h("path", {d: "M0,0 L6,3 L0,6"}))),
                lines, boxes),
            h("p", {class: "dim"}, `${number(total)} parameters`, hint));
        clear(tables).append(...tables_of(graph, total));
        nodes.forEach((_, i) => put(i, spots[i]));
        listen(place.firstChild);
        look();
    }
    let nodes = [], edges = [], lines = [], boxes = [];
    let laid = [], spots = [];  // initial and current positions of the nodes
    const keys_told = "Arrow keys select a node. Shift with arrow keys moves it.", hint = h("span", {hidden: true}, ` · ${keys_told}`);
    /// Moves a node and its lines, at most half beyond the right or lower edge.
    function put(i, to) {
        spots[i] = {x: Math.min(full.w - width / 2, Math.max(4, to.x)), y: Math.min(full.h - height / 2, Math.max(4, to.y))};
        boxes[i].setAttribute("transform", `translate(${spots[i].x},${spots[i].y})`);
        edges.forEach(([a, b], k) => { if (a === i || b === i) lines[k].setAttribute("d", line(spots[a], spots[b])); });
    }
    /// Enlarges the picture until it contains all nodes and the lines around them.
    function grow() {
        const of = (side, size, least) => spots.reduce((most, spot) => Math.max(most, spot[side] + size), least);
        const all = view.w >= full.w;
        full = {...full, w: of("x", width + 0.6 * gap_x, full.w), h: of("y", height + gap_y, full.h)};
        look(all ? full : zoomed(view, full, 1));
    }
    let tight = {x: 0, y: 0, w: 1, h: 1}, full = tight, view = full;  // initial picture, current picture, visible part
    function look(to = view) {
        view = to;
        const svg = place.querySelector("svg");
        if (!svg) return;
        svg.setAttribute("viewBox", `${view.x} ${view.y} ${view.w} ${view.h}`);
        svg.style.maxWidth = `${full.w}px`;
        svg.style.cursor = view.w < full.w ? "grab" : "";
        svg.style.touchAction = view.w < full.w ? "none" : "";
    }
    function whole() {
        full = tight;
        spots.forEach((_, i) => put(i, laid[i]));
        look(full);
    }
    /// Listens to pointer and keys: drags a node, or everything if zoomed in. The wheel zooms with Ctrl and scrolls the page without.
    /// A finger scrolls the page unless the graph is zoomed in.
    function listen(svg) {
        let held = null, from = null;  // dragged node, and the point in it or in the picture where the drag began
        const at = event => {
            const box = svg.getBoundingClientRect();
            return {x: view.x + (event.clientX - box.left) / box.width * view.w, y: view.y + (event.clientY - box.top) / box.height * view.h};
        };
        svg.addEventListener("pointerdown", event => {
            const box = event.target.closest("[data-node]"), near = view.w < full.w, point = at(event);
            held = box && (near || event.pointerType !== "touch") ? Number(box.dataset.node) : null;
            if (held === null && !near) return;
            from = held === null ? point : {x: point.x - spots[held].x, y: point.y - spots[held].y};
            svg.setPointerCapture(event.pointerId);
            event.preventDefault();  // do not select text
            if (held !== null) boxes[held].focus({preventScroll: true});
        });
        svg.addEventListener("pointermove", event => {
            if (!event.buttons || !from) return;
            const point = at(event);
            if (held !== null) put(held, {x: point.x - from.x, y: point.y - from.y});
            else look(moved(view, full, from.x - point.x, from.y - point.y));
        });
        for (const end of ["pointerup", "pointercancel"]) svg.addEventListener(end, () => {
            if (held !== null) grow();
            held = from = null;
        });
        svg.addEventListener("wheel", event => {
            if (!event.ctrlKey) return;
            event.preventDefault();
            const {x, y} = at(event);
            look(zoomed(view, full, event.deltaY < 0 ? 1.25 : 0.8, x, y));
        }, {passive: false});
        svg.addEventListener("focusin", event => {
            const i = boxes.indexOf(event.target);
            if (i < 0) return;
            boxes.forEach((box, k) => box.setAttribute("tabindex", k === i ? "0" : "-1"));
            by_keys(i, event.target.matches(":focus-visible"));
        });
        svg.addEventListener("focusout", () => { hint.hidden = true; });
        svg.addEventListener("keydown", event => {
            const i = boxes.indexOf(event.target), way = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]}[event.key];
            if (i < 0 || !way || event.altKey || event.ctrlKey || event.metaKey) return;
            event.preventDefault();
            by_keys(i, true);
            if (event.shiftKey) {
                put(i, {x: spots[i].x + 12 * way[0], y: spots[i].y + 12 * way[1]});
                grow();
                show_node(i);
            } else {
                const next = ahead(spots, i, ...way);
                if (next >= 0) boxes[next].focus();
            }
        });
        svg.addEventListener("dblclick", whole);
    }
    /// Shows focus and hint only for keyboard use; a browser would frame a node after a click, too.
    function by_keys(i, on) {
        hint.hidden = !on;
        boxes[i].style.outline = on ? "" : "none";
        if (on) show_node(i);
    }
    /// Scrolls the visible part to a node.
    function show_node(i) {
        const over = (at, size, from, seen) => Math.min(0, at - from) + Math.max(0, at + size - from - seen), {x, y} = spots[i];
        if (view.w < full.w) look(moved(view, full, over(x, width, view.x, view.w), over(y, height, view.y, view.h)));
    }
    let known = null;
    let wide = 0, begun = false;
    const observer = new ResizeObserver(() => { if (known && body.clientWidth !== wide) { wide = body.clientWidth; show(known); } });
    const tool = (text, name, to) => h("button", {class: "quiet", title: name, "aria-label": name, onclick: to}, text);
    return {
        tools: [tool("+", "Zoom in", () => look(zoomed(view, full, 1.5))), tool("−", "Zoom out", () => look(zoomed(view, full, 1 / 1.5))), tool("□", "Show whole graph", whole)],
        async begin() {
            begun = true;
            try {
                const now = await query("/api/graph", {trainer: panel.trainer});
                if (JSON.stringify(now) !== JSON.stringify(known)) show(known = now);  // an unchanged graph keeps dragged nodes
            } catch (error) { if (!known) clear(place).append(h("p", {class: "empty"}, error.message)); }
            if (begun) observer.observe(body);
        },
        end() { begun = false; observer.disconnect(); },
    };
}
