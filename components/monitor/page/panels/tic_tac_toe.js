// SPDX-License-Identifier: BSL-1.0
// A game against the network. A board is nine numbers: 1 for its own stones, -1 for the player's, 0 for free fields. The network predicts loss,
// draw, and win for the side that has just moved; the page chooses the move with the largest 2 · win + draw.
import {request} from "../connection.js";
import {h} from "../dom.js";

const lines = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];
export const winner = board => { for (const [a, b, c] of lines) if (board[a] && board[a] === board[b] && board[a] === board[c]) return board[a]; return 0; };

export function create(panel, body) {
    let board = new Array(9).fill(0), busy = false, game = 0;
    // Occupied fields are not `disabled`, since that would remove the focus from the field just played.
    const fields = board.map((_, i) => h("button", {role: "gridcell", onclick: () => { if (free(i)) move(i); }}));
    const place = h("div", {class: "board", role: "grid", "aria-label": "Board"}, [0, 3, 6].map(i => h("div", {role: "row"}, fields.slice(i, i + 3)))), says = h("p", {class: "dim", role: "status"});
    body.append(place, says, h("div", {class: "toolbar"}, h("button", {class: "quiet", onclick: () => begin(false)}, "You start"), h("button", {class: "quiet", onclick: () => begin(true)}, "Network starts")));

    const over = () => winner(board) !== 0 || board.every(Boolean);
    const free = i => !busy && !board[i] && !over();
    function show() {
        board.forEach((stone, i) => {
            fields[i].setAttribute("aria-label", `Field ${i + 1}: ${stone > 0 ? "network" : stone < 0 ? "you" : "free"}`);
            fields[i].setAttribute("aria-disabled", String(!free(i)));
            fields[i].textContent = stone > 0 ? "○" : stone < 0 ? "×" : "";
        });
        const won = winner(board);
        says.textContent = won > 0 ? "The network won." : won < 0 ? "You won." : board.every(Boolean) ? "A draw." : busy ? "The network is thinking…" : "Your move.";
    }
    const predicted = async input => (await request("/api/predict", {trainer: panel.trainer, input})).output;
    /// Makes the network's move. `after` is the field of the player's stone, which is taken back on an error. Ignores an answer that arrives after
    /// another game has begun.
    async function answer(after = -1) {
        const mine = game;
        let why = "", best = -1, most = -Infinity;
        busy = true;
        show();
        try {
            for (let i = 0; i < 9; ++i) {
                if (board[i]) continue;
                const output = await predicted(board.map((stone, k) => k === i ? 1 : stone));
                if (mine !== game) return;
                const score = output.length === 3 ? 2 * output[2] + output[1] : output[0];
                if (score > most) { most = score; best = i; }
            }
            if (best >= 0) board[best] = 1;
        } catch (error) {
            if (mine !== game) return;
            why = error.message;
            if (after >= 0) board[after] = 0;
        }
        busy = false;
        show();
        if (why) says.textContent = why;
    }
    async function move(i) { board[i] = -1; if (!over()) await answer(i); else show(); }
    function begin(it) { ++game; busy = false; board = new Array(9).fill(0); show(); if (it) answer(); }
    begin(false);
    return {};
}
