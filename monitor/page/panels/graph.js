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

export function create(panel, body) {
    const place = h("div", {class: "graph"});
    body.append(place);
    const cut = (text, most) => text.length > most ? `${text.slice(0, most - 1)}…` : text;

    function show(graph) {
        const data = (graph.data ?? []).map(step => ({name: step.kind, kind: step.text ?? "", shape: "", data: true}));
        const nodes = [...data, ...graph.nodes], index = new Map(graph.nodes.map((node, i) => [node.id, data.length + i]));
        const edges = graph.edges.map(([a, b]) => [index.get(a), index.get(b)]).filter(([a, b]) => a !== undefined && b !== undefined);
        for (let i = 1; i < data.length; ++i) edges.push([i - 1, i]);
        const entered = new Set(edges.map(([, b]) => b));
        if (data.length) graph.nodes.forEach((node, i) => { if (!entered.has(data.length + i)) edges.push([data.length - 1, data.length + i]); });
        const rank = ranks(nodes.length, edges), columns = Math.max(1, Math.floor((place.clientWidth || 900) / (width + gap_x)));
        // A long chain is folded into rows, as text is.
        const slots = new Map(), at = [];
        nodes.forEach((_, i) => { const slot = slots.get(rank[i]) ?? 0; slots.set(rank[i], slot + 1); at[i] = {rank: rank[i], slot}; });
        const last = rank.reduce((most, r) => Math.max(most, r), 0), rows = Math.floor(last / columns) + 1, top = [0];
        const tall = row => [...slots].reduce((most, [r, n]) => Math.floor(r / columns) === row ? Math.max(most, n) : most, 1);
        for (let row = 0; row < rows; ++row) top.push(top[row] + tall(row) * (height + gap_y) + gap_y);
        const x = i => (at[i].rank % columns) * (width + gap_x) + 4, y = i => top[Math.floor(at[i].rank / columns)] + at[i].slot * (height + gap_y) + 4;
        const full_width = Math.min(columns, last + 1) * (width + gap_x), full_height = top[rows];
        const lines = edges.map(([a, b]) => {
            const x1 = x(a) + width, y1 = y(a) + height / 2, x2 = x(b), y2 = y(b) + height / 2;
            const d = x2 > x1 ? `M${x1},${y1} C${(x1 + x2) / 2},${y1} ${(x1 + x2) / 2},${y2} ${x2 - 3},${y2}`
                : `M${x1},${y1} h${gap_x / 2} V${y2 - height / 2 - gap_y / 2} H${Math.max(1, x2 - gap_x / 3)} V${y2} H${x2 - 3}`;
            return h("path", {d, "marker-end": "url(#arrow)"});
        });
        const total = graph.nodes.reduce((sum, node) => sum + (node.parameters ?? 0), 0);
        full = {x: 0, y: 0, w: Math.max(full_width, width + 8), h: full_height + 8};
        view = full;
        clear(place).append(
            h("svg", {role: "img",
                      "aria-label": `Network of ${graph.nodes.length} nodes with ${number(total)} parameters`,
                      style: undefined},
                h("defs", {}, h("marker", {id: "arrow", viewBox: "0 0 6 6", refX: 4, refY: 3, markerWidth: 6, markerHeight: 6, orient: "auto"}, h("path", {d: "M0,0 L6,3 L0,6"}))),
                lines,
                nodes.map((node, i) => h("g", {class: node.data ? "data" : "node", transform: `translate(${x(i)},${y(i)})`},
                    h("title", {svg: true}, [node.name, node.kind, node.shape, node.parameters ? `${number(node.parameters)} parameters` : ""].filter(Boolean).join("\n")),
                    h("rect", {width, height, rx: 7}), h("text", {x: 11, y: 22}, cut(node.name, 21)),
                    h("text", {x: 11, y: 41, class: "small"}, cut([node.data ? node.kind : node.shape, node.parameters ? `${number(node.parameters)} p` : ""].filter(Boolean).join(" · "), 24))))),
            h("p", {class: "dim"}, `${number(total)} parameters`));
        place.firstChild.style.maxWidth = `${full_width}px`;
        listen(place.firstChild);
        look();
    }
    let full = {x: 0, y: 0, w: 1, h: 1}, view = full;
    function look(to = view) {
        view = to;
        const svg = place.querySelector("svg");
        svg?.setAttribute("viewBox", `${view.x} ${view.y} ${view.w} ${view.h}`);
        if (svg) svg.style.cursor = view.w < full.w ? "grab" : "";
        if (svg) svg.style.touchAction = view.w < full.w ? "none" : "";
    }
    /// Drags what is zoomed; the wheel zooms with Ctrl, as everywhere, and scrolls the page without.
    function listen(svg) {
        svg.addEventListener("pointerdown", event => { if (view.w < full.w) svg.setPointerCapture(event.pointerId); });
        svg.addEventListener("pointermove", event => {
            if (!event.buttons || view.w >= full.w) return;
            const scale = view.w / svg.clientWidth;
            look(moved(view, full, -event.movementX * scale, -event.movementY * scale));
        });
        svg.addEventListener("wheel", event => {
            if (!event.ctrlKey) return;
            event.preventDefault();
            const box = svg.getBoundingClientRect();
            look(zoomed(view, full, event.deltaY < 0 ? 1.25 : 0.8, view.x + (event.clientX - box.left) / box.width * view.w,
                        view.y + (event.clientY - box.top) / box.height * view.h));
        }, {passive: false});
        svg.addEventListener("dblclick", () => look(full));
    }
    let known = null;
    let wide = 0;
    const observer = new ResizeObserver(() => { if (known && body.clientWidth !== wide) { wide = body.clientWidth; show(known); } });
    const tool = (text, name, to) => h("button", {class: "quiet", title: name, "aria-label": name, onclick: () => look(to())}, text);
    return {
        tools: [tool("+", "Zoom in", () => zoomed(view, full, 1.5)), tool("−", "Zoom out", () => zoomed(view, full, 1 / 1.5)), tool("□", "Whole graph", () => full)],
        async begin() {
            try { known = await query("/api/graph", {trainer: panel.trainer}); show(known); observer.observe(body); }
            catch (error) { place.append(h("p", {class: "empty"}, error.message)); }
        },
        end() { observer.disconnect(); },
    };
}
