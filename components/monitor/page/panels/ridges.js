// SPDX-License-Identifier: BSL-1.0
// Distributions over the run as ridges: one outline for each, the latest in front.
import {colour, number} from "../dom.js";

const most_ridges = 24, edge = 0.005;  // share of the values that may lie outside on each side

/// Returns the range [a, b] that has all but a small share of the values of all distributions on each side, so that a few outliers do not squeeze the ridges.
export function usual_range(history) {
    const bins = history.flatMap(({low, high, counts}) => {
        const all = counts.reduce((x, y) => x + y, 0) || 1, step = (high - low) / counts.length;
        return counts.map((n, i) => ({from: low + i * step, to: low + (i + 1) * step, share: n / all / history.length}));
    });
    const reach = (sorted, end) => {
        let sum = 0;
        for (const bin of sorted) if ((sum += bin.share) > edge) return bin[end];
        return sorted.at(-1)[end];
    };
    return [reach([...bins].sort((x, y) => x.from - y.from), "from"), reach([...bins].sort((x, y) => y.to - x.to), "to")];
}

/// Returns at most `most` of the elements, evenly, with the first and the last.
export const thinned = (all, most = most_ridges) => all.length <= most ? all : Array.from({length: most}, (_, i) => all[Math.round(i * (all.length - 1) / (most - 1))]);

/// Draws distributions on a canvas, and returns their range. The density of each is relative to the greatest of all.
export function draw_ridges(canvas, history) {
    const g = canvas.getContext("2d"), {width, height} = canvas, some = thinned(history), [a, b] = usual_range(history), span = b - a || 1;
    const densities = some.map(({low, high, counts}) => {
        const all = counts.reduce((x, y) => x + y, 0) || 1, step = (high - low) / counts.length || span / counts.length;
        return {low, step, tall: counts.map(n => n / all / step)};
    });
    const greatest = Math.max(...densities.flatMap(one => one.tall)) || 1, size = width / (canvas.clientWidth || width);  // of a pixel of the screen
    const room = height * 0.3, row = (height - room - 18 * size) / Math.max(1, some.length - 1), left = 46 * size, x_of = v => left + Math.min(1, Math.max(0, (v - a) / span)) * (width - left - 4);
    g.clearRect(0, 0, width, height);
    g.font = `${11 * size}px system-ui, sans-serif`;
    g.lineWidth = size;
    const labels = Math.ceil(14 * size / Math.max(1, row));
    densities.forEach(({low, step, tall}, i) => {
        const base = room + i * row;
        g.beginPath();
        g.moveTo(x_of(low), base);
        tall.forEach((density, k) => g.lineTo(x_of(low + (k + 0.5) * step), base - Math.sqrt(density / greatest) * (room - 4)));
        g.lineTo(x_of(low + tall.length * step), base);
        g.fillStyle = colour("card");
        g.fill();
        g.strokeStyle = colour("accent");
        g.globalAlpha = 0.35 + 0.65 * (i + 1) / densities.length;
        g.stroke();
        g.globalAlpha = 1;
        g.fillStyle = colour("dim");
        if ((densities.length - 1 - i) % labels === 0) g.fillText(number(some[i].iteration), 0, base);
    });
    g.fillText(number(a, 3), left, height - 4);
    g.textAlign = "right";
    g.fillText(number(b, 3), width - 4, height - 4);
    g.textAlign = "left";
    return [a, b];
}
