import { isDeepStrictEqual } from 'node:util';
import type { Sealable } from '../../kernel/canonical.js';
import type { JsonObject } from '../../kernel/json.js';
import { toolPreview } from './decisions.js';
import type { GoldenCase, Manifest } from './manifest.js';
import { MANIFEST_SCHEMAS } from './manifest-schema.js';
import { contentChecks, proofOf } from './proof.rules.js';
import type { Proof } from './proof-vocabulary.js';
import { computed } from './pure-steps.js';
import { boundValues, holds, type RunValues } from './values.js';

/** A golden case as the checks judge it. */
export interface JudgedCase {
  readonly golden: GoldenCase;
  /** What the checks make of the honest answers. */
  readonly judged: Proof;
  /** Every answer of a lying model, those of the normal case among them, and whether it failed. */
  readonly lies: readonly boolean[];
  /** What is wrong with the case itself. */
  readonly faults: readonly string[];
}

/** Whether a case is sound, ends as it says, and no lie about it goes through. */
function isAsExpected({ golden, judged, lies, faults }: JudgedCase): boolean {
  return faults.length === 0 && judged === golden.expected && lies.every((caught) => caught);
}

/** How the golden cases of a manifest end, all together. */
export interface GoldenCases {
  /** Every case ends as it should, and bad ones are among them. */
  readonly isChecked: boolean;
  /** How many do, in words. */
  readonly good: string;
  /** The ids of those that do not. */
  readonly failed: readonly string[];
}

/** Judges the golden cases of a manifest. */
export function goldenCases(manifest: Manifest): GoldenCases {
  const cases = judgedCases(manifest);
  const failed = cases.flatMap((each) => (isAsExpected(each) ? [] : [each.golden.id]));
  const isTried = cases.some(({ golden }) => golden.kind !== 'normal');
  return {
    isChecked: isTried && failed.length === 0,
    good: `${cases.length - failed.length} of ${cases.length} cases`,
    failed,
  };
}

/** The whole input of a case: the example with what differs. */
export function inputOf({ example_input }: Manifest, { input }: GoldenCase): JsonObject {
  const members = Object.entries({ ...example_input, ...input });
  return Object.fromEntries(members.filter(([, value]) => value !== null));
}

/** Whether an input is published with the blueprint: then no work is done by it. */
export function isPublished(manifest: Manifest, input: JsonObject): boolean {
  const published = [
    manifest.example_input,
    ...(manifest.golden_cases ?? []).map((each) => inputOf(manifest, each)),
  ];
  return published.some((each) => isDeepStrictEqual(each, input));
}

const judgedOf = new WeakMap<Manifest, readonly JudgedCase[]>();

/**
 * Judges every golden case of a manifest: each is run with the answers that it states, and no
 * model is asked. A manifest never changes, so its cases are judged once.
 */
export function judgedCases(manifest: Manifest): readonly JudgedCase[] {
  const known = judgedOf.get(manifest);
  if (known) return known;
  const cases = manifest.golden_cases ?? [];
  const normal = cases.find(({ kind }) => kind === 'normal');
  const judged = cases.map((golden): JudgedCase => {
    const input = inputOf(manifest, golden);
    const told = golden.kind === 'normal' || !normal ? [] : [normal.answers];
    const lies = [...(golden.lies ?? []), ...told];
    return {
      golden,
      judged: rehearsal(manifest, input, golden.answers).proof,
      lies: lies.map((answers) => !rehearsal(manifest, input, answers).isClaimed),
      faults: caseFaults(manifest, golden, input),
    };
  });
  judgedOf.set(manifest, judged);
  return judged;
}

/** What a run would come to if models answered so. */
function rehearsal(manifest: Manifest, input: JsonObject, answers: JsonObject) {
  const { values, isFailed } = rehearsed(manifest, input, answers);
  const proof = proofOf(contentChecks(manifest, values), false);
  const isMet = manifest.business_result.achieved_when.every((each) => holds(values, each));
  return { proof, isClaimed: proof === 'proved' && isMet && !isFailed };
}

/** What the steps come to, as far as none of them fails. */
function rehearsed({ steps }: Manifest, input: JsonObject, answers: JsonObject) {
  const outputs = new Map<string, unknown>();
  const values: RunValues = { input, outputs };
  for (const step of steps) {
    if (step.when && !holds(values, step.when)) continue;
    if (step.type === 'tool') {
      const given = boundValues(values, step.with) as Sealable;
      outputs.set(step.id, toolPreview(step, given, undefined, 'member'));
      continue;
    }
    const { output, failure } =
      step.type === 'llm'
        ? { output: answers[step.id], failure: undefined }
        : computed(step, values);
    const { output_schema: schema } = step;
    const isValid = !schema || MANIFEST_SCHEMAS.valueFaults(schema, output, '').length === 0;
    if (failure || output === undefined || !isValid) return { values, isFailed: true };
    outputs.set(step.id, output);
  }
  return { values, isFailed: false };
}

/** Faults that would make a case show something else than it says. */
function caseFaults(manifest: Manifest, golden: GoldenCase, input: JsonObject): string[] {
  const { steps, input_schema } = manifest;
  const answered = [golden.answers, ...(golden.lies ?? [])].flatMap((answers) =>
    Object.entries(answers).flatMap(([id, answer]) => {
      const step = steps.find((each) => each.id === id);
      if (step?.type !== 'llm') return [`No step ${id} asks a model.`];
      const { output_schema: schema } = step;
      if (!schema) return [];
      return MANIFEST_SCHEMAS.valueFaults(schema, answer, id).map(({ message }) => message);
    }),
  );
  const given = MANIFEST_SCHEMAS.valueFaults(input_schema, input, 'input');
  return [...given.map(({ message }) => message), ...answered];
}
