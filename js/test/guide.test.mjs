// The examples of docs/guides/typescript.md print what the page says.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const guide = readFileSync(new URL("../../docs/guides/typescript.md", import.meta.url), "utf8");
const EXAMPLE = /```js\n([^]*?)```\n\n[^\n]*prints[^\n]*\n\n<!-- [^\n]* -->\n```txt\n([^]*?)```/g;
const entry = new URL("../dist/index.js", import.meta.url).href;

test("the examples of the guide", () => {
  const examples = [...guide.matchAll(EXAMPLE)];
  assert.equal(examples.length, guide.split("```js\n").length - 1);
  for (const [, code, printed] of examples) {
    const program = code.replaceAll('from "lton"', `from "${entry}"`);
    assert.equal(execFileSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" }), printed);
  }
});
