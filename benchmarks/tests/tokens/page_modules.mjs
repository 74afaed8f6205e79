// Answers what the tests ask of the page's modules: a request a line, an answer a line, in JSON.
//
// Calls, tools and their texts stand in strings, because JSON.parse knows no difference between 1 and 1.0.

import { createInterface } from "node:readline";
import { readBytes, unpack } from "../../lton_bench/tokens/page/bpe.mjs";
import { breakEven, shown } from "../../lton_bench/tokens/page/definitions.mjs";
import { FORMATS } from "../../lton_bench/tokens/page/formats.mjs";
import { parseJSON, parseLines } from "../../lton_bench/tokens/page/json.mjs";
import { readCalls } from "../../lton_bench/tokens/page/lton.mjs";
import { readTools } from "../../lton_bench/tokens/page/schema.mjs";

const vocabularies = new Map();

/** Get the text of calls in every format. */
function texts({ tools, calls }) {
  const read = readTools(parseJSON(tools).value);
  const found = readCalls(parseLines(calls).value, read.tools);
  return { texts: Object.fromEntries(FORMATS.map(({ name, write }) => [name, write(found, read.tools)])) };
}

/** Return the definitions in each form. */
function definitions({ tools, explanation }) {
  const { value } = parseJSON(tools);
  return { texts: shown(value, readTools(value).tools, explanation).map(({ text }) => text) };
}

const KINDS = {
  texts,
  shown: definitions,
  breakEven: ({ other, lton, explained, count }) => ({ from: breakEven(other, lton, explained, count) }),
  json: ({ text }) => ({ positions: [...parseJSON(text).positions] }),
  vocabulary: async ({ name, packed }) => {
    vocabularies.set(name, await unpack(name, packed));
    return { size: vocabularies.get(name).ranks.size };
  },
  tokens: ({ name, text }) => {
    const tokens = vocabularies.get(name).encode(text);
    return { ids: tokens.map(({ id }) => id), text: readBytes(tokens.map(({ bytes }) => bytes).join("")) };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  let answer;
  try {
    answer = await KINDS[request.kind](request);
  } catch (error) {
    answer = { error: error.message, pos: error.pos ?? null, pointer: error.pointer ?? null };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
