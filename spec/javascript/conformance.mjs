// The reader as the conformance runner asks for it: a request a line, an answer a line.
//
//     python spec/conformance/run.py node spec/javascript/conformance.mjs
//
// Requests are read with JSON.parse, because what is asked has no numbers in it; answers are
// written by hand, because JSON.stringify knows neither BigInts nor 1.0.

import { createInterface } from "node:readline";
import { decode, DecodeError } from "./reader.mjs";

function toJSON(value) {
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "number") return doubleToJSON(value);
  if (Array.isArray(value)) return `[${value.map(toJSON).join(",")}]`;
  if (value instanceof Map) {
    return `{${[...value].map(([key, item]) => `${JSON.stringify(key)}:${toJSON(item)}`).join(",")}}`;
  }
  return JSON.stringify(value);
}

function doubleToJSON(value) {
  if (Object.is(value, -0)) return "-0.0";
  const digits = String(value);
  return /[.e]/.test(digits) ? digits : `${digits}.0`;
}

function answer(request) {
  if (request.kind !== "decode" || request.tools !== null) return '"unsupported":true';
  try {
    const calls = decode(request.text).map((call) => new Map(Object.entries(call)));
    return `"calls":${toJSON(calls)}`;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return `"error":{"code":"${error.code}","pos":${error.pos}}`;
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  process.stdout.write(`{"id":${JSON.stringify(request.id)},${answer(request)}}\n`);
}
