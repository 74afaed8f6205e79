// What a program that uses the package ships, minified and gzipped: `npm run size`.

import { build } from "esbuild";
import { gzipSync } from "node:zlib";

const USES = {
  "read and write results": "export { read, write } from './dist/results.js'",
  "encode and decode, without tools": "export { decode, encode, LtonError } from './dist/index.js'",
  "encode and decode, with tools and their schemas": "export { ToolSet, decode, encode, LtonError } from './dist/index.js'",
  "lenient reading, with tools and their schemas": "export { decodeLenient } from './dist/lenient.js'; export { ToolSet } from './dist/index.js'",
  "everything": "export * from './dist/index.js'; export * from './dist/lenient.js'",
};

for (const [use, contents] of Object.entries(USES)) {
  const stdin = { contents, resolveDir: new URL("..", import.meta.url).pathname };
  const { outputFiles } = await build({ stdin, bundle: true, minify: true, format: "esm", target: "es2022", write: false, external: ["ai"] });
  const [{ contents: code }] = outputFiles;
  console.log(`${(gzipSync(code, { level: 9 }).length / 1000).toFixed(1).padStart(6)} kB gzipped, ${(code.length / 1000).toFixed(1).padStart(5)} kB minified: ${use}`);
}
