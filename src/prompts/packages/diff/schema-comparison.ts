import { canonicalJson, type Sealable } from '../../../kernel/canonical.js';
import { asObject, type JsonObject } from '../../../kernel/json.js';
import { type FoundChange, incomparable } from './found-change.js';
import { ANNOTATIONS, diffKeywords } from './keywords.rules.js';

/** Pairs of schemas that one comparison looks at; beyond, nothing is compared any more. */
const PAIRS_MAX = 5_000;
const REFERENCES_MAX = 50;
const REFERENCE = /"\$(?:ref|dynamicRef)":/;

/** A comparison of two documents, each with the references that it resolves in itself. */
export class SchemaComparison {
  /** Pairs under comparison: a recursive schema ends here. */
  private readonly open = new Set<string>();
  private readonly sameDefinitions: boolean;
  private pairs = 0;

  constructor(
    private readonly from: JsonObject,
    private readonly to: JsonObject,
  ) {
    this.sameDefinitions = schemaText(from) === schemaText(to);
  }

  /** The changes between the documents. */
  changes(): FoundChange[] {
    return this.diff(this.from, this.to, '$');
  }

  private diff(fromGiven: unknown, toGiven: unknown, path: string): FoundChange[] {
    if (this.same(fromGiven, toGiven)) return [];
    this.pairs += 1;
    const from = resolved(this.from, fromGiven);
    const to = resolved(this.to, toGiven);
    if (!from || !to || this.pairs > PAIRS_MAX) return [incomparable(path, 'the schema')];
    const pair = `${schemaText(from)} ${schemaText(to)}`;
    if (this.open.has(pair)) return [];
    this.open.add(pair);
    const changes = diffKeywords({
      from,
      to,
      path,
      diff: (one, other, at) => this.diff(one, other, at),
      same: (one, other) => this.same(one, other),
    });
    this.open.delete(pair);
    return changes;
  }

  /** The same text means the same only where no reference leads to definitions that differ. */
  private same(from: unknown, to: unknown): boolean {
    const text = schemaText(from);
    return text === schemaText(to) && (this.sameDefinitions || !REFERENCE.test(text));
  }
}

/** The schema behind references inside its document; `true` and `false` as objects. */
function resolved(root: JsonObject, given: unknown): JsonObject | undefined {
  let schema = given;
  for (let step = 0; step < REFERENCES_MAX; step += 1) {
    if (schema === true) return {};
    if (schema === false) return { not: {} };
    const object = asObject(schema);
    if (!object || typeof object.$ref !== 'string') return object;
    // A reference among other keywords is compared as a keyword.
    const isAlone = Object.keys(object).every((name) => name === '$ref' || ANNOTATIONS.has(name));
    if (!isAlone) return object;
    schema = atPointer(root, object.$ref);
  }
  return undefined;
}

function atPointer(root: JsonObject, reference: string): unknown {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return undefined;
  let at: unknown = root;
  for (const part of reference.slice(2).split('/')) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    const object = asObject(at);
    at = object && Object.hasOwn(object, name) ? object[name] : undefined;
  }
  return at;
}

/** A schema as text, for comparisons. */
export function schemaText(schema: unknown): string {
  return canonicalJson((schema ?? null) as Sealable);
}
