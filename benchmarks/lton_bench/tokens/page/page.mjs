// The page: what the fields hold, in every format, with its tokens.

import { readBytes, unpack } from "./bpe.mjs";
import { breakEven, listOf, shown } from "./definitions.mjs";
import { BASELINE, FORMATS } from "./formats.mjs";
import { parseJSON, parseLines, TextError } from "./json.mjs";
import { readCalls } from "./lton.mjs";
import { PartError, readTools } from "./schema.mjs";
import { copy, linkOf, textsOf } from "./share.mjs";
import { addFilter, makeSortable } from "./tables.mjs";

const MAX_TEXT = { tools: 1_000_000, call: 100_000 }; // characters of each field; the call is written in every format
const MAX_SHOWN = 500; // tokens of a text that are shown one by one
const WAIT = 150; // milliseconds without a key before the texts are written again
const SLICE = 30; // milliseconds of work before the browser may do something else

const byId = (id) => document.getElementById(id);
const make = (tag, properties, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};

// --- reading the fields ---------------------------------------------------------------------------

/** Read a field with a function; what is wrong with it stands beside it, and nothing comes back. */
function readField(field, read, parse = parseJSON) {
  const text = field.value;
  let positions = new Map();
  try {
    const most = MAX_TEXT[field.id];
    if (text.length > most) throw new TextError(`more than ${most.toLocaleString("en")} characters`, most);
    const parsed = parse(text);
    positions = parsed.positions;
    const found = read(parsed.value);
    showError(field, null);
    return found;
  } catch (error) {
    if (!(error instanceof TextError) && !(error instanceof PartError)) {
      showError(field, `cannot be read: ${error.message}`, 0);
      return null;
    }
    showError(field, error.message, error.pos ?? positionOf(error.pointer, positions));
    return null;
  }
}

/** Get where a part of the text stands, or else the part around it. */
function positionOf(pointer, positions) {
  while (!positions.has(pointer)) pointer = pointer.slice(0, pointer.lastIndexOf("/"));
  return positions.get(pointer);
}

function showError(field, message, pos) {
  const place = byId(`${field.id}-error`);
  place.hidden = message === null;
  field.setAttribute("aria-invalid", String(message !== null));
  if (message === null) return;
  const before = field.value.slice(0, pos).split("\n");
  const column = [...before.at(-1)].length + 1;
  place.replaceChildren(`Line ${before.length}, column ${column}: ${message}`, excerptOf(field.value, pos, before.at(-1).length));
}

/** Get the line around a position, the character there marked. */
function excerptOf(text, pos, column) {
  const [found = ""] = text.slice(pos, pos + 2);
  const mark = found.trim() ? found : " ";
  const [rest] = text.slice(pos + (found === "\n" ? 0 : found.length), pos + 40).split("\n", 1);
  const cut = column > 40 ? "…" : "";
  return make("pre", {}, cut + text.slice(pos - Math.min(40, column), pos), make("mark", {}, mark), rest);
}

// --- tokens ---------------------------------------------------------------------------------------

/** Get the elements of tokens; where one ends within a character, several share an element. */
function showTokens(tokens) {
  const elements = [];
  let bytes = "";
  let ids = [];
  const shown = tokens.slice(0, MAX_SHOWN);
  for (const [index, token] of shown.entries()) {
    bytes += token.bytes;
    ids.push(token.id);
    const text = readBytes(bytes);
    if (text === undefined && index + 1 < shown.length) continue;
    elements.push(make("span", { title: `token ${ids.join(" and ")}` }, ...withLineEnds(text ?? "\ufffd")));
    bytes = "";
    ids = [];
  }
  if (shown.length < tokens.length) elements.push(make("em", {}, ` … and ${(tokens.length - shown.length).toLocaleString("en")} tokens more`));
  return elements;
}

/** Get a text with a mark, which is not copied, before each line end. */
function withLineEnds(text) {
  return text.split(/(?=\n)/).flatMap((part) => (part.startsWith("\n") ? [make("b", { className: "line" }), part] : [part]));
}

// --- the table ------------------------------------------------------------------------------------

const table = byId("formats");
const definitions = byId("definitions");
const explanation = byId("explanation").textContent;
const vocabularies = new Map();
let resort = () => {};
let latest = 0;

async function vocabularyOf(name) {
  if (!vocabularies.has(name)) vocabularies.set(name, unpack(name, byId(`vocabulary-${name}`).textContent));
  return vocabularies.get(name);
}

function update() {
  showAll().catch((error) => say(`This browser cannot show the texts: ${error.message}`));
}

/** Write the call of the fields in every format, unless a later change overtakes it. */
async function showAll() {
  const run = (latest += 1);
  const found = readField(byId("tools"), (value) => ({ ...readTools(value), value }));
  const vocabulary = await vocabularyOf(byId("vocabulary").value);
  if (run !== latest) return;
  definitions.classList.toggle("stale", !found);
  if (found) showDefinitions(found, vocabulary);
  const calls = found && readField(byId("call"), (value) => readCalls(value, found.tools), parseLines);
  table.classList.toggle("stale", !calls);
  if (!calls) return say("The texts below, in grey, are those of the last call without errors.");
  const rows = [];
  let began = performance.now();
  for (const format of FORMATS) {
    if (run !== latest) return;
    const written = format.write(calls, found.tools);
    rows.push({ format, written, tokens: vocabulary.encode(written) });
    if (performance.now() - began < SLICE) continue;
    await new Promise((resolve) => setTimeout(resolve));
    began = performance.now();
  }
  if (run !== latest) return;
  const baseline = rows.find(({ format }) => format.name === BASELINE).tokens.length;
  table.tBodies[0].replaceChildren(...rows.map((row) => showRow(row, baseline)));
  resort();
  const unchecked = found.unchecked.length ? ` Not checked on this page: ${found.unchecked.join(", ")}.` : "";
  say(`${rows.length} formats; minified JSON takes ${baseline.toLocaleString("en")} tokens.${unchecked}`);
}

/** Show the definitions in each form, and from how many tools on LTON is shorter. */
function showDefinitions({ value, tools }, vocabulary) {
  const forms = shown(value, tools, explanation).map((form) => ({ ...form, tokens: vocabulary.encode(form.text) }));
  const lton = forms.at(-1).tokens.length;
  definitions.tBodies[0].replaceChildren(...forms.map((form) => showForm(form, lton)));
  const count = listOf(value).length;
  const explained = vocabulary.encode(explanation).length;
  const least = forms.slice(0, -1).map(({ name, tokens }) => {
    const from = breakEven(tokens.length, lton, explained, count);
    return `compared with ${name.split(",")[0]}, ${from === null ? "for no number of such tools" : `from ${from.toLocaleString("en")} of such tools on`}`;
  });
  const [json] = forms;
  const sizes = `${lton.toLocaleString("en")} tokens in LTON and ${json.tokens.length.toLocaleString("en")} in JSON`;
  const what = count === 1 ? "This tool takes" : `These ${count.toLocaleString("en")} tools take`;
  byId("break-even").textContent = `${what} ${sizes}. LTON is shorter, ${least.join("; ")}. Its explanation takes ${explained} tokens, whatever the tools are.`;
}

function showForm({ name, about, tokens }, lton) {
  const ratio = lton / tokens.length;
  const scale = make("td", { className: `number ${ratio < 1 ? "less" : "more"}` }, ratio.toFixed(2));
  scale.style.setProperty("--p", `${Math.min(60, Math.abs(ratio < 1 ? 1 - ratio : (ratio - 1) / 2) * 90)}%`);
  const count = make("td", { className: "number" }, tokens.length.toLocaleString("en"));
  const text = make("td", {}, make("pre", { tabIndex: 0 }, ...showTokens(tokens)));
  const head = make("th", { scope: "row" }, name);
  return make("tr", { className: name === "LTON" ? "own" : "" }, head, make("td", {}, about), count, scale, text);
}

function showRow({ format, written, tokens }, baseline) {
  const ratio = tokens.length / baseline;
  const scale = make("td", { className: `number ${ratio < 1 ? "less" : "more"}` }, ratio.toFixed(2));
  scale.dataset.value = ratio;
  scale.style.setProperty("--p", `${Math.min(60, Math.abs(ratio < 1 ? 1 - ratio : (ratio - 1) / 2) * 90)}%`);
  const count = make("td", { className: "number" }, tokens.length.toLocaleString("en"));
  count.dataset.value = tokens.length;
  const text = make("td", {}, make("pre", { tabIndex: 0 }, ...showTokens(tokens)));
  const button = make("button", { type: "button", title: `Copy ${format.name}`, ariaLabel: `Copy ${format.name}` }); // its sign is in the style
  button.addEventListener("click", async () => {
    const copied = await copy(written);
    say(copied ? `Copied ${format.name}.` : "This browser lets no page copy.");
  });
  const name = make("th", { scope: "row" }, format.name, button);
  return make("tr", { className: format.group === "LTON" ? "own" : "" }, name, make("td", {}, format.group), count, scale, text);
}

function say(message) {
  byId("status").textContent = message;
}

// --- the beginning --------------------------------------------------------------------------------

const results = [...document.querySelectorAll("#results table")];
for (const each of results) makeSortable(each);
addFilter(byId("groups"), results);
resort = makeSortable(table);
let timer = 0;
const fields = [byId("call"), byId("tools")];
for (const field of fields) {
  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(update, WAIT);
  });
}
byId("file").addEventListener("change", async ({ target }) => {
  if (target.files.length) byId("tools").value = await target.files[0].text();
  update();
});
byId("vocabulary").addEventListener("change", update);
byId("share").addEventListener("click", async () => {
  const link = await linkOf(fields.map((field) => field.value));
  history.replaceState(null, "", link);
  say((await copy(location.href)) ? "Copied a link with both fields in it." : "The address of this page now has both fields in it.");
});

/** Take the fields from the address, if it has them, and write the call. */
async function begin() {
  const texts = await textsOf(location.hash, fields.length);
  fields.forEach((field, index) => texts && (field.value = texts[index]));
  update();
}

window.addEventListener("hashchange", begin);
begin();
