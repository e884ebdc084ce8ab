import { canonicalJson, type Sealable } from '../../../kernel/canonical.js';
import type { DataClass } from '../../../kernel/firewall/vocabulary.js';
import type { ModelVariant, PromptContent, PromptVariable } from '../vocabulary.js';
import { diffLines, type NumberedLine } from './lines.rules.js';
import { diffSchemas } from './schema-change.rules.js';
import type { SchemaDiff } from './tables.js';

/** Something named that both versions have, and not in the same way. */
export interface NamedChange<T> {
  readonly name: string;
  readonly before: T;
  readonly after: T;
  /** The members that differ. */
  readonly members: readonly string[];
}

/** How a list of named things changed. */
export interface NamedDiff<T> {
  readonly added: readonly T[];
  readonly removed: readonly T[];
  readonly changed: readonly NamedChange<T>[];
}

/** The least class of data that both versions state; null where one states none. */
interface LeastClassDiff {
  readonly changed: boolean;
  readonly before: DataClass | null;
  readonly after: DataClass | null;
}

/** What differs between two versions. */
export interface ContentDiff {
  readonly addedLines: readonly NumberedLine[];
  readonly removedLines: readonly NumberedLine[];
  readonly variables: NamedDiff<PromptVariable>;
  readonly modelVariants: NamedDiff<ModelVariant>;
  readonly outputSchema: SchemaDiff;
  readonly dataClassMin: LeastClassDiff;
}

/** The difference between two contents, from the first to the second. */
export function diffContents(from: PromptContent, to: PromptContent): ContentDiff {
  const { added, removed } = diffLines(from.template, to.template);
  return {
    addedLines: added,
    removedLines: removed,
    variables: diffNamed(from.variables, to.variables),
    modelVariants: diffNamed(from.modelVariants, to.modelVariants),
    outputSchema: diffSchemas(from.outputSchema, to.outputSchema),
    dataClassMin: {
      changed: from.dataClassMin !== to.dataClassMin,
      before: from.dataClassMin,
      after: to.dataClassMin,
    },
  };
}

function diffNamed<T extends { readonly name: string }>(
  from: readonly T[],
  to: readonly T[],
): NamedDiff<T> {
  const before = new Map(from.map((each) => [each.name, each]));
  const after = new Map(to.map((each) => [each.name, each]));
  return {
    added: to.filter(({ name }) => !before.has(name)),
    removed: from.filter(({ name }) => !after.has(name)),
    changed: to.flatMap((each) => {
      const old = before.get(each.name);
      const members = old ? differingMembers(old, each) : [];
      return old && members.length > 0
        ? [{ name: each.name, before: old, after: each, members }]
        : [];
    }),
  };
}

function differingMembers(before: object, after: object): string[] {
  const old = new Map<string, unknown>(Object.entries(before));
  return Object.entries(after).flatMap(([name, value]) =>
    text(value) === text(old.get(name)) ? [] : [name],
  );
}

function text(value: unknown): string {
  return canonicalJson((value ?? null) as Sealable);
}
