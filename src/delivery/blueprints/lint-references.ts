import type { JsonObject } from '../../kernel/json.js';
import type { Finder, Found } from './lint-finder.js';
import {
  bindingsOf,
  type Condition,
  conditionRefs,
  type Manifest,
  outputNames,
  refsOf,
  type Step,
} from './manifest.js';

/** Rules about ids and paths: who reads what. */
export const referenceFinders = {
  duplicate_step_id: ({ steps }) =>
    eachStep(
      steps,
      (step, index) =>
        steps.findIndex(({ id }) => id === step.id) < index
          ? [`The id ${step.id} stands twice.`]
          : [],
      'id',
    ),
  cyclic_reference: ({ steps }) =>
    eachStep(steps, (step) =>
      leadsTo(steps, step.id, step.id) ? [`${step.id} reads itself by way of other steps.`] : [],
    ),
  forward_reference: ({ steps }) =>
    eachStep(steps, (step, index) =>
      sourcesOf(step)
        .filter((source) => {
          const at = steps.findIndex(({ id }) => id === source);
          return at > index && !leadsTo(steps, source, step.id);
        })
        .map((source) => `${step.id} reads ${source}, which stands after it.`),
    ),
  undeclared_reference: (manifest) => [
    ...eachStep(manifest.steps, (step) =>
      refsOf(step).flatMap((path) => pathFault(manifest, path)),
    ),
    ...resultRefs(manifest)
      .flatMap((path) => pathFault(manifest, path))
      .map((message) => ({ path: 'business_result', message })),
  ],
  unreachable_step: (manifest) =>
    eachStep(
      manifest.steps,
      (step) =>
        step.when && isImpossible(manifest, step.when)
          ? [`The condition on ${step.when.ref} can never hold.`]
          : [],
      'when',
    ),
  unused_input: (manifest) => {
    const read = new Set(
      allRefs(manifest).flatMap((path) => (path.startsWith('input.') ? path.split('.')[1] : [])),
    );
    return Object.keys(propertiesOf(manifest.input_schema))
      .filter((name) => !read.has(name))
      .map((name) => ({
        path: `input_schema.properties.${name}`,
        message: `No step reads the input ${name}.`,
      }));
  },
  unused_step: (manifest) => {
    const read = new Set(allRefs(manifest).map(sourceOf));
    return eachStep(manifest.steps, (step) =>
      COMPUTES.has(step.type) && !read.has(step.id) ? [`Nothing reads ${step.id}.`] : [],
    );
  },
} as const satisfies Readonly<Record<string, Finder>>;

/** The other types have an effect or a decision of their own. */
const COMPUTES: ReadonlySet<string> = new Set(['llm', 'retrieve', 'transform']);

function eachStep(
  steps: readonly Step[],
  messages: (step: Step, index: number) => readonly string[],
  member = '',
): Found[] {
  return steps.flatMap((step, index) =>
    messages(step, index).map((message) => ({
      path: member === '' ? `steps.${index}` : `steps.${index}.${member}`,
      message,
    })),
  );
}

/** The step whose output a path leads to; undefined for inputs. */
function sourceOf(path: string): string | undefined {
  const [root, id] = path.split('.');
  return root === 'steps' ? id : undefined;
}

function sourcesOf(step: Step): string[] {
  return refsOf(step).flatMap((path) => sourceOf(path) ?? []);
}

/** Whether the step `from` reads the step `to`, directly or by way of others. */
function leadsTo(steps: readonly Step[], from: string, to: string): boolean {
  const seen = new Set<string>();
  const open = [from];
  while (open.length > 0) {
    const step = steps.find(({ id }) => id === open.at(-1));
    open.pop();
    for (const source of step ? sourcesOf(step) : []) {
      if (source === to) return true;
      if (seen.has(source)) continue;
      seen.add(source);
      open.push(source);
    }
  }
  return false;
}

function resultRefs({ business_result: result }: Manifest): string[] {
  return [
    ...result.achieved_when.flatMap(conditionRefs),
    ...Object.values(result.facts),
    ...(result.quantity === undefined ? [] : [result.quantity]),
  ];
}

function allRefs(manifest: Manifest): string[] {
  return [...manifest.steps.flatMap(refsOf), ...resultRefs(manifest)];
}

function propertiesOf(schema: JsonObject | undefined): Readonly<Record<string, JsonObject>> {
  return (schema?.properties ?? {}) as Readonly<Record<string, JsonObject>>;
}

function pathFault({ input_schema, steps }: Manifest, path: string): string[] {
  const [root, first = '', second] = path.split('.');
  if (root === 'input') {
    return Object.hasOwn(propertiesOf(input_schema), first) ? [] : [`No input is named ${first}.`];
  }
  const step = steps.find(({ id }) => id === first);
  if (!step) return [`No step has the id ${first}.`];
  const names = outputNames(step);
  if (second === undefined || !names || names.includes(second)) return [];
  return [`The output of ${first} has no ${second}.`];
}

/** A value that its schema lists can be none but the listed ones. */
function isImpossible(manifest: Manifest, { ref, operator, value }: Condition): boolean {
  const listed = enumAt(manifest, ref);
  if (!listed) return false;
  if (operator === 'equals') return !listed.includes(value);
  if (operator !== 'in' || !Array.isArray(value)) return false;
  return !value.some((each) => listed.includes(each));
}

function enumAt({ input_schema, steps }: Manifest, path: string): readonly unknown[] | undefined {
  const [root, first = '', second = ''] = path.split('.');
  const step = steps.find(({ id }) => id === first);
  const schema = root === 'input' ? input_schema : step?.type === 'llm' ? step.output_schema : {};
  const listed = propertiesOf(schema)[root === 'input' ? first : second]?.enum;
  return Array.isArray(listed) ? listed : undefined;
}

/** Names that a step binds and, by the second function, reads. */
export function unboundNames(step: Step, read: readonly string[]): string[] {
  const bound = bindingsOf(step);
  return read.filter((name) => !Object.hasOwn(bound, name));
}
