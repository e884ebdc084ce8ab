import { getNamedType } from 'graphql';
import type { SelectedField } from './projection.js';
import type { CompiledRow, Shape } from './row.js';

/** One way in which rows select the fields of a type. */
interface Selection {
  readonly id: number;
  /** The first row that selects so. */
  readonly operation: string;
  readonly fieldCount: number;
  /** With all that lies below. */
  readonly size: number;
}

/**
 * What the parts of answers are called. Rows that select the fields of a type alike share one name.
 * The widest selection has the name of the type, another one also that of its first row:
 * `PromptPackage`, `PromptPackageInListPrompts`.
 */
export class AnswerNames {
  private readonly ids = new Map<string, number>();
  private readonly idOfFields = new WeakMap<readonly SelectedField[], number>();
  private readonly names = new Map<number, string>();

  /** @param isTaken whether a name is that of a type of the schema */
  constructor(
    rows: readonly CompiledRow[],
    private readonly isTaken: (name: string) => boolean,
  ) {
    const byType = new Map<string, Map<number, Selection>>();
    for (const row of rows) {
      for (const field of partsOf(row.shape)) this.note(field, row.name, byType);
    }
    for (const [type, selections] of byType) {
      const widest = [...selections.values()].sort(
        (one, other) => other.fieldCount - one.fieldCount || other.size - one.size,
      );
      widest.forEach(({ id, operation }, index) => {
        this.names.set(id, index === 0 ? type : this.free(`${type}In${operation}`));
      });
    }
  }

  /** The name of the object that a field holds. */
  nameOf({ type, fields }: SelectedField): string {
    const id = fields && this.idOfFields.get(fields);
    return (id === undefined ? undefined : this.names.get(id)) ?? getNamedType(type).name;
  }

  /** A name that no type and no other part has. */
  free(name: string): string {
    const used = new Set(this.names.values());
    let free = name;
    for (let count = 2; this.isTaken(free) || used.has(free); count += 1) free = `${name}${count}`;
    return free;
  }

  private note(
    field: SelectedField,
    operation: string,
    byType: Map<string, Map<number, Selection>>,
  ): string {
    const { type, fields, form } = field;
    if (!fields) return '';
    const keyed = fields.find(({ key }) => key === form.byKey?.value);
    if (keyed) return this.note(keyed, operation, byType);
    const name = getNamedType(type).name;
    const members = fields.map((member) => {
      const below = this.note(member, operation, byType);
      const written = JSON.stringify([member.conditional, member.form]);
      return `${member.key}:${member.node.name.value}:${member.type}:${written}:${below}`;
    });
    const text = `${name}{${members.join()}}`;
    const id = this.ids.get(text) ?? this.ids.size;
    this.ids.set(text, id);
    this.idOfFields.set(fields, id);
    const selections = byType.get(name) ?? new Map<number, Selection>();
    byType.set(name, selections);
    const size = text.length;
    if (!selections.has(id)) {
      selections.set(id, { id, operation, fieldCount: fields.length, size });
    }
    return `#${id}`;
  }
}

/** The fields of which an answer is made. */
function partsOf(shape: Shape): readonly SelectedField[] {
  if (shape.kind === 'value') return [shape.field];
  return shape.kind === 'fields' ? shape.fields : [shape.data, ...shape.beside];
}
