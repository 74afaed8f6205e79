// Match the patterns of JSON Schema's `pattern` keyword in linear time.
//
// The RegExp of JavaScript tries alternatives one after the other, so matching a pattern of ten characters
// can take years. This matcher follows all alternatives at once, one character at a time, and caches the
// next states. A RegExp only decides whether a character belongs to a class.

const MAX_STATES = 20_000;
/** The cost of following one alternative for one character. */
export const STEP = 10;
const MAX_MOVES = 20_000;
const MATCH = 0;

/** Counts the cost of matching, and throws if it is too high. */
export type Spend = (steps: number) => void;

/** Thrown for a pattern that cannot be matched: with back-references, too large, or with other properties. */
class Unmatched extends Error {}

/** Return whether a text is a pattern of JavaScript. */
export function isPattern(text: string): boolean {
  return compiles(text, "u") || compiles(text, "");
}

function compiles(text: string, flags: string): boolean {
  try {
    return Boolean(new RegExp(text, flags));
  } catch {
    return false;
  }
}

// --- the tree of a pattern ----------------------------------------------------------------------------

type Test = (char: string) => boolean;
type Node =
  | { kind: "char"; test: Test }
  | { kind: "at"; holds: (chars: readonly string[], pos: number) => boolean; isEnd: boolean }
  | { kind: "all" | "any"; parts: Node[] }
  | { kind: "repeat"; part: Node; low: number; high: number }
  | { kind: "look"; part: Node; isBehind: boolean; isWanted: boolean };

const LINE_ENDS = "\n\r\u2028\u2029";
const CONTROLS: Record<string, string> = { n: "\n", r: "\r", t: "\t", v: "\v", f: "\f", "0": "\0" };
const isWordChar = (char: string | undefined): boolean => char !== undefined && /^[A-Za-z0-9_]$/.test(char);

class Parser {
  private readonly chars: string[];
  private pos = 0;

  constructor(source: string) {
    this.chars = [...source];
  }

  pattern(): Node {
    const tree = this.choice();
    if (this.pos < this.chars.length) throw new Unmatched();
    return tree;
  }

  private choice(): Node {
    const parts = [this.sequence()];
    while (this.skip("|")) parts.push(this.sequence());
    return parts.length > 1 ? { kind: "any", parts } : parts[0]!;
  }

  private sequence(): Node {
    const parts: Node[] = [];
    while (this.pos < this.chars.length && !"|)".includes(this.chars[this.pos]!)) parts.push(this.repeated(this.atom()));
    return { kind: "all", parts };
  }

  private repeated(part: Node): Node {
    let [low, high] = [1, 1];
    if (this.skip("*")) [low, high] = [0, Infinity];
    else if (this.skip("+")) high = Infinity;
    else if (this.skip("?")) low = 0;
    else {
      const rest = this.chars.slice(this.pos, this.pos + 40).join("");
      const counted = /^\{([0-9]+)(,([0-9]*))?\}/.exec(rest);
      if (!counted) return part;
      this.pos += counted[0].length;
      low = Number(counted[1]);
      high = counted[2] === undefined ? low : counted[3] ? Number(counted[3]) : Infinity;
    }
    this.skip("?"); // whether it is lazy does not matter: we ask only whether there is a match
    return { kind: "repeat", part, low, high };
  }

  private atom(): Node {
    const char = this.chars[this.pos++]!;
    if (char === "(") return this.group();
    if (char === "[") return { kind: "char", test: this.bracket() };
    if (char === "\\") return this.escape();
    if (char === ".") return { kind: "char", test: (each) => !LINE_ENDS.includes(each) };
    if (char === "^") return { kind: "at", holds: (_, pos) => pos === 0, isEnd: true };
    if (char === "$") return { kind: "at", holds: (chars, pos) => pos === chars.length, isEnd: true };
    return { kind: "char", test: (each) => each === char };
  }

  private group(): Node {
    let node: Node;
    const look = ["?=", "?!", "?<=", "?<!"].find((mark) => this.sees(mark));
    if (look) {
      this.pos += look.length;
      node = { kind: "look", part: this.choice(), isBehind: look.includes("<"), isWanted: look.endsWith("=") };
    } else {
      if (this.sees("?<")) this.pos = this.chars.indexOf(">", this.pos) + 1;
      else if (this.sees("?:")) this.pos += 2;
      else if (this.sees("?")) throw new Unmatched(); // flags
      node = this.choice();
    }
    if (!this.skip(")")) throw new Unmatched();
    return node;
  }

  private escape(): Node {
    const char = this.chars[this.pos]!;
    if (char === "b" || char === "B") {
      this.pos += 1;
      const isEdge = (chars: readonly string[], pos: number): boolean => isWordChar(chars[pos - 1]) !== isWordChar(chars[pos]);
      return { kind: "at", holds: (chars, pos) => isEdge(chars, pos) === (char === "b"), isEnd: false };
    }
    if (/[1-9k]/.test(char)) throw new Unmatched(); // a back-reference
    const found = this.escaped();
    return { kind: "char", test: typeof found === "string" ? (each) => each === found : found };
  }

  /** Read a character or a class after a backslash. */
  private escaped(): string | Test {
    const char = this.chars[this.pos++];
    if (char === undefined) throw new Unmatched();
    if ("dDwWsS".includes(char)) return testOf(`\\${char}`);
    if (char in CONTROLS) return CONTROLS[char]!;
    const rest = this.chars.slice(this.pos, this.pos + 80).join("");
    const number = char === "u" ? /^(?:\{0*([0-9a-fA-F]{1,6})\}|([0-9a-fA-F]{4}))/.exec(rest) : char === "x" ? /^([0-9a-fA-F]{2})/.exec(rest) : null;
    if (number) {
      this.pos += number[0].length;
      const code = parseInt(number[1] ?? number[2]!, 16);
      if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) throw new Unmatched();
      return String.fromCodePoint(code);
    }
    const control = char === "c" ? /^[A-Za-z]/.exec(rest) : null;
    if (control) {
      this.pos += 1;
      return String.fromCharCode(control[0].charCodeAt(0) % 32);
    }
    if (char === "p" || char === "P") return this.property(char, rest);
    if (/[A-Za-z0-9]/.test(char)) throw new Unmatched();
    return char;
  }

  private property(char: string, rest: string): Test {
    const name = /^\{(?:(?:General_Category|gc)=)?([A-Za-z_]+)\}/.exec(rest);
    const source = `\\${char}{gc=${name?.[1]}}`;
    if (!name || !compiles(source, "u")) throw new Unmatched();
    this.pos += name[0].length;
    return testOf(source);
  }

  private bracket(): Test {
    const isNegated = this.skip("^");
    const tests: Test[] = [];
    while (!this.skip("]")) {
      const first = this.inBracket();
      const next = this.chars[this.pos + 1];
      if (typeof first === "string" && this.sees("-") && next !== "]" && next !== undefined) {
        this.pos += 1;
        const last = this.inBracket();
        if (typeof last !== "string") throw new Unmatched();
        const [low, high] = [first.codePointAt(0)!, last.codePointAt(0)!];
        tests.push((char) => low <= char.codePointAt(0)! && char.codePointAt(0)! <= high);
      } else tests.push(typeof first === "string" ? (char) => char === first : first);
    }
    return (char) => tests.some((test) => test(char)) !== isNegated;
  }

  private inBracket(): string | Test {
    const char = this.chars[this.pos++];
    if (char === undefined) throw new Unmatched();
    if (char !== "\\") return char;
    if (this.skip("b")) return "\b";
    return this.escaped();
  }

  private sees(text: string): boolean {
    return [...text].every((char, index) => this.chars[this.pos + index] === char);
  }

  private skip(char: string): boolean {
    if (this.chars[this.pos] !== char) return false;
    this.pos += 1;
    return true;
  }
}

function testOf(source: string): Test {
  const pattern = new RegExp(`^${source}$`, "u");
  return (char) => pattern.test(char);
}

/** Return the number of states of a tree. */
function sizeOf(node: Node): number {
  if (node.kind === "all" || node.kind === "any") {
    return node.parts.reduce((sum, part) => sum + sizeOf(part), node.kind === "any" ? 1 : 0);
  }
  if (node.kind === "look") return 1 + sizeOf(node.part);
  if (node.kind !== "repeat") return 1;
  const size = sizeOf(node.part);
  return node.low * size + (size + 1) * (node.high === Infinity ? 1 : node.high - node.low);
}

/** Return the minimum number of characters that a tree matches. */
function leastOf(node: Node): number {
  if (node.kind === "char") return 1;
  if (node.kind === "all") return node.parts.reduce((sum, part) => sum + leastOf(part), 0);
  if (node.kind === "any") return Math.min(...node.parts.map(leastOf));
  return node.kind === "repeat" ? node.low * leastOf(node.part) : 0;
}

// --- the states of a pattern -----------------------------------------------------------------------------

/** A state of a pattern: the condition for continuing, and the next states. */
interface State {
  nexts: number[];
  test?: Test;
  holds?: (chars: readonly string[], pos: number) => boolean;
  look?: { start: number; back: number; isBehind: boolean; isWanted: boolean };
}

/** A set of states, and the cached sets that follow, by character. */
interface Ways {
  states: readonly number[];
  isMatch: boolean;
  moves: Map<string, Ways>;
}

/** A pattern, with a cache of its sets of states. */
export class Matcher {
  readonly states: State[] = [{ nexts: [] }];
  private readonly start: number;
  private looksAround = false;
  private known = new Map<string, Ways>();
  private moves = 0;

  private constructor(
    tree: Node,
    /** The number of states of the pattern (R-1105). */
    readonly size: number,
  ) {
    this.start = this.add(tree, MATCH);
  }

  /** Return a matcher for a pattern, or null if it cannot be matched. */
  static of(pattern: string): Matcher | null {
    if (/[\ud800-\udfff]/u.test(pattern)) return null;
    try {
      const tree = new Parser(pattern).pattern();
      const size = sizeOf(tree);
      return size <= MAX_STATES ? new Matcher(tree, size) : null;
    } catch (error) {
      if (error instanceof Unmatched || error instanceof RangeError) return null; // too deep to parse
      throw error;
    }
  }

  /** Add the states of a part that continues at `then`, and return the first. */
  private add(node: Node, then: number): number {
    switch (node.kind) {
      case "char":
        return this.state({ nexts: [then], test: node.test });
      case "at":
        this.looksAround ||= !node.isEnd;
        return this.state({ nexts: [then], holds: node.holds });
      case "all":
        return node.parts.reduceRight((next, part) => this.add(part, next), then);
      case "any":
        return this.state({ nexts: node.parts.map((part) => this.add(part, then)) });
      case "look": {
        this.looksAround = true;
        const { isBehind, isWanted } = node;
        const look = { start: this.add(node.part, MATCH), back: isBehind ? leastOf(node.part) : 0, isBehind, isWanted };
        return this.state({ nexts: [then], look });
      }
      case "repeat":
        return this.repeat(node.part, node.low, node.high, then);
    }
  }

  private repeat(part: Node, low: number, high: number, then: number): number {
    if (high === Infinity) {
      const loop = this.state({ nexts: [] });
      this.states[loop]!.nexts = [this.add(part, loop), then];
      then = loop;
    } else {
      const last = then;
      for (let count = low; count < high; count += 1) then = this.state({ nexts: [this.add(part, then), last] });
    }
    for (let count = 0; count < low; count += 1) then = this.add(part, then);
    return then;
  }

  private state(state: State): number {
    return this.states.push(state) - 1;
  }

  /** Return whether a part of the text matches. `spend` is called with the cost. */
  search(text: string, spend: Spend): boolean {
    const chars = [...text];
    const run = new Run(this.states, chars, spend);
    if (this.looksAround) return run.reaches(this.start, 0, null, true);
    spend(chars.length);
    // `^` and `$` can match only at the first and the last two positions. At all other positions, the next
    // states depend only on the current states and the character.
    const last = chars.length - 1;
    let ways = this.ways(run.closure([this.start], 0));
    for (let pos = 1; pos <= chars.length && !ways.isMatch; pos += 1) {
      const char = chars[pos - 1]!;
      if (pos >= last) ways = this.ways(run.closure(run.steps(ways.states, char, this.start), pos));
      else ways = ways.moves.get(char) ?? this.move(ways, char, run);
    }
    return ways.isMatch;
  }

  private move(ways: Ways, char: string, run: Run): Ways {
    const states = run.closure(run.steps(ways.states, char, this.start), null);
    this.moves += 1;
    if (this.moves > MAX_MOVES) [this.moves, this.known] = [0, new Map()];
    const next = this.ways(states);
    ways.moves.set(char, next);
    return next;
  }

  private ways(states: number[]): Ways {
    const key = states.sort((one, other) => one - other).join();
    const found = this.known.get(key) ?? { states, isMatch: states[0] === MATCH, moves: new Map<string, Ways>() };
    this.known.set(key, found);
    return found;
  }
}

/** A text that is matched against a pattern. */
class Run {
  /** The results of look-around, by state and position. */
  private readonly seen = new Map<string, boolean>();

  constructor(
    private readonly states: readonly State[],
    private readonly chars: readonly string[],
    private readonly spend: Spend,
  ) {}

  /** Return whether a match begins at `pos` or later, and ends at `stop`. */
  reaches(start: number, pos: number, stop: number | null, anywhere: boolean): boolean {
    const end = stop ?? this.chars.length;
    let ways = this.closure([start], pos);
    while (!(ways.includes(MATCH) && (stop === null || stop === pos))) {
      if (pos === end || !(ways.length || anywhere)) return false;
      const nexts = this.steps(ways, this.chars[pos]!, anywhere ? start : null);
      pos += 1;
      ways = this.closure(nexts, pos);
    }
    return true;
  }

  /** Return the states that a character leads to, and the state where a match may begin. */
  steps(ways: readonly number[], char: string, start: number | null): number[] {
    this.spend(STEP * (ways.length + 1));
    const found = start === null ? [] : [start];
    for (const way of ways) {
      const state = this.states[way]!;
      if (state.test?.(char)) found.push(...state.nexts);
    }
    return found;
  }

  /** Return the states reached from these that wait for a character. Without `pos`, the position is far from both ends. */
  closure(rest: number[], pos: number | null): number[] {
    const found: number[] = [];
    const seen = new Set(rest);
    const open = [...seen];
    while (open.length) {
      const number = open.pop()!;
      const state = this.states[number]!;
      if (state.test || number === MATCH) found.push(number);
      else if (this.holds(number, state, pos)) {
        for (const next of state.nexts) if (!seen.has(next)) open.push(next), seen.add(next);
      }
    }
    this.spend(STEP * seen.size);
    return found;
  }

  private holds(number: number, state: State, pos: number | null): boolean {
    if (state.holds) return pos !== null && state.holds(this.chars, pos);
    const { look } = state;
    if (!look || pos === null) return true;
    const key = `${number} ${pos}`;
    let found = this.seen.get(key);
    if (found === undefined) {
      const begins = pos - look.back;
      const matches = look.isBehind ? begins >= 0 && this.reaches(look.start, begins, pos, false) : this.reaches(look.start, pos, null, false);
      this.seen.set(key, (found = matches === look.isWanted));
    }
    return found;
  }
}
