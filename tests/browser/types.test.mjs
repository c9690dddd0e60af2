// SPDX-License-Identifier: BSL-1.0
// The code of the monitor's page: types, long functions, and names that hide others. Needs no browser:
//     node --test tests/browser/types.test.mjs    with TYPESCRIPT=<folder of the npm package typescript>
import assert from "node:assert/strict";
import {createRequire} from "node:module";
import {join} from "node:path";
import test from "node:test";
import {fileURLToPath} from "node:url";

const ts = createRequire(import.meta.url)(join(process.env.TYPESCRIPT, "lib/typescript.js"));
const root = fileURLToPath(new URL("../../", import.meta.url)), page = join(root, "components/monitor/page");
const {config} = ts.readConfigFile(join(root, "tests/browser/tsconfig.json"), ts.sys.readFile);
const {options, fileNames} = ts.parseJsonConfigFileContent(config, ts.sys, join(root, "tests/browser"));
const most_lines = 80;

/// Makes the program of the page or, for tests of the checks, of one file that is not on disk and what it imports.
function program_of(wrong) {
    const host = ts.createCompilerHost(options), added = join(page, "wrong.js"), {getSourceFile} = host;
    if (wrong === undefined) return ts.createProgram(fileNames, options, host);
    // What was parsed for the page is used again: the declarations of the DOM alone have two megabytes.
    host.getSourceFile = (name, language, ...more) => name === added ? ts.createSourceFile(name, wrong, language) : whole.getSourceFile(name) ?? getSourceFile(name, language, ...more);
    return ts.createProgram([types.fileName, added], options, host);
}
const place_of = (file, position) => `${file.fileName.slice(root.length)}:${file.getLineAndCharacterOfPosition(position).line + 1}`;
const files_of = program => program.getSourceFiles().filter(file => file.fileName.startsWith(page));
const whole = program_of(), types = whole.getSourceFile(join(root, "tests/browser/page_types.d.ts"));

/// Returns a text for each fault that the checker finds.
const faults_of = program => [...program.getOptionsDiagnostics(), ...[types, ...files_of(program)].flatMap(file => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)])]
    .map(({file, start, messageText}) => `${file ? place_of(file, start) : ""} ${ts.flattenDiagnosticMessageText(messageText, "\n")}`);

/// Calls `found` for each node below another. Comments of JSDoc are nodes, too, but no code.
function walk(node, file, found) {
    found(node);
    for (const child of node.getChildren(file)) if (child.kind < ts.SyntaxKind.FirstJSDocNode || child.kind > ts.SyntaxKind.LastJSDocNode) walk(child, file, found);
}
/// Returns a text for each function of more than `most_lines` lines that have code.
function long_functions(program) {
    return files_of(program).flatMap(file => {
        const line_of = position => file.getLineAndCharacterOfPosition(position).line, with_code = new Set(), functions = [];
        walk(file, file, node => {
            if (ts.isFunctionLike(node)) functions.push(node);
            if (node.getChildCount(file) === 0) for (let line = line_of(node.getStart(file)); line <= line_of(node.end); ++line) with_code.add(line);
        });
        const lines = node => [...with_code].filter(line => line >= line_of(node.getStart(file)) && line <= line_of(node.end)).length;
        return functions.filter(node => lines(node) > most_lines).map(node => `${place_of(file, node.getStart(file))} ${node.name?.getText(file) ?? "function"}: ${lines(node)} lines`);
    });
}
/// Returns a text for each name that hides an outer name of its file. `_` is an unused parameter, which may hide another.
function hidden_names(program) {
    program.getTypeChecker();  // finds the names of each scope, `locals`
    const faults = [];
    const look = (node, outer, file) => {
        const own = [...node.locals?.keys() ?? []].filter(name => name !== "_");
        for (const name of own) if (outer.has(name)) faults.push(`${place_of(file, node.locals.get(name).declarations[0].getStart(file))} ${name}`);
        const inner = own.length ? new Set([...outer, ...own]) : outer;
        ts.forEachChild(node, child => look(child, inner, file));
    };
    for (const file of files_of(program)) look(file, new Set(), file);
    return faults;
}

test("the page has no wrong types and no unused names", () => {
    assert.ok(files_of(whole).length > 40, "the files of the page were not found");
    assert.deepEqual(faults_of(whole), []);
    const faults = faults_of(program_of(`
        export class Place { constructor() { Object.assign(this, {x: 1}); } get twice() { return 2 * this.x; } }
        export function f(a) { const b = 1; if (a === null) return true - false; }
        document.addEventListener("click", event => event.target.missing());
        import {absent} from "./dom.js";
    `)).join("\n");
    for (const wrong of [/'x' does not exist/, /'b' is declared but/, /Not all code paths/, /left-hand side of an arithmetic/, /'missing' does not exist/, /no exported member 'absent'/]) assert.match(faults, wrong);
});

test(`no function of the page has more than ${most_lines} lines of code`, () => {
    assert.deepEqual(long_functions(whole), []);
    const body = count => `export function f(a) {\n${"    // a comment\n\n    a();\n".repeat(count)}}\n`;
    assert.deepEqual(long_functions(program_of(body(most_lines - 2))), []);
    assert.deepEqual(long_functions(program_of(body(most_lines - 1))), [`components/monitor/page/wrong.js:1 f: ${most_lines + 1} lines`]);
});

test("no name of the page hides an outer one", () => {
    assert.deepEqual(hidden_names(whole), []);
    const wrong = "import {h} from './dom.js';\nexport function f(a, _) {\n    for (const b of a) a(_ => b);\n    return a.map((a, _) => a);\n}\nexport const g = () => { const h = 1; return h; };\n";
    assert.deepEqual(hidden_names(program_of(wrong)), ["components/monitor/page/wrong.js:4 a", "components/monitor/page/wrong.js:6 h"]);
});
