// Short names for tools, as the library's `lton.schema.shown.aliases` chooses them.

const WORD = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g;
const LEAST = 3;
const SAYS_LITTLE = new Set("and api calculate compute create fetch find for from get list make of set the to with".split(" "));

/** Get the alias of each name: its shortest word that no other name has, or two, or one with a number. */
export function aliases(names) {
  const words = new Map(names.map((name) => [name, wordsOf(name)]));
  const uses = new Map();
  for (const word of [...words.values()].flat()) uses.set(word, (uses.get(word) ?? 0) + 1);
  const chosen = new Map(names.filter((name) => !words.get(name).length || words.get(name).join(" ") === name).map((name) => [name, name]));
  const taken = new Set(chosen.values());
  const numbers = new Map();
  for (const [name, found] of words) {
    if (chosen.has(name)) continue;
    const own = found.filter((word) => uses.get(word) === 1 && !SAYS_LITTLE.has(word));
    own.sort((a, b) => a.length - b.length || found.indexOf(b) - found.indexOf(a));
    const pairs = found.slice(1).map((word, index) => `${found[index]}_${word}`).reverse();
    const alias = [...own, ...pairs].find((word) => !taken.has(word)) ?? numbered(found.at(-1), numbers, taken);
    chosen.set(name, alias);
    taken.add(alias);
  }
  return chosen;
}

function numbered(word, numbers, taken) {
  let number = numbers.get(word) ?? 2;
  while (taken.has(`${word}${number}`)) number += 1;
  numbers.set(word, number + 1);
  return `${word}${number}`;
}

function wordsOf(name) {
  if (/[^\0-\x7f]/.test(name)) return [];
  const found = (name.match(WORD) ?? []).filter((word) => word.length >= LEAST).map((word) => word.toLowerCase());
  return [...new Set(found)];
}
