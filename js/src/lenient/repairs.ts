// The codes of repairs and doubts (§10), and a set of repairs.

export const RepairCode = {
  // Around calls
  PROSE: "L101",
  FRAME: "L102",
  LINES: "L103",
  SIGIL: "L104",
  // Other notations
  JSON: "L105",
  XML: "L106",
  // Names and order
  NAME: "L107",
  LABEL: "L108",
  KEY: "L109",
  ORDER: "L110",
  // Lexemes
  SEPARATOR: "L111",
  CLOSER: "L112",
  BRACKETS: "L113",
  QUOTES: "L114",
  ESCAPE: "L115",
  BARE: "L116",
  LENGTH: "L117",
  // Values
  LITERAL: "L118",
  NUMBER: "L119",
  KIND: "L120",
  NULL: "L121",
  // Doubt: the call may not be intended, so it is accepted only on request
  EXAMPLE: "L122",
  SENTENCE: "L123",
  DAMAGE: "L124",
  ECHO: "L125",
  LEFT: "L126",
  CUT: "L127",
  // More about strings
  BACKSLASH: "L128",
  // More doubt
  BESIDE: "L129",
  SEEN: "L130",
} as const;

export type RepairCode = (typeof RepairCode)[keyof typeof RepairCode];

/** What each code means. */
export const REPAIR_MESSAGES: Readonly<Record<RepairCode, string>> = {
  L101: "text that is not a call was skipped",
  L102: "a fence, backticks, a list mark, a label, a tag or brackets around calls",
  L103: "other line breaks: CRLF, indents, blank lines, several groups on a line",
  L104: "a wrong or missing sigil",
  L105: "a call or a value is in JSON",
  L106: "parameters are elements",
  L107: "a tool or parameter in different case, or with `-` instead of `_`",
  L108: "a listed string in different case",
  L109: "a colon after a key",
  L110: "positional arguments after keyed ones",
  L111: "extra or missing spaces, commas, comments or full stops",
  L112: "a closing bracket is missing",
  L113: "brackets of another kind",
  L114: "other quotes, or a line end between quotes",
  L115: "backslashes that escape a character",
  L116: "a string lacks the necessary quotes",
  L117: "a wrong length, or a tag of another kind",
  L118: "`True` or `None` instead of `true` or `null`",
  L119: "`+5`, `007`, `1_000` instead of `5`, `7`, `1000`",
  L120: "quotes around a value that is not a string, or missing around digits in JSON",
  L121: "null for an omitted optional argument",
  L122: "the call may be an example: it is in code, or has a placeholder",
  L123: "the call is in the middle of a line of prose",
  L124: "the call follows text that could not be read to its end",
  L125: "the call follows an answer or another turn, or is in an open thought",
  L126: "leftover text next to the call, or in a value, may belong to its arguments",
  L127: "the last value of the call may continue: the text may be cut off",
  L128: "an escape that the notation does not have: all backslashes are kept",
  L129: "other text is next to the call, and nothing shows that its syntax is the model's",
  L130: "the call is in a text that the model was given",
};

/** The position and the code of a repair. */
export type Note = readonly [pos: number, code: RepairCode];

/** A set of repairs, in order. */
export class Repairs {
  private readonly notes = new Map<string, Note>();

  constructor(notes: Iterable<Note> = []) {
    this.addAll(notes);
  }

  add(pos: number, code: RepairCode): void {
    const key = `${pos} ${code}`;
    if (!this.notes.has(key)) this.notes.set(key, [pos, code]);
  }

  addAll(notes: Iterable<Note>): void {
    for (const [pos, code] of notes) this.add(pos, code);
  }

  has(code: RepairCode): boolean {
    for (const [, one] of this) if (one === code) return true;
    return false;
  }

  [Symbol.iterator](): IterableIterator<Note> {
    return this.notes.values();
  }

  sorted(): Note[] {
    return [...this].sort(compareNotes);
  }
}

function compareNotes([pos, code]: Note, [otherPos, otherCode]: Note): number {
  return pos - otherPos || (code < otherCode ? -1 : Number(code > otherCode));
}
