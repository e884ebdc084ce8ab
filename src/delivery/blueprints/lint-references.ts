import { analyseTemplate } from '../../prompts/template.js';
import {
  type Condition,
  type ContentCheck,
  type Manifest,
  type Operation,
  propertiesOf,
  type Step,
} from './manifest.js';
import { BLUEPRINT_BOUNDS } from './vocabulary.js';

/** What a rule finds: where, and what is wrong. */
export interface Found {
  readonly path: string;
  readonly message: string;
}

/** Looks for the faults of one rule in a manifest that satisfies the schema. */
export type Finder = (manifest: Manifest) => readonly Found[];

/** Rules about ids, paths, names and templates: who reads what. */
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
  undeclared_variable: ({ steps }) =>
    eachStep(
      steps,
      (step) => {
        const { bound, read } = namesOf(step);
        const unbound = read.filter((name) => !bound.includes(name));
        return unbound.map((name) => `${step.id} reads ${name} and does not bind it.`);
      },
      'with',
    ),
  unused_variable: ({ steps }) =>
    steps.flatMap((step, index) => {
      const { bound, read } = namesOf(step);
      const unread = bound.filter((name) => !read.includes(name));
      return unread.map((name) => ({
        path: `steps.${index}.with.${name}`,
        message: `${step.id} binds ${name} and does not read it.`,
      }));
    }),
  template_invalid: (manifest) =>
    eachTemplate(manifest, (template) =>
      analyseTemplate(template).faults.map(({ line, message }) => `Line ${line}: ${message}`),
    ),
  prompt_too_long: (manifest) =>
    eachTemplate(manifest, ({ length }) =>
      length > BLUEPRINT_BOUNDS.promptCharactersMax
        ? [`The template has ${length} characters.`]
        : [],
    ),
  undelimited_value: (manifest) =>
    eachTemplate(manifest, (template) =>
      analyseTemplate(template)
        .slots.filter(({ delimited }) => !delimited)
        .map(({ variable, line }) => `Line ${line}: nothing sets ${variable} apart.`),
    ),
} as const satisfies Readonly<Record<string, Finder>>;

/** The other types have an effect or a decision of their own. */
const COMPUTES: ReadonlySet<string> = new Set(['llm', 'retrieve', 'transform']);

/** The messages of each step, at its place or that of a member of it. */
export function eachStep(
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

function eachTemplate({ steps }: Manifest, messages: (template: string) => string[]): Found[] {
  const inStep = (step: Step) => (step.type === 'llm' ? messages(step.template) : []);
  return eachStep(steps, inStep, 'template');
}

/** The names that a step binds, and those that its template or its operations read. */
function namesOf(step: Step): Readonly<Record<'bound' | 'read', readonly string[]>> {
  if (step.type !== 'llm' && step.type !== 'transform') return { bound: [], read: [] };
  const read =
    step.type === 'llm'
      ? analyseTemplate(step.template).variables
      : new Set(Object.values(step.set).flatMap(namesRead));
  return { bound: Object.keys(step.with), read: [...read] };
}

/** The operations in which `by` names a second value, and no field. */
const WITH_SECOND_VALUE: ReadonlySet<string> = new Set(['percent', 'union', 'lookup']);

/** The bound names that an operation reads. */
function namesRead({ operation, of, by }: Operation): string[] {
  return WITH_SECOND_VALUE.has(operation) && by !== undefined ? [of, by] : [of];
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
    ...(result.proof ?? []).flatMap(checkRefs),
    ...Object.values(result.facts),
    ...(result.quantity === undefined ? [] : [result.quantity]),
  ];
}

function allRefs(manifest: Manifest): string[] {
  return [...manifest.steps.flatMap(refsOf), ...resultRefs(manifest)];
}

function pathFault({ input_schema, steps }: Manifest, path: string): string[] {
  const [root, first = '', second] = path.split('.');
  if (path === 'input') return [];
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

/** Every path that a step reads, its condition included. */
function refsOf(step: Step): string[] {
  const conditions = [
    ...(step.when ? [step.when] : []),
    ...(step.type === 'approval' ? step.required_when : []),
  ];
  return [
    ...('with' in step ? Object.values(step.with) : []),
    ...conditions.flatMap(conditionRefs),
    ...(step.type === 'validate' ? step.checks.flatMap(checkRefs) : []),
  ];
}

/** The paths that a check reads. */
function checkRefs({ when, must }: ContentCheck): string[] {
  return [...(when ? conditionRefs(when) : []), ...conditionRefs(must)];
}

/** The paths that a condition reads. */
function conditionRefs({ ref, other }: Condition): string[] {
  return other === undefined ? [ref] : [ref, other];
}

/** The names under which the output of a step stands; undefined where they cannot be known. */
function outputNames(step: Step): readonly string[] | undefined {
  if (step.type === 'transform') return Object.keys(step.set);
  if (step.type !== 'llm') return OUTPUT_NAMES[step.type];
  const { output_schema: schema } = step;
  return schema?.properties === undefined ? undefined : Object.keys(propertiesOf(schema));
}

const OUTPUT_NAMES = {
  retrieve: ['found', 'passages'],
  validate: ['passed', 'violations'],
  approval: ['decision', 'reasons', 'approver'],
  tool: ['decision', 'guard', 'reasons', 'tool_key', 'verb', 'arguments', 'argument_faults'],
} as const;
