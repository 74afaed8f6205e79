// The package as one module of the playground, which is a single file: `node bench/page.mjs` writes it,
// `node bench/page.mjs --check` exits with 1 if it is not what the sources give.

import { build } from "esbuild";
import { readFileSync, writeFileSync } from "node:fs";

const PLACE = new URL("../../benchmarks/lton_bench/tokens/page/library.mjs", import.meta.url);
const HEAD = "// The package of js/, made by `node bench/page.mjs` there. Not to be edited.\n";
const contents = `
  export { ToolSet } from "./dist/toolset.js";
  export { encode } from "./dist/encode.js";
  export { LtonError } from "./dist/errors.js";
  export { sorted } from "./dist/values.js";
`;

const stdin = { contents, resolveDir: new URL("..", import.meta.url).pathname };
const { outputFiles } = await build({ stdin, bundle: true, minify: true, charset: "ascii", lineLimit: 120, format: "iife", globalName: "library", target: "es2022", write: false, legalComments: "none" });
const text = HEAD + outputFiles[0].text.replace(/^(?:"use strict";)?var library=/, "export const library = ");
if (!text.startsWith(`${HEAD}export const library = `)) throw new Error("esbuild writes another beginning");

if (!process.argv.includes("--check")) writeFileSync(PLACE, text);
else if (readFileSync(PLACE, "utf8") !== text) {
  console.error("the playground has another version of the package: run `node bench/page.mjs`");
  process.exitCode = 1;
}
