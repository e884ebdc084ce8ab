import { count, fault } from '../../kernel/errors/faults.js';
import { inputFaults } from '../../kernel/fields/faults.js';
import { sealedContent } from '../../kernel/fields/sealed.js';
import type { Reading } from './faults.js';
import { MODEL_VARIANT, type StatedVariant } from './tables.js';
import { type ModelVariant, PROMPT_BOUNDS } from './vocabulary.js';

/**
 * The model variants of a version, as they are kept, with every fault; none where none are stated.
 * Whether a model is known is a question of the gate.
 */
export function readVariants(
  path: string,
  stated: readonly StatedVariant[] | null | undefined,
): Reading<readonly ModelVariant[]> {
  const given = stated ?? [];
  const tooMany = count(path, given, { max: PROMPT_BOUNDS.modelVariants }, 'variants');
  if (tooMany.length > 0) return { value: [], faults: tooMany };
  const named = given.map((each) => ({ ...each, name: each.name ?? each.model }));
  const names = named.map(({ name }) => name);
  const twice = names.flatMap((name, index) =>
    names.indexOf(name) === index
      ? []
      : [fault(`${path}.${index}.name`, 'invalid', `is ${name} a second time`)],
  );
  const faults = given.flatMap((each, index) =>
    inputFaults(MODEL_VARIANT.fields, each, `${path}.${index}`),
  );
  return {
    value: faults.length > 0 ? [] : named.map(keptVariant),
    faults: [...faults, ...twice],
  };
}

function keptVariant(variant: StatedVariant & { readonly name: string }): ModelVariant {
  return sealedContent(MODEL_VARIANT.fields, variant) as unknown as ModelVariant;
}
