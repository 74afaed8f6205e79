// The grammar of LTON for tree-sitter. Its terminals come from the library: `python -m editors`
// writes terminals.json. What has to be counted, and fences, are read by src/scanner.c.
//
// It reads what can be read without tools, so a word that looks like a number is one.

const terminals = require("./terminals.json");

const lexeme = (name) => new RegExp(terminals[name]);
const words = (name) => token(choice(...terminals[name].split("|")));
const row = (separator, item) => seq(item, repeat(seq(separator, item)));

module.exports = grammar({
  name: "lton",
  extras: () => [],
  externals: ($) => [$.counted_string, $.fenced_string, $.atom],
  inline: ($) => [$._argument],
  // Until its `)` a header of a table may be an object.
  conflicts: ($) => [[$._value, $._spelled], [$._value, $.key]],

  rules: {
    source_file: ($) => seq(repeat(seq(optional($._frame), "\n")), optional($._frame)),

    _frame: ($) => choice($.call, $.tagged_call, $.answer),
    call: ($) =>
      seq(
        optional(seq($.sigil, " ")),
        choice($.name, $.repeat),
        optional($.fingerprint),
        optional(choice(seq(" ", row($._separator, $._argument)), $.object, $.map)),
      ),
    tagged_call: ($) =>
      seq($.sigil, " ", $.name, optional($.fingerprint), repeat1($.tagged_group)),
    answer: ($) =>
      choice(
        seq(alias(choice("!result", "!error"), $.sigil), " ", $.name, " ", $._value),
        seq(alias("!error:", $.sigil), " ", $._value),
      ),

    name: ($) => $._spelled,
    key: ($) => choice($._spelled, $.skip),
    _spelled: ($) =>
      choice($.literal, $.number, $.word, $.quoted_string, $.fenced_string),

    _argument: ($) => choice($._value, $.keyword_argument),
    keyword_argument: ($) => seq($.key, "=", $._value),
    _value: ($) =>
      choice(
        $.literal,
        $.skip,
        $.number,
        $.word,
        $.quoted_string,
        $.counted_string,
        $.fenced_string,
        $.array,
        $.object,
        $.map,
      ),

    object: ($) => seq("(", optional(row($._separator, $._argument)), ")"),
    array: ($) =>
      seq("[", optional(choice(row($._separator, $._value), $._table)), "]"),
    _table: ($) =>
      seq(
        $.header,
        choice(
          seq($.row, repeat(seq(";", optional($.row)))),
          repeat1(seq(";", optional($.row))),
        ),
      ),
    row: ($) => row($._separator, $._value),
    header: ($) => seq("(", row($._separator, $._column), ")"),
    _column: ($) => seq($.key, optional($.header)),

    map: ($) => seq("{", optional(choice(row($._separator, $.entry), $._map_table)), "}"),
    entry: ($) => seq($.key, " ", $._value),
    _map_table: ($) => seq($.header, row(";", $.keyed_row)),
    keyed_row: ($) => seq($.key, repeat(seq($._separator, $._value))),

    // The tagged form
    tagged_group: ($) =>
      seq(
        alias("\n(", "("),
        optional(choice(row($._separator, $._tagged_value), $.tagged_argument)),
        ")",
      ),
    tagged_argument: ($) => seq(alias($._spelled, $.key), " ", $._tagged_value),
    _tagged_value: ($) => choice($.atom, $.skip, $.tagged_array, $.tagged_map),
    tagged_array: ($) => seq("[", optional(row($._separator, $._tagged_value)), "]"),
    tagged_map: ($) => seq("{", optional(row($._separator, $.tagged_entry)), "}"),
    tagged_entry: ($) => seq($.key, " ", $._tagged_value),

    // Lexemes: of two that match the same text the first is taken.
    sigil: () => terminals.call,
    repeat: () => terminals.repeat,
    fingerprint: () => lexeme("fingerprint"),
    literal: () => words("literal"),
    skip: () => terminals.skip,
    number: () => lexeme("number"),
    word: () => lexeme("word"),
    quoted_string: () => lexeme("quoted"),
    _separator: ($) => choice($._spaces, seq(optional($._spaces), ",", optional($._spaces))),
    _spaces: () => / +/,
  },
});
