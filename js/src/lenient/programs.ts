// Recognizes the text in which models write calls in Python, not in LTON.
//
// In Python, text without quotes is the name of a variable. In LTON, it is a string. So the reader has to know
// which of the two a call is written in.

import { pattern } from "./patterns.js";

/** A mark that opens (or closes) a passage in Python. */
const MARK = pattern(
  String.raw`(?P<opens>^[ \t]*\`\`\`tool_(?:code|call)\b|<\|python_(?:start|tag)\|>|<\|tool_call_start\|>|<function_calls>)` +
    String.raw`|^[ \t]*\`\`\`|<\|python_end\|>|<\|tool_call_end\|>|</function_calls>`,
  "m",
);
/** A bare word that may be a variable: `*args`, `$HOME`, `user.home`. */
const VARIABLE = pattern(String.raw`\*{1,2}[^\W\d]\w*|\$[^\W\d][\w.]*|None|[^\W\d]\w*(?:\.[^\W\d]\w*)+`);
/** A name that ends as files and domains do. */
const FILE = pattern(
  String.raw`.*\.(?:txt|md|rst|pdf|docx?|odt|xlsx?|pptx?|csv|tsv|json[lc5]?|xml|ya?ml|toml|ini|cfg|conf|env` +
    "|lock|log|html?|css|scss|jsx?|tsx?|mjs|vue|svelte|pyi?|ipynb|rs|go|java|kts?|c|h|cc|cpp|hpp|cs" +
    "|rb|php|swift|scala|sql|sh|bash|zsh|bat|ps1|lua|r|jl|tex|svg|png|jpe?g|gif|webp|ico|mp[34]|wav" +
    "|zip|tar|gz|bz2|xz|7z|db|sqlite|bin|exe|dll|so|com|org|net|io|dev|edu|gov|eu|de|fr|uk|ai|app)",
  "i",
);

/** Finds the passages of an output that are in Python. Positions must be ascending. */
export class Programs {
  private seen = 0;
  private isOpen = false;

  constructor(private readonly src: string) {}

  /** Return whether a position is in Python. Marks before `since` may be in strings. */
  contain(pos: number, since: number): boolean {
    for (const match of MARK.finditer(this.src, Math.max(this.seen, since), pos)) this.isOpen = match.group("opens") !== undefined;
    this.seen = Math.max(this.seen, pos);
    return this.isOpen;
  }
}

/** Return whether a bare word is more likely a variable of a program than a string. */
export function isVariable(word: string): boolean {
  return VARIABLE.fullmatch(word) !== null && FILE.fullmatch(word) === null;
}
