// Reads texts as a JSON list on standard input; writes the runs of scopes of each: [end, scope],
// counted in Unicode scalar values. Arguments: the folder of the modules, the grammar.
import {createRequire} from "node:module";
import {readFileSync} from "node:fs";
import {join} from "node:path";

const [modules, grammar] = process.argv.slice(2);
const require = createRequire(join(modules, "/"));
const {Registry, parseRawGrammar, INITIAL} = require("vscode-textmate");
const oniguruma = require("vscode-oniguruma");

await oniguruma.loadWASM(
  readFileSync(join(modules, "node_modules/vscode-oniguruma/release/onig.wasm")).buffer);
const registry = new Registry({
  onigLib: Promise.resolve({
    createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
    createOnigString: (text) => new oniguruma.OnigString(text),
  }),
  loadGrammar: async () => parseRawGrammar(readFileSync(grammar, "utf8"), grammar),
});
const lton = await registry.loadGrammar("source.lton");

function runs(text) {
  const found = [];
  let state = INITIAL, before = 0;
  for (const line of text.split("\n")) {
    const {tokens, ruleStack} = lton.tokenizeLine(line, state);
    for (const {endIndex, scopes} of tokens) {
      found.push([before + [...line.slice(0, endIndex)].length, scopes.slice(1)]);
    }
    before += [...line].length + 1;
    found.push([before, []]);
    state = ruleStack;
  }
  return found;
}

process.stdout.write(JSON.stringify(JSON.parse(readFileSync(0, "utf8")).map(runs)));
