// How long it takes to read calls: LTON with its schema checked, JSON.parse alone, and JSON.parse with
// ajv. One run, in turn, the best of several rounds: `npm run speed`.

import { Ajv } from "ajv";
import { performance } from "node:perf_hooks";
import { ToolSet, decode, encode } from "../dist/index.js";

const record = { type: "object", properties: { id: { type: "integer" }, name: { type: "string" }, price: { type: "number" }, tags: { type: "array", items: { type: "string" } } }, required: ["id", "name", "price", "tags"] };
const CASES = {
  "a short call": [
    { type: "object", properties: { city: { type: "string" }, days: { type: "integer" }, unit: { enum: ["C", "F"] }, note: { type: "string" } }, required: ["city", "days"] },
    { city: "San Leandro", days: 7, unit: "C" },
  ],
  "a call with text": [
    { type: "object", properties: { path: { type: "string" }, text: { type: "string" } }, required: ["path", "text"] },
    { path: "src/main.py", text: "def main():\n    print('hello, \"world\"')\n".repeat(50) },
  ],
  "a call with 100 records": [
    { type: "object", properties: { items: { type: "array", items: record } }, required: ["items"] },
    { items: Array.from({ length: 100 }, (_, id) => ({ id, name: `Item number ${id}`, price: id + 0.25, tags: ["new", "in stock"] })) },
  ],
  "a call with 1,000 integers": [
    { type: "object", properties: { numbers: { type: "array", items: { type: "integer" } } }, required: ["numbers"] },
    { numbers: Array.from({ length: 1000 }, (_, index) => index * 37) },
  ],
};
const ROUNDS = 15;
const SECONDS = 0.03;

/** Get microseconds: of several rounds, the best of each, for they are run in turn. */
function times(functions) {
  const best = functions.map(() => Infinity);
  for (let round = 0; round < ROUNDS; round += 1) {
    functions.forEach((run, index) => {
      let count = 0;
      const start = performance.now();
      while (performance.now() - start < 1000 * SECONDS) for (let i = 0; i < 20; i += 1, count += 1) run();
      best[index] = Math.min(best[index], (1000 * (performance.now() - start)) / count);
    });
  }
  return best;
}

const show = (value) => value.toFixed(2).padStart(9);
console.log(`node ${process.version}; microseconds a call${" ".repeat(10)}JSON.parse  with ajv     LTON   LTON/JSON.parse  LTON/with ajv`);
for (const [name, [parameters, args]] of Object.entries(CASES)) {
  const tools = ToolSet.from([{ name: "tool", parameters }]);
  const text = encode({ name: "tool", arguments: args }, tools);
  const json = JSON.stringify({ name: "tool", arguments: args });
  const validate = new Ajv().compile({ type: "object", properties: { name: { const: "tool" }, arguments: parameters } });
  const parse = () => JSON.parse(json);
  const check = () => { if (!validate(JSON.parse(json))) throw new Error("not valid"); };
  const [plain, checked, lton] = times([parse, check, () => decode(text, tools)]);
  console.log(`${name.padEnd(28)} ${text.length} characters${show(plain).padStart(14)}${show(checked)}${show(lton)}${show(lton / plain)}${show(lton / checked)}`);
}
