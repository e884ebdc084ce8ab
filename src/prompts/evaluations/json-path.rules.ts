/** A step of a path: the name of a member, or the place in a list. */
type Step = string | number;

const STEP =
  /\.([A-Za-z_\u0080-\uffff][\w\u0080-\uffff-]*)|\["([^"\\]*)"\]|\['([^'\\]*)'\]|\[(\d{1,9})\]/y;

/**
 * The steps of a singular query of RFC 9535: `$` with `.name`, `["name"]`, `['name']` and `[0]`.
 * Undefined for anything else, so that a path leads to one place at most and takes linear time.
 */
export function pathSteps(path: string): readonly Step[] | undefined {
  if (!path.startsWith('$')) return undefined;
  const steps: Step[] = [];
  STEP.lastIndex = 1;
  for (let at = 1; at < path.length; at = STEP.lastIndex) {
    STEP.lastIndex = at;
    const found = STEP.exec(path);
    if (!found) return undefined;
    const [, plain, double, single, index] = found;
    steps.push(index === undefined ? (plain ?? double ?? single ?? '') : Number(index));
  }
  return steps;
}

/** The value at the end of a path; undefined where there is none. Only own members are followed. */
export function valueAt(value: unknown, steps: readonly Step[]): unknown {
  let here = value;
  for (const step of steps) {
    if (typeof here !== 'object' || here === null) return undefined;
    if (Array.isArray(here) !== (typeof step === 'number')) return undefined;
    if (!Object.hasOwn(here, step)) return undefined;
    here = (here as Readonly<Record<Step, unknown>>)[step];
  }
  return here;
}
