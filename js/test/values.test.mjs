// What JSON cannot say, and what is JavaScript's own: numbers, halves of characters, prototypes, limits.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Decoder, LtonError, ToolSet, decode, encode } from "../dist/index.js";

const tools = ToolSet.from([
  { name: "f", parameters: { type: "object", properties: { x: { type: "integer" }, y: {} }, required: ["x"] } },
]);
const refused = (code) => (error) => error instanceof LtonError && error.code === code;

test("integers beyond 2^53 - 1 are refused, or BigInts", () => {
  const text = "f 9007199254740993";
  assert.throws(() => decode(text, tools), (error) => refused("E302")(error) && error.pos === 2 && error.path === "/x");
  assert.equal(decode(text, tools, { integers: "large" })[0].arguments.x, 9007199254740993n);
  assert.equal(decode("f 7", tools, { integers: "large" })[0].arguments.x, 7);
  assert.equal(decode("f 7", tools, { integers: "bigint" })[0].arguments.x, 7n);
  assert.equal(decode("f 9007199254740991", tools)[0].arguments.x, 9007199254740991);
});

test("numbers are written as the specification spells them", () => {
  const spelled = (y, options) => encode({ name: "f", arguments: { x: 1, y } }, tools, options).slice(4);
  assert.deepEqual([1, 1.5, 1e22, 1e-7, 0.0001, 1e16, -0, 12n ** 20n, 5e-324].map((y) => spelled(y)), [
    "1", "1.5", "1e22", "1e-7", "0.0001", "1e16", "-0.0", "3833759992447475122176", "5e-324",
  ]);
  assert.equal(encode({ name: "f", arguments: { x: 1n, y: 1 } }, tools, { integers: "bigint" }), "f 1 1.0");
});

test("an error names the brackets of an object and the number of items", () => {
  const record = { type: "object", properties: { a: {} } };
  const list = { type: "array", items: { type: "integer" }, minItems: 1, maxItems: 2 };
  const map = { type: "object", additionalProperties: {} };
  const cases = [
    [record, '{"a":1}', "expected an object in parentheses, found '{\"a\":1'"],
    [map, "(a:1)", "expected an object in braces, found '(a:1'"],
    [record, "[1]", "expected an object, found '[1'"],
    [list, "[]", "expected an array of at least 1 item, found an array of 0 items"],
    [list, "[1 2 3]", "expected an array of at most 2 items, found an array of 3 items"],
  ];
  for (const [schema, text, problem] of cases) {
    const one = ToolSet.from([{ name: "f", parameters: { type: "object", properties: { x: schema }, required: ["x"] } }]);
    assert.throws(() => decode(`f ${text}`, one), (error) => error.problem === problem || assert.fail(error.problem));
  }
  const listed = ToolSet.from([{ name: "f", parameters: { type: "object", properties: { x: list } } }]);
  assert.throws(() => encode({ name: "f", arguments: { x: [] } }, listed), /found an array of 0 items/);
});

test("an error names all choices of a list of several kinds", () => {
  const choices = { enum: [1, "1", true, null, "a b"] };
  const one = ToolSet.from([{ name: "f", parameters: { type: "object", properties: { x: choices }, required: ["x"] } }]);
  for (const [value, code] of [[2, "E204"], ["b", "E204"], [1.5, "E203"], [false, "E203"], [[1], "E203"], [{}, "E203"]]) {
    assert.throws(() => encode({ name: "f", arguments: { x: value } }, one), (error) => {
      assert.deepEqual([error.code, error.path], [code, "/x"]);
      return error.problem.startsWith("expected one of '1', 'a b', 1, true, null, found ") || assert.fail(error.problem);
    });
  }
  for (const [schema, expected] of [
    [{ enum: [0, 1, 2, 3, 4, "a", "b", "c", "d", "e"] }, "one of 'a', 'b', 'c', 'd', 'e', 0, 1, 2, … (10 in all)"],
    [{ enum: [1, 2.5] }, "one of 1, 2.5"],
    [{ anyOf: [{ enum: ["a"] }, { type: "integer" }] }, "'a' or an integer"],
    [{ anyOf: [{ enum: [1, 2] }, { type: "string", maxLength: 1 }] }, "a string or one of 1, 2"],
  ]) {
    const two = ToolSet.from([{ name: "f", parameters: { type: "object", properties: { x: schema }, required: ["x"] } }]);
    assert.throws(() => encode({ name: "f", arguments: { x: [] } }, two), (error) => error.problem.startsWith(`expected ${expected}, found`) || assert.fail(error.problem));
  }
  const limited = ToolSet.from([{ name: "f", parameters: { type: "object", properties: { x: { anyOf: [{ type: "integer", minimum: 3 }, { enum: ["a"] }] } } } }]);
  assert.throws(() => encode({ name: "f", arguments: { x: 2 } }, limited), /expected an integer of at least 3, found 2/);
});

test("a primer explains a form that it knows", () => {
  for (const primer of ["compact", "tagged", "toString"]) {
    assert.throws(() => tools.prompt({ primer }), (error) => error instanceof RangeError && error.message === `expected one of the forms wire, keyed, punctuated, found '${primer}'`);
  }
  assert.match(tools.prompt({ primer: "keyed" }), /^Tools: /);
  assert.doesNotMatch(tools.prompt(), /^Tools: /);
});

test("what is no value is refused", () => {
  const circle = {};
  circle.x = circle;
  const wrong = [NaN, Infinity, "\0", "\ud800", () => 1, Symbol("x"), new Date(0), { "\udc00": 1 }, [undefined], new (class A {})()];
  for (const y of wrong) assert.throws(() => encode({ name: "f", arguments: { x: 1, y } }, tools), refused("E401"));
  assert.throws(() => encode({ name: "f", arguments: { x: 1, y: circle } }, tools), refused("E301"));
  assert.throws(() => encode({ name: "f", arguments: { x: 1, y: 10n ** 4096n } }, tools), refused("E302"));
  assert.throws(() => encode({ name: "f", arguments: null }, tools), refused("E401"));
  assert.equal(encode({ name: "f", arguments: { x: 1, y: undefined } }, tools), "f 1");
});

test("an error says what was found, and where", () => {
  for (const [text, message, picture] of [
    ["f 1\nf 2\nf ten 東", "expected an integer, found 'ten' (line 3, column 3, at /x) [E203]", "f ten 東\n  ^"],
    ['f 1 {"東" \x1b}', "expected a string or a number or an array or an object or false or true or null, found '\\u001b' (line 1, column 10, at /y/東) [E101]", 'f 1 {"東" \ufffd}\n          ^'],
    ["f", "expected an integer for 'x', found the end of the arguments (line 1, column 2) [E205]", "f\n ^"],
    [`f 1 [${"x ".repeat(60)}`, "expected a string or a number or an array or an object or false or true or null, found the end of the text (line 1, column 126, at /y/60) [E110]", null],
  ]) {
    const same = (error) => {
      assert.deepEqual([error.message, picture === null ? null : error.picture()], [message, picture]);
      if (picture === null) assert.ok(error.picture().split("\n").every((line) => line.length <= 77));
      return true;
    };
    assert.throws(() => decode(text, tools), same);
    const decoder = new Decoder(tools);
    assert.throws(() => [...[...text].flatMap((char) => [...decoder.feed(char)]), ...decoder.end()], (error) => error.line === 1 + text.split("\n").length - 1);
  }
  assert.throws(() => encode({ name: "f", arguments: { x: "a" } }, tools), (error) => error.message === "expected an integer, found 'a' (at /x) [E203]" && error.picture() === "");
});

test("a toolset says which tools it has", () => {
  assert.equal(String(tools), "<ToolSet of 1: f>");
  assert.equal(String(ToolSet.from([..."abcdefghi"].map((name) => ({ name })))), "<ToolSet of 9: a, b, c, d, e, f, g, h, …>");
});

test("the package has the licence of the project", () => {
  const [ours, theirs] = ["../LICENSE", "../../LICENSE"].map((path) => readFileSync(new URL(path, import.meta.url), "utf8"));
  assert.equal(ours, theirs);
});

test("no key means anything but itself", () => {
  const text = 'f 1 {__proto__ 1 constructor 2 toString 3}';
  const [call] = decode(text, tools);
  assert.equal(Object.getPrototypeOf(call.arguments.y), null);
  assert.deepEqual(Object.keys(call.arguments.y), ["__proto__", "constructor", "toString"]);
  assert.equal(decode(encode(call, tools), tools)[0].arguments.y.__proto__, 1);
  for (const name of ["__proto__", "constructor", "toString"]) {
    assert.throws(() => decode(`f ${name}=1`, tools), refused("E202"));
    assert.throws(() => decode(`${name} 1`, tools), refused("E201"));
  }
});

test("a text with halves of characters is refused, and a pair may come in two chunks", () => {
  assert.throws(() => decode('f 1 "\ud800"', tools), (error) => refused("E108")(error) && error.pos === 5);
  assert.throws(() => decode('f 1 "😀\udc00"', tools), (error) => refused("E108")(error) && error.pos === 6);
  const decoder = new Decoder(tools);
  const events = ['f 1 "\ud83d', '\ude00"', "\n"].flatMap((chunk) => [...decoder.feed(chunk)]);
  assert.equal(events.at(-1).call.arguments.y, "😀");
});

test("the order of properties that look like indexes is that of the text", () => {
  const text = '[{"name":"g","parameters":{"type":"object","properties":{"b":{"type":"integer"},"1":{"type":"integer"}},"required":["b","1"]}}]';
  assert.deepEqual(ToolSet.from(text).signatures, ["g(b:int 1:int)"]);
});

test("definitions that are none are refused", () => {
  const circle = { name: "f" };
  circle.parameters = { type: "object", properties: { x: circle } };
  for (const wrong of [null, 1, "x", "[", [1], [{}], [circle], [{ name: "f", parameters: { properties: { x: () => 1 } } }]]) {
    assert.throws(() => ToolSet.from(wrong), LtonError, String(wrong));
  }
});

test("an event comes as soon as it is certain; strings come in pieces", () => {
  const decoder = new Decoder(tools, { deltas: true });
  const told = (chunk) => [...decoder.feed(chunk)].map(({ type, text }) => text ?? type);
  assert.deepEqual([..."f 1 "].flatMap(told), ["start", "argument"]);
  assert.deepEqual(told('"some text'), ["some text"]);
  assert.deepEqual(told(' more"'), [" more"]);
  assert.deepEqual([...decoder.end()].map(({ type }) => type), ["argument", "end"]);
});

test("by the standard, a check ignores keywords of later drafts than the schema's", () => {
  const parameters = { $schema: "http://json-schema.org/draft-07/schema#", type: "object", dependentRequired: { a: ["b"] } };
  const call = { name: "f", arguments: { a: 1 } };
  const write = (schema) => encode(call, ToolSet.from([{ name: "f", parameters: schema }], { standard: true }));
  assert.equal(write(parameters), "f a=1");
  assert.throws(() => write({ ...parameters, $schema: "https://json-schema.org/draft/2019-09/schema" }), refused("E214"));
});

test("calls of every API are written", () => {
  const input = { x: 1 };
  const spellings = [
    { name: "f", arguments: input },
    { name: "f", arguments: '{"x": 1}' },
    { id: "a", type: "function", function: { name: "f", arguments: '{"x": 1}' } },
    { type: "function_call", call_id: "a", name: "f", arguments: '{"x":1}' },
    { type: "tool_use", id: "a", name: "f", input },
  ];
  for (const call of spellings) assert.equal(encode(call, tools), "f 1");
  assert.equal(encode({ name: "f", arguments: '{"x": 9007199254740993}' }, tools), "f 9007199254740993");
  for (const given of ["[", "[1]", "5"]) assert.throws(() => encode({ name: "f", arguments: given }, tools), refused("E401"));
});

test("white space at the start and the end of a text is kept in every form, whole and in chunks", () => {
  const parameters = { type: "object", properties: { path: { type: "string" }, content: { type: "string" } } };
  const writes = ToolSet.from([{ name: "Write", parameters }]);
  const spaces = ["", " ", "\n", "\r\n", "\r", "\t", "\n\n", "\ufeff", "\u2028"];
  for (const before of spaces) {
    for (const after of spaces) {
      const call = { name: "Write", arguments: { path: after, content: `${before}x = 1${after}` } };
      for (const form of ["wire", "keyed", "punctuated", "tagged"]) {
        for (const sigil of [false, true]) {
          const text = encode(call, writes, { form, sigil });
          assert.deepEqual({ ...decode(text, writes)[0].arguments }, call.arguments);
          const decoder = new Decoder(writes, { prose: sigil });
          const events = [...text].flatMap((character) => [...decoder.feed(character)]);
          const [end] = [...events, ...decoder.end()].filter((event) => event.type === "end");
          assert.deepEqual({ ...end.call.arguments }, call.arguments);
        }
      }
    }
  }
});

test("a definition that cannot be read is left out, and its error is kept", () => {
  const definitions = [{ name: "a" }, { name: "b", parameters: { type: "strang" } }, { parameters: {} }, { name: "c" }];
  const tools = ToolSet.from(definitions);
  assert.deepEqual(tools.signatures, ["a()", "c()"]);
  assert.deepEqual(tools.leftOut.map(({ code, pointer }) => [code, pointer]), [["E501", "/1/parameters/type"], ["E502", "/2"]]);
  assert.throws(() => ToolSet.from(definitions, { strict: true }), (error) => error.pointer === "/1/parameters/type");
  assert.throws(() => ToolSet.from(definitions.slice(1, 3)), (error) => error.pointer === "/0/parameters/type");
});
