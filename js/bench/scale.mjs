// Check that reading, writing and checking take processor time linear in the size: the families of `make scale`
// that are read strictly, and results of tools, each at one size and at four times that size: `npm run scale`.
// The exit status is 1 if a family takes longer.

import { Decoder, ToolSet, decode, encode } from "../dist/index.js";
import { decodeLenient } from "../dist/lenient.js";
import { read, write } from "../dist/results.js";

const any = ToolSet.from([{ name: "f", parameters: { properties: { x: {}, y: { type: "string", pattern: "^(a+)+$" }, m: { type: "object" } } } }]);
const open = ToolSet.from([{ name: "f", parameters: { type: "object", additionalProperties: true } }]);
const FAMILIES = {
  "words in an array": [any, (n) => `f [${"word ".repeat(n)}w]`],
  "integers in an array": [any, (n) => `f [${"12 ".repeat(n)}1]`],
  "arrays in an array": [any, (n) => `f [${"[[]] ".repeat(n)}[]]`],
  "maps in an array": [any, (n) => `f [${"{a 1} ".repeat(n)}{}]`],
  "rows of a table": [any, (n) => `f [(a b)${"1 2;".repeat(n)}3]`],
  "columns of a table": [any, (n) => `f [(${Array.from({ length: n }, (_, i) => `k${i}`).join(" ")})${"_ ".repeat(n - 1)}1;]`],
  "counted texts": [any, (n) => `f [${"s3:😀 b ".repeat(n)}s0:]`],
  "a quoted text": [any, (n) => `f "${"text ".repeat(n)}"`],
  "a fence of backticks": [any, (n) => `f \`\`\`\`\n${"```\n``".repeat(n)}\n\`\`\`\``],
  "quotes without an end": [any, (n) => `f ${"'".repeat(1)}${'"'.repeat(n)}`],
  "keys": [open, (n) => `f ${Array.from({ length: n }, (_, i) => `k${i}=1`).join(" ")}`],
  "spaces": [any, (n) => `f [1${" ".repeat(n)}2]`],
  "calls": [any, (n) => "f 1\n& 2\n".repeat(n)],
  "tagged groups": [open, (n) => `!call f\n${Array.from({ length: n }, (_, i) => `(k${i} u1:1)`).join("\n")}`],
  "a pattern": [any, (n) => `f y=${"a".repeat(n)}`],
};
const WAYS = {
  decode: (text, tools) => decode(text, tools),
  "in chunks of 3": (text, tools) => {
    const decoder = new Decoder(tools);
    for (let at = 0; at < text.length; at += 3) [...decoder.feed(text.slice(at, at + 3))];
    return [...decoder.end()];
  },
  encode: (calls, tools) => encode(calls, tools),
};
const LARGEST = 12; // the longest that four times the size may take: linear is 4, quadratic 16

function time(run) {
  let best = Infinity;
  for (let round = 0; round < 3; round += 1) {
    const start = process.cpuUsage();
    try {
      run();
    } catch (error) {
      if (error.name !== "LtonError") throw error;
    }
    const { user, system } = process.cpuUsage(start); // in microseconds
    best = Math.min(best, (user + system) / 1000);
  }
  return best;
}

const many = (n, make) => Array.from({ length: n }, (_, i) => make(i));
const RESULTS = {
  "rows": (n) => many(n, (i) => ({ id: i, name: `user ${i}` })),
  "nested rows": (n) => ({ all: many(n, (i) => ({ id: i, lines: [{ x: i, y: "two words" }, { x: 2, y: "b" }] })) }),
  "wide rows": (n) => many(3, () => Object.fromEntries(many(n, (i) => [`k${i}`, i]))),
  "sparse rows": (n) => many(n, (i) => ({ [`c${i}`]: i })),
  "keyed rows": (n) => Object.fromEntries(many(n, (i) => [`k${i}`, { a: i, b: "x y" }])),
  "long texts": (n) => ["some 'words' \"here\"\n``` 😀".repeat(n)],
};

const wait = ToolSet.from([{ name: "wait", parameters: { properties: { minutes: { type: "integer" }, note: { type: "string" } } } }]);
const CALL = '{"name": "wait", "arguments": {"minutes": 5}}';
const OUTPUTS = {
  "prose": (n) => "The quick brown fox jumps over the dog.\n".repeat(n),
  "calls in a list": (n) => `[${`${CALL},`.repeat(n)}${CALL}]`,
  "calls in tags": (n) => `<tool_call>${CALL}</tool_call>\n`.repeat(n),
  "elements": (n) => "<function=wait>\n<parameter=minutes>\n5\n</parameter>\n</function>\n".repeat(n),
  "functions and prose": (n) => "wait(minutes=5)\nSo.\n".repeat(n),
  "a text in JSON": (n) => `{"name": "wait", "arguments": {"note": "${"text \\n 😀".repeat(n)}"}}`,
  "open brackets": (n) => "{[(<".repeat(n),
  "backticks and quotes": (n) => "``` \" ' `".repeat(n),
  "open thoughts": (n) => "<think>".repeat(n),
  "list marks": (n) => "- ".repeat(n),
};

let failed = false;

/** Run at a size that takes 4 ms, and at four times that size; an input of null is left out. */
function compare(name, way, of, run) {
  let n = 1000;
  let input = of(n);
  if (input === null) return;
  let small = time(() => run(input));
  for (; small < 4 && n < 300_000; n *= 2, input = of(n), small = time(() => run(input)));
  const more = of(4 * n);
  const ratio = time(() => run(more)) / small;
  if (ratio > LARGEST) failed = true;
  console.log(`${name.padEnd(24)} ${way.padEnd(16)} n=${String(n).padStart(6)} ${small.toFixed(1).padStart(7)} ms, four times as much: ${ratio.toFixed(1).padStart(5)} times as long${ratio > LARGEST ? "  TOO LONG" : ""}`);
}

for (const [name, [tools, write]] of Object.entries(FAMILIES)) {
  for (const [way, run] of Object.entries(WAYS)) {
    const of = (n) => {
      if (way !== "encode") return write(n);
      try {
        return decode(write(n), tools);
      } catch {
        return null;
      }
    };
    compare(name, way, of, (input) => run(input, tools));
  }
}
for (const [name, make] of Object.entries(RESULTS)) {
  compare(name, "write a result", make, (value) => write(value, { forModels: "large" }));
  compare(name, "read a result", (n) => write(make(n), { forModels: "large" }), (text) => read(text));
}
for (const [name, make] of Object.entries(OUTPUTS)) compare(name, "read leniently", make, (text) => decodeLenient(text, wait));
process.exitCode = failed ? 1 : 0;
