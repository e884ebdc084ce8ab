type Members = Readonly<Record<string, unknown>>;

/**
 * The object with its names and values rewritten, in one pass whatever the number of members; the
 * same object where each stays the same.
 */
export function changedMembers(
  object: object,
  renamed: (name: string) => string,
  rewritten: (name: string, value: unknown) => unknown,
): object {
  const members = object as Members;
  const names = Object.keys(members);
  let changed: [string, unknown][] | undefined;
  for (let index = 0; index < names.length; index += 1) {
    const name = names[index] as string;
    const before = members[name];
    const newName = renamed(name);
    const after = rewritten(name, before);
    if (changed === undefined) {
      if (after === before && newName === name) continue;
      changed = names.slice(0, index).map((earlier) => [earlier, members[earlier]]);
    }
    changed.push([newName, after]);
  }
  return changed === undefined ? object : Object.fromEntries(changed);
}

/** The list with its elements rewritten; the same list where each stays the same. */
export function changedEach(
  value: unknown,
  rewrite: (element: unknown, index: number) => unknown,
): unknown {
  if (!Array.isArray(value)) return value;
  let changed: unknown[] | undefined;
  value.forEach((element, index) => {
    const after = rewrite(element, index);
    if (after === element) return;
    changed ??= [...value];
    changed[index] = after;
  });
  return changed ?? value;
}
