// SPDX-License-Identifier: BSL-1.0
// Downloads of a chart: a table of its points, and a picture with title, axis, and legend.
import {h} from "../dom.js";
import {aligned} from "./line.js";

/// Quotes a field of a CSV file (RFC 4180), so that a spreadsheet computes no formula.
export const quoted = text => {
    const safe = /^[=+\-@\t]/.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

/// Makes a CSV text of lines [{name, x, y, low, high}]. If points were merged, y is their mean, and the columns `low` and `high` have minimum and maximum.
export function csv(axis, lines) {
    const columns = [];
    for (const {name, x: places, y, low, high} of lines) {
        columns.push({name, x: places, y});
        if (low.some((v, i) => v !== high[i])) columns.push({name: `${name} low`, x: places, y: low}, {name: `${name} high`, x: places, y: high});
    }
    const [x, ...values] = aligned(columns);
    const rows = [[axis, ...columns.map(column => column.name)].map(quoted), ...x.map((at, i) => [at, ...values.map(column => column[i] ?? "")])];
    return rows.map(row => row.join(",")).join("\n") + "\n";
}

/// Draws a plot with a title above, and the name of the axis and a legend below. lines: [{name, colour, dash}]; `paint` has the colors text, dim and back.
export function picture(plot, {title, axis, lines, paint}) {
    const from = plot.ctx.canvas, ratio = from.width / plot.width, wide = plot.width, edge = 14, swatch = 22, gap = 18, row = 20;
    const canvas = h("canvas", {width: from.width, height: from.height}), font = "12.5px system-ui, sans-serif";
    let to = canvas.getContext("2d");
    const cut = (text, most) => {
        if (to.measureText(text).width <= most) return text;
        let n = text.length;
        while (n > 1 && to.measureText(`${text.slice(0, n)}…`).width > most) --n;
        return `${text.slice(0, n)}…`;
    };
    to.font = font;
    let x = edge, rows = lines.length ? 1 : 0;
    const placed = lines.map(line => {
        const name = cut(line.name, wide - 2 * edge - swatch), size = swatch + to.measureText(name).width;
        if (x > edge && x + size > wide - edge) { x = edge; ++rows; }
        const at = {...line, name, x, row: rows - 1};
        x += size + gap;
        return at;
    });
    const top = 36, below = top + plot.height, legend = below + 22;
    canvas.height = Math.round((legend + rows * row + 10) * ratio);
    to = canvas.getContext("2d");
    to.fillStyle = paint.back;
    to.fillRect(0, 0, canvas.width, canvas.height);
    to.drawImage(from, 0, Math.round(top * ratio));
    to.scale(ratio, ratio);
    to.textBaseline = "middle";
    to.fillStyle = paint.text;
    to.font = "600 15px system-ui, sans-serif";
    to.fillText(cut(title, wide - 2 * edge), edge, top / 2);
    to.font = font;
    for (const line of placed) {
        const y = legend + (line.row + 0.5) * row;
        to.strokeStyle = line.colour;
        to.lineWidth = 2.5;
        to.setLineDash(line.dash.map(d => d / 2));
        to.beginPath();
        to.moveTo(line.x, y);
        to.lineTo(line.x + swatch - 6, y);
        to.stroke();
        to.fillText(line.name, line.x + swatch, y);
    }
    to.textAlign = "center";
    to.fillStyle = paint.dim;
    to.fillText(axis, wide / 2, below + 9);
    return canvas;
}
