import { createHash } from 'node:crypto';
import { canonicalJson, type Sealable } from '../../kernel/canonical.js';
import type { Fault } from '../../kernel/errors/fail.js';
import { asObject, type JsonObject } from '../../kernel/json.js';
import { readPack } from '../context-policies/pack-json.rules.js';
import { analyseTemplate, TEMPLATE_CHARS_MAX } from '../template.js';
import { fault, jsonFaults, objectFaults, type Reading, textFaults } from './faults.js';
import { readVariables } from './variables.rules.js';
import { readVariants } from './variants.rules.js';
import { PROMPT_BOUNDS, type PromptContent, type PromptSamples } from './vocabulary.js';

/** A version as a caller states it: JSON parts are unchecked. */
export interface ContentInput {
  readonly template: string;
  readonly variables?: unknown;
  readonly outputSchema?: unknown;
  readonly modelVariants?: unknown;
  readonly sampleVariables?: unknown;
  readonly sampleOutputs?: unknown;
  readonly contextPack?: unknown;
}

/** The content of a version, normalised, with every fault by the names of the REST body. */
export function readContent(given: ContentInput): Reading<PromptContent> {
  // Objects that stand in a GraphQL document have no prototype; their copies are plain.
  const input = structuredClone(given);
  const variables = readVariables(input.variables);
  const variants = readVariants(input.modelVariants);
  const samples = readSamples(input);
  const schema = input.outputSchema ?? null;
  return {
    value: {
      template: input.template,
      variables: variables.value,
      outputSchema: asObject(schema) ?? null,
      modelVariants: variants.value,
      samples: samples.value,
    },
    faults: [
      ...templateFaults(input.template),
      ...variables.faults,
      ...(schema === null ? [] : objectFaults('output_schema', schema)),
      ...variants.faults,
      ...samples.faults,
    ],
    ignored: [...variables.ignored, ...variants.ignored],
  };
}

/** Samples as a caller states them, checked; what is left out is empty. */
export function readSamples(
  input: Omit<ContentInput, 'template'>,
): Omit<Reading<PromptSamples>, 'ignored'> {
  const { sampleVariables, sampleOutputs, contextPack } = structuredClone(input);
  const outputs = Array.isArray(sampleOutputs) ? (sampleOutputs as readonly unknown[]) : [];
  const max = PROMPT_BOUNDS.sampleOutputs;
  const isList = sampleOutputs == null || Array.isArray(sampleOutputs);
  const countFault = fault('sample_outputs', 'out_of_range', `has at most ${max} outputs`);
  return {
    value: {
      variables: asObject(sampleVariables) ?? {},
      outputs,
      context_pack: contextPack ?? null,
    },
    faults: [
      ...(sampleVariables == null ? [] : objectFaults('sample_variables', sampleVariables)),
      ...(isList ? [] : [fault('sample_outputs', 'wrong_type', 'must be a list')]),
      ...(outputs.length > max ? [countFault] : []),
      ...jsonFaults('sample_outputs', outputs),
      ...packFaults(contextPack),
    ],
  };
}

function packFaults(given: unknown): readonly Fault[] {
  if (given == null) return [];
  const faults = objectFaults('context_pack', given);
  return faults.length > 0 ? faults : readPack('context_pack', given as JsonObject).faults;
}

/** The sha256 of a content as RFC 8785 text: the same content has the same hash anywhere. */
export function contentHashOf(content: PromptContent): Buffer {
  const { template, variables, outputSchema, modelVariants, samples } = content;
  const hashed = {
    template,
    variables,
    output_schema: outputSchema,
    model_variants: modelVariants,
    samples,
  };
  return createHash('sha256')
    .update(canonicalJson(hashed as unknown as Sealable), 'utf8')
    .digest();
}

function templateFaults(template: string): Fault[] {
  if (template.length > TEMPLATE_CHARS_MAX) {
    return [fault('template', 'out_of_range', `has at most ${TEMPLATE_CHARS_MAX} characters`)];
  }
  const broken = textFaults('template', template);
  if (broken.length > 0) return broken;
  return analyseTemplate(template).faults.map(({ line, message }) => ({
    path: 'template',
    code: 'invalid',
    message: `template, line ${line}: ${message}.`,
  }));
}
