// Tables: objects in an array or a map whose shared keys are written once.

import { joined, spellName } from "./syntax.js";
import { hasOwn, sorted, type Members, type Value } from "./values.js";

/** Writes the cells of a table. */
export interface Cells {
  write(value: Value): string;
  /** Return the writer for the cells of a column with a nested header, or null if its type has no such column. */
  inner(): Cells | null;
}

interface Column {
  order: number;
  head: string;
  cells: string[][];
}

/**
 * Return the text between the brackets of a table, or null if the rows do not form a canonical table.
 *
 * `names` has the keys of a map's rows, as they are written. With `onLines`, the rows are counted and written on
 * lines, with columns in the order of the keys.
 */
export function writeTable(rows: readonly Value[], cells: Cells, names: readonly string[], onLines: boolean): string | null {
  if (!rows.length || !rows.every(isRow)) return null;
  const all = rows.map((row) => Object.keys(row));
  const present = all.reduce((sum, keys) => sum + keys.length, 0);
  const keys = new Set(all.flat()).size;
  if (keys + (keys * rows.length - present) >= present) return null;
  const columns = columnsOf(rows, cells, onLines);
  const texts = columns.flatMap((column) => column.cells);
  const lines = rows.map((_, index) => {
    const words = texts.map((column) => column[index]!);
    while (words.at(-1) === "_") words.pop();
    return joined([...names.slice(index, index + 1), ...words]);
  });
  const header = `(${joined(columns.map((column) => column.head))})`;
  return onLines ? `${rows.length}${header}\n${lines.join("\n")}` : `${header}${lines.join(";")}`;
}

/** Return the columns in order: numbers, then words, then quoted and bracketed values. */
function columnsOf(rows: readonly Members[], cells: Cells, asTheyCome: boolean): Column[] {
  const inner = cells.inner();
  const keys = new Set(rows.flatMap((row) => Object.keys(row)));
  const columns = (asTheyCome ? [...keys] : sorted(keys)).map((key) => {
    const values = rows.map((row) => (hasOwn(row, key) ? row[key] : undefined));
    if (inner && areLike(values)) {
      const within = columnsOf(values, inner, asTheyCome);
      return { order: 2, head: `${spellName(key)}(${joined(within.map((column) => column.head))})`, cells: within.flatMap((column) => column.cells) };
    }
    const texts = values.map((value) => (value === undefined ? "_" : cells.write(value)));
    return { order: orderOf(texts.filter((_, index) => values[index] !== undefined)), head: spellName(key), cells: [texts] };
  });
  return asTheyCome ? columns : columns.sort((one, other) => one.order - other.order);
}

export function isRow(value: Value | undefined): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Return whether all values are objects with the same keys, at least two. */
export function areLike(values: readonly (Value | undefined)[], least = 2): values is Members[] {
  const [first] = values;
  if (!isRow(first)) return false;
  const keys = Object.keys(first);
  return keys.length >= least && values.every((value) => isRow(value) && Object.keys(value).length === keys.length && keys.every((key) => hasOwn(value, key)));
}

function orderOf(texts: readonly string[]): number {
  if (texts.some((text) => "\"'`[({".includes(text[0]!))) return 2;
  return texts.every((text) => "-0123456789".includes(text[0]!)) ? 0 : 1;
}
