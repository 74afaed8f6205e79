// The compiler finds the static types of calls that `types/calls.ts` expects.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

test("calls have the types of their schemas", () => {
  const compiler = fileURLToPath(new URL("../node_modules/typescript/bin/tsc", import.meta.url));
  const project = fileURLToPath(new URL("types/tsconfig.json", import.meta.url));
  const { status, stdout } = spawnSync(process.execPath, [compiler, "-p", project], { encoding: "utf8" });
  assert.equal(status, 0, stdout);
});
