import { createHash } from 'node:crypto';
import { canonicalJson, type Sealable } from '../../kernel/canonical.js';
import type { Fault } from '../../kernel/errors/fail.js';
import { count, fault, length, wellFormed } from '../../kernel/errors/faults.js';
import { asObject, type JsonObject } from '../../kernel/json.js';
import { readPack } from '../context-policies/pack-json.rules.js';
import { analyseTemplate, TEMPLATE_CHARS_MAX } from '../template.js';
import { jsonFaults, objectFaults, type Reading } from './faults.js';
import type { StatedContent, StatedSamples } from './tables.js';
import { readVariables } from './variables.rules.js';
import { readVariants } from './variants.rules.js';
import { PROMPT_BOUNDS, type PromptContent, type PromptSamples } from './vocabulary.js';

/** The content of a version, normalised, with every fault. */
export function readContent(given: StatedContent): Reading<PromptContent> {
  // Objects that stand in a GraphQL document have no prototype; their copies are plain.
  const input = structuredClone(given);
  const variables = readVariables('input.variables', input.variables);
  const variants = readVariants('input.modelVariants', input.modelVariants);
  const samples = readSamples(input, 'input.');
  const schema = input.outputSchema ?? null;
  return {
    value: {
      template: input.template,
      variables: variables.value,
      outputSchema: asObject(schema) ?? null,
      modelVariants: variants.value,
      dataClassMin: input.dataClassMin ?? null,
      samples: samples.value,
    },
    faults: [
      ...templateFaults(input.template),
      ...variables.faults,
      ...(schema === null ? [] : objectFaults('input.outputSchema', schema)),
      ...variants.faults,
      ...samples.faults,
    ],
  };
}

/**
 * Samples as a caller states them, checked; what is left out is empty.
 * @param above where they stand among the arguments, such as `input.`
 */
export function readSamples(input: StatedSamples, above: string): Reading<PromptSamples> {
  const { sampleVariables, sampleOutputs, contextPack } = structuredClone(input);
  const outputs = Array.isArray(sampleOutputs) ? (sampleOutputs as readonly unknown[]) : [];
  const isList = sampleOutputs == null || Array.isArray(sampleOutputs);
  const path = `${above}sampleOutputs`;
  return {
    value: {
      variables: asObject(sampleVariables) ?? {},
      outputs,
      context_pack: contextPack ?? null,
    },
    faults: [
      ...(sampleVariables == null ? [] : objectFaults(`${above}sampleVariables`, sampleVariables)),
      ...(isList ? [] : [fault(path, 'wrong_type', 'must be a list')]),
      ...count(path, outputs, { max: PROMPT_BOUNDS.sampleOutputs }, 'outputs'),
      ...jsonFaults(path, outputs),
      ...packFaults(`${above}contextPack`, contextPack),
    ],
  };
}

function packFaults(path: string, given: unknown): readonly Fault[] {
  if (given == null) return [];
  const faults = objectFaults(path, given);
  return faults.length > 0 ? faults : readPack(path, given as JsonObject).faults;
}

/** The sha256 of a content as RFC 8785 text: the same content has the same hash anywhere. */
export function contentHashOf(content: PromptContent): Buffer {
  const { template, variables, outputSchema, modelVariants, dataClassMin, samples } = content;
  const hashed = {
    template,
    variables,
    output_schema: outputSchema,
    model_variants: modelVariants,
    // Versions from before there was a least class keep their hashes.
    ...(dataClassMin === null ? {} : { data_class_min: dataClassMin }),
    samples,
  };
  return createHash('sha256')
    .update(canonicalJson(hashed as unknown as Sealable), 'utf8')
    .digest();
}

function templateFaults(template: string): Fault[] {
  const path = 'input.template';
  const unreadable = [
    ...length(path, template, { max: TEMPLATE_CHARS_MAX }),
    ...wellFormed(path, template),
  ];
  if (unreadable.length > 0) return unreadable;
  return analyseTemplate(template).faults.map(({ line, message }) => ({
    path,
    code: 'invalid',
    message: `${path}, line ${line}: ${message}.`,
  }));
}
