// Every case of the conformance suite, from the same files, by node's test runner.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { parseJSON, writeJSON } from "../dist/index.js";
import { answer } from "./conformance.mjs";

const HERE = new URL("../../spec/conformance/", import.meta.url);
const ANSWERED = {
  decode: ["calls", "error"],
  encode: ["text", "error"],
  canonical: ["canonical", "error"],
  schema: ["signatures", "fingerprint", "error"],
  lenient: ["calls", "repairs", "errors", "uncertain"],
  stream: ["events", "error"],
  write: ["text"],
  read: ["value", "error"],
};
const read = (path) => parseJSON(readFileSync(new URL(path, HERE), "utf8"));
const toolsets = read("tools.json");

/** A case of several texts is a question of writing and of reading for each. */
function questions(kind, one) {
  if (kind === "write") return [[kind, one], ["read", one]];
  if (!one.has("texts")) return [[kind, one]];
  return [...one.get("texts")].flatMap(([form, text]) => {
    const full = new Map([...one, ["form", form], ["text", text]]);
    return [["encode", full], ["decode", full]];
  });
}

/** What is compared: members in one order, numbers as they are written. */
function spelled(value) {
  if (Array.isArray(value)) return `[${value.map(spelled).join()}]`;
  if (!(value instanceof Map)) return writeJSON(value);
  return `{${[...value].map(([key, part]) => `${writeJSON(key)}:${spelled(part)}`).sort().join()}}`;
}

for (const kind of Object.keys(ANSWERED)) {
  const files = readdir(kind);
  test(`the suite: ${kind}`, async (context) => {
    for (const path of files) {
      for (const one of read(path).get("cases")) {
        await context.test(one.get("id"), () => questions(kind, one).forEach(([asked, full]) => check(asked, full)));
      }
    }
  });
}

function readdir(kind) {
  const names = readdirSync(new URL(kind, HERE)).filter((name) => name.endsWith(".json"));
  assert.ok(names.length, `no cases of ${kind}`);
  return names.sort().map((name) => `${kind}/${name}`);
}

function check(kind, one) {
  const tools = typeof one.get("tools") === "string" ? toolsets.get(one.get("tools")) : one.get("tools");
  const found = parseJSON(writeJSON(answer(new Map([...one, ["kind", kind], ["tools", tools]]))));
  const wanted = ANSWERED[kind].filter((name) => one.has(name));
  const expected = new Map(wanted.map((name) => [name, one.get(name)]));
  if (kind === "lenient" && !one.has("uncertain")) {
    wanted.push("uncertain");
    expected.set("uncertain", []);
  }
  const compared = found.has("error") && !wanted.includes("error") ? [...wanted, "error"] : wanted;
  const seen = new Map(compared.filter((name) => found.has(name)).map((name) => [name, found.get(name)]));
  assert.equal(spelled(seen), spelled(expected));
}
