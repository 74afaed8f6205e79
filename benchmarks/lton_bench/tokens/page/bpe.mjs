// A byte-pair tokenizer: OpenAI's vocabularies, packed into the page, and the merges of a text.
//
// Bytes are the characters U+0000 to U+00FF of strings here, because maps have strings as keys.

const CONTRACTION = "'(?:[sS\\u017fdDmMtT]|[lL][lL]|[vV][eE]|[rR][eE])";
const SPACE = "\\p{White_Space}"; // not \s: that has U+FEFF and lacks U+0085
const UPPER = "[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]";
const LOWER = "[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]";
const PREFIX = "[^\\r\\n\\p{L}\\p{N}]?";
const SYMBOL = `[^${SPACE}\\p{L}\\p{N}]`;

/** How each vocabulary cuts a text before it merges: none of its tokens crosses these borders. */
const PATTERNS = {
  o200k: [
    `${PREFIX}${UPPER}*${LOWER}+(?:${CONTRACTION})?`,
    `${PREFIX}${UPPER}+${LOWER}*(?:${CONTRACTION})?`,
    "\\p{N}{1,3}",
    ` ?${SYMBOL}+[\\r\\n/]*`,
    `${SPACE}*[\\r\\n]+`,
    `${SPACE}+(?!\\P{White_Space})`,
    `${SPACE}+`,
  ],
  cl100k: [
    CONTRACTION,
    `${PREFIX}\\p{L}+`,
    "\\p{N}{1,3}",
    ` ?${SYMBOL}+[\\r\\n]*`,
    `${SPACE}+$`,
    `${SPACE}*[\\r\\n]`,
    `${SPACE}+(?!\\P{White_Space})`,
    SPACE,
  ],
};

const MAX_MERGED = 1_000; // pieces to keep

/** Unpack a vocabulary: see `vocabulary.py`, which packs it. */
export async function unpack(name, packed) {
  const compressed = Uint8Array.from(atob(packed), (char) => char.charCodeAt(0));
  const stream = new Blob([compressed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const count = new DataView(bytes.buffer).getUint32(0);
  const column = (index) => bytes.subarray(4 + index * count, 4 + (index + 1) * count);
  const [shared, own, low, middle, high] = [0, 1, 2, 3, 4].map(column);
  const text = binary(bytes.subarray(4 + 5 * count));
  const ranks = new Map();
  let token = "";
  let at = 0;
  for (let index = 0; index < count; index += 1) {
    token = token.slice(0, shared[index]) + text.slice(at, at + own[index]);
    at += own[index];
    ranks.set(token, low[index] | (middle[index] << 8) | (high[index] << 16));
  }
  return new Vocabulary(name, ranks);
}

export class Vocabulary {
  constructor(name, ranks) {
    this.name = name;
    this.ranks = ranks;
    this.pattern = new RegExp(PATTERNS[name].join("|"), "gu");
    this.merged = new Map(); // what has been merged before: formats repeat the texts of a call
    this.longest = 0;
    for (const token of ranks.keys()) this.longest = Math.max(this.longest, token.length);
  }

  /** Get the tokens of a text: { id, bytes }. */
  encode(text) {
    const tokens = [];
    for (const [piece] of text.matchAll(this.pattern)) {
      const bytes = binary(new TextEncoder().encode(piece));
      const id = this.ranks.get(bytes);
      if (id !== undefined) tokens.push({ id, bytes });
      else for (const token of this.mergedOnce(bytes)) tokens.push(token);
    }
    return tokens;
  }

  mergedOnce(bytes) {
    let tokens = this.merged.get(bytes);
    if (tokens) return tokens;
    tokens = this.merge(bytes);
    if (this.merged.size >= MAX_MERGED) this.merged.clear();
    this.merged.set(bytes, tokens);
    return tokens;
  }

  /** Merge the pair of lowest rank, the leftmost of several, until no pair is a token. */
  merge(bytes) {
    const ends = Array.from(bytes, (_, index) => index + 1); // where the part that begins here ends
    const starts = Array.from(bytes, (_, index) => index - 1); // where the part before it begins
    const queue = new Queue();
    const rankOf = (start) => {
      const middle = ends[start];
      const end = middle < bytes.length ? ends[middle] : Infinity;
      return end - start <= this.longest ? this.ranks.get(bytes.slice(start, end)) : undefined;
    };
    const offer = (start) => {
      const rank = rankOf(start);
      if (rank !== undefined) queue.push(rank * bytes.length + start);
    };
    for (let start = 0; start + 1 < bytes.length; start += 1) offer(start);
    for (let key = queue.pop(); key !== undefined; key = queue.pop()) {
      const start = key % bytes.length;
      const middle = ends[start];
      if (middle === 0 || rankOf(start) !== (key - start) / bytes.length) continue; // merged since
      ends[start] = ends[middle];
      ends[middle] = 0;
      if (ends[start] < bytes.length) starts[ends[start]] = start;
      offer(start);
      if (starts[start] >= 0) offer(starts[start]);
    }
    const tokens = [];
    for (let start = 0; start < bytes.length; start = ends[start]) {
      const token = bytes.slice(start, ends[start]);
      tokens.push({ id: this.ranks.get(token), bytes: token });
    }
    return tokens;
  }
}

/** Numbers, the smallest first: a binary heap. */
class Queue {
  items = [];

  push(item) {
    let at = this.items.push(item) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (this.items[above] <= item) break;
      this.items[at] = this.items[above];
      at = above;
    }
    this.items[at] = item;
  }

  pop() {
    const [first] = this.items;
    const last = this.items.pop();
    const size = this.items.length;
    if (!size) return first;
    let at = 0;
    for (let below = 1; below < size; below = 2 * at + 1) {
      if (below + 1 < size && this.items[below + 1] < this.items[below]) below += 1;
      if (this.items[below] >= last) break;
      this.items[at] = this.items[below];
      at = below;
    }
    this.items[at] = last;
    return first;
  }
}

/** Get bytes as the characters of a string. */
function binary(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return text;
}

/** Get the text of tokens' bytes; undefined where they end within a character. */
export function readBytes(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes, (char) => char.charCodeAt(0)));
  } catch {
    return undefined;
  }
}
