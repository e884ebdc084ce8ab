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
  return changed === undefined ? object : Object.fromEntries(withOwnNames(changed, names));
}

/**
 * Members of which no two have one name: an object would keep the last of them only. A name that
 * was rewritten to one that another member has is given a number.
 */
function withOwnNames(
  members: readonly [string, unknown][],
  names: readonly string[],
): readonly [string, unknown][] {
  if (members.every(([name], at) => name === names[at])) return members;
  const taken = new Set(members.flatMap(([name], at) => (name === names[at] ? [name] : [])));
  const counts = new Map<string, number>();
  return members.map(([name, value], at) => {
    if (name === names[at]) return [name, value];
    let own = name;
    while (taken.has(own)) {
      const count = (counts.get(name) ?? 1) + 1;
      counts.set(name, count);
      own = `${name}_${count}`;
    }
    taken.add(own);
    return [own, value];
  });
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
