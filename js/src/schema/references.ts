// Find the schema that a `$ref` names, within its own schema. No schema is ever fetched.

import { LtonError } from "../errors.js";
import type { Exact, ExactMap } from "../json.js";
import { LISTS_OF_SCHEMAS, MAPS_OF_SCHEMAS, NEWEST_DRAFT, SCHEMAS, isMap } from "./keywords.js";

/** The base of relative addresses. */
const BASE = "lton:///";

/** A schema with an address, and the named schemas in it. */
export interface Resource {
  address: string;
  schema: Exact;
  /** The number or the year of its draft. */
  draft: number;
  anchors: Map<string, Exact>;
  /** The anchors that a `$dynamicRef` looks for in all enclosing schemas. */
  dynamic: Map<string, Exact>;
}

/** Before draft 2019-09, keywords next to a `$ref` have no effect. */
export function isOld({ draft }: Pick<Resource, "draft">): boolean {
  return draft < 2019;
}

function idKey({ draft }: Pick<Resource, "draft">): string {
  return draft < 6 ? "id" : "$id";
}

/** The resource that contains a schema, among the resources that references can name. */
export class Scope {
  private constructor(
    readonly resource: Resource,
    private readonly known: Known,
  ) {}

  /** Return the scope of a whole schema. */
  static of(schema: Exact): Scope {
    const known = new Known(schema);
    return new Scope(known.root, known);
  }

  in(resource: Resource): Scope {
    return new Scope(resource, this.known);
  }

  /** Return the scope of a subschema, which is its own resource if it has an address. */
  inside(schema: ExactMap): Scope {
    if (schema === this.resource.schema || !schema.has(idKey(this.resource))) return this;
    return this.in(this.known.resourceOf(schema, this.resource));
  }

  /** Return the schema that a reference names, and its scope. Throws E504 if there is none. */
  lookup(reference: string, pointer: string): { target: Exact; scope: Scope } {
    const [address, fragment] = addressOf(this.resource.address, reference) ?? [];
    const resource = address === undefined ? undefined : this.known.resourceAt(address);
    const found = resource && this.find(resource, fragment!);
    if (found) return found;
    throw new LtonError("E504", `no schema here has the name ${JSON.stringify(reference.slice(0, 80))}`, { pointer });
  }

  private find(resource: Resource, fragment: string): { target: Exact; scope: Scope } | null {
    const name = unquote(fragment);
    if (name === "") return { target: resource.schema, scope: this.in(resource) };
    if (!name.startsWith("/")) {
      const target = resource.anchors.get(name);
      return target === undefined ? null : { target, scope: this.in(resource) };
    }
    let target: Exact | undefined = resource.schema;
    for (const step of name.slice(1).split("/")) {
      const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
      if (Array.isArray(target)) target = /^[0-9]+$/.test(key) ? target[Number(key)] : undefined;
      else target = isMap(target) ? target.get(key) : undefined;
      if (target === undefined) return null;
      resource = this.known.resourceOf(target, resource);
    }
    return { target, scope: this.in(resource) };
  }
}

/** The resources in a schema, collected when the first reference is resolved. */
class Known {
  readonly root: Resource;
  private readonly byAddress = new Map<string, Resource>();
  private readonly bySchema = new Map<Exact, Resource>();

  constructor(schema: Exact) {
    this.root = resourceOf(schema, { address: "", draft: NEWEST_DRAFT });
  }

  resourceOf(schema: Exact, around: Resource): Resource {
    this.look();
    return this.bySchema.get(schema) ?? around;
  }

  resourceAt(address: string): Resource | undefined {
    this.look();
    return this.byAddress.get(address);
  }

  private look(): void {
    if (this.byAddress.size) return;
    for (const found of resources(this.root)) {
      this.byAddress.set(found.address, found);
      this.bySchema.set(found.schema, found);
    }
    if (!this.byAddress.has("")) this.byAddress.set("", this.root);
  }
}

/** Return the resources in a schema, with the named schemas in each. */
function resources(root: Resource): Resource[] {
  const found = [root];
  const rest: [Exact, Resource][] = [[root.schema, root]];
  const seen = new Set<Exact>(); // the same JavaScript object in two places is visited once
  while (rest.length) {
    let [schema, resource] = rest.pop()!;
    if (!isMap(schema) || seen.has(schema)) continue;
    seen.add(schema);
    const name = schema.get(idKey(resource));
    if (name !== undefined && name !== null && typeof name !== "string" && idKey(resource) === "$id") throw noSchema();
    if (typeof name === "string" && schema !== root.schema && !(isOld(resource) && schema.has("$ref"))) {
      if (name.startsWith("#")) resource.anchors.set(name.slice(1), schema);
      else found.push((resource = resourceOf(schema, resource)));
    }
    for (const keyword of ["$anchor", "$dynamicAnchor"]) {
      const anchor = schema.get(keyword);
      if (typeof anchor !== "string") continue;
      resource.anchors.set(anchor, schema);
      if (keyword === "$dynamicAnchor") resource.dynamic.set(anchor, schema);
    }
    for (const part of parts(schema)) rest.push([part, resource]);
  }
  return found;
}

/** Return the resource that begins with a schema inside another resource. */
function resourceOf(schema: Exact, around: Pick<Resource, "address" | "draft">): Resource {
  let { draft } = around;
  const dialect = isMap(schema) ? schema.get("$schema") : undefined;
  if (typeof dialect === "string") {
    const match = /draft-0([0-9])|draft\/([0-9]{4})-/.exec(dialect);
    draft = match ? Number(match[1] ?? match[2]) : NEWEST_DRAFT;
  }
  const name = isMap(schema) ? schema.get(idKey({ draft })) : undefined;
  const address = typeof name === "string" ? addressOf(around.address, name)?.[0] : "";
  if (address === undefined) throw noSchema();
  return { address, schema, draft, anchors: new Map(), dynamic: new Map() };
}

/** Return the subschemas of a schema. */
function* parts(schema: ExactMap): Iterable<Exact> {
  for (const [keyword, value] of schema) {
    if (MAPS_OF_SCHEMAS.has(keyword) && value !== null) {
      if (!isMap(value)) throw noSchema();
      yield* value.values();
    } else if (LISTS_OF_SCHEMAS.has(keyword) && Array.isArray(value)) yield* value;
    else if (SCHEMAS.has(keyword)) yield value;
  }
}

function noSchema(): LtonError {
  return new LtonError("E502", "expected a schema, found something else in a part of it");
}

/** Return the address of a reference and its fragment, or null if it is not an address. */
function addressOf(base: string, reference: string): [string, string] | null {
  const [, plain, fragment = ""] = /^([^#]*)#?([^]*)$/.exec(reference) as unknown as [string, string, string?];
  if (plain === "") return [base, fragment];
  try {
    const href = new URL(plain, base.includes(":") ? base : BASE + base).href;
    return [href.startsWith(BASE) ? href.slice(BASE.length) : href, fragment];
  } catch {
    return null;
  }
}

function unquote(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
