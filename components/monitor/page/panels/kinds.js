// SPDX-License-Identifier: BSL-1.0
// The kinds of panels: first tab, width in columns, whether a card alone on its tab fills the window, and create(panel, body) -> {begin?, end?, recolour?, drop?, tools?}.
// A card survives when another tab is opened: end() is called then, and begin() when it is visible again. recolour() is called when the theme
// has changed, if a picture depends on it; drop() when the panel is removed.
import * as activations from "./activations.js";
import * as bars from "./bars.js";
import * as chart from "./chart.js";
import * as confusion from "./confusion.js";
import * as differences from "./differences.js";
import * as draw from "./draw.js";
import * as graph from "./graph.js";
import * as health from "./health.js";
import * as histogram from "./histogram.js";
import * as histogram_of_runs from "./histogram_of_runs.js";
import * as log from "./log.js";
import * as maximised from "./maximised.js";
import * as overview from "./overview.js";
import * as parallel from "./parallel_of_runs.js";
import * as parameters from "./parameters.js";
import * as picture from "./picture.js";
import * as predictions from "./predictions.js";
import * as predictions_of_runs from "./predictions_of_runs.js";
import * as runs from "./runs.js";
import * as scatter from "./scatter.js";
import * as search from "./search.js";
import * as system from "./system.js";
import * as table from "./table.js";
import * as tasks from "./tasks.js";
import * as tic_tac_toe from "./tic_tac_toe.js";
import * as weights from "./weights.js";
import * as workers from "./workers.js";

export const kinds = {
    overview: {tab: "Training", width: 3, create: overview.create},
    workers: {tab: "Training", width: 2, create: workers.create},
    chart: {tab: "Training", width: 2, fills: true, create: chart.create},
    confusion: {tab: "Training", width: 1, create: confusion.create},
    draw: {tab: "Training", width: 1, create: draw.create},
    bars: {tab: "Training", width: 1, create: bars.create},
    ranked: {tab: "Training", width: 1, create: bars.create},
    picture: {tab: "Training", width: 1, create: picture.create},
    tasks: {tab: "Training", width: 1, create: tasks.create},
    tic_tac_toe: {tab: "Training", width: 1, create: tic_tac_toe.create},
    table: {tab: "Training", width: 2, create: table.create},
    parameters: {tab: "Parameters", width: 2, create: parameters.create},
    histogram: {tab: "Parameters", width: 1, create: histogram.create},
    weights: {tab: "Parameters", width: 2, create: weights.create},
    maximised: {tab: "Parameters", width: 2, create: maximised.create},
    graph: {tab: "Network", width: 3, fills: true, create: graph.create},
    activations: {tab: "Network", width: 3, create: activations.create},
    predictions: {tab: "Predictions", width: 3, create: predictions.create},
    health: {tab: "Health", width: 3, create: health.create},
    system: {tab: "System", width: 3, create: system.create},
    runs: {tab: "Runs", width: 3, create: runs.create},
    differences: {tab: "Runs", width: 3, create: differences.create},
    scatter: {tab: "Runs", width: 2, create: scatter.create},
    parallel: {tab: "Runs", width: 3, create: parallel.create},
    histogram_of_runs: {tab: "Runs", width: 1, create: histogram_of_runs.create},
    predictions_of_runs: {tab: "Runs", width: 3, create: predictions_of_runs.create},
    search: {tab: "Search", width: 3, create: search.create},
    log: {tab: "Log", width: 3, fills: true, create: log.create},
};
