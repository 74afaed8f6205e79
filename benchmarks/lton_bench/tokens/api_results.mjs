// Writes values in TOON, and says whether they are read back: a JSON value a line in, `{text, same}` a line out.

import { isDeepStrictEqual } from "node:util";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const { decode, encode } = await import(pathToFileURL(process.argv[2]));
for await (const line of createInterface({ input: process.stdin })) {
  const value = JSON.parse(line);
  const text = encode(value);
  let same = false;
  try {
    same = isDeepStrictEqual(decode(text), value);
  } catch {
    // It stays false.
  }
  console.log(JSON.stringify({ text, same }));
}
