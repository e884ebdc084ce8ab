import type { CatalogueModel, CatalogueProvider } from './catalogue-entry.js';
import { AUTO_MODEL, LONG_CONTEXT_TOKENS_MIN, type UsageDimension } from './vocabulary.js';

const INPUT: readonly UsageDimension[] = ['input_uncached', 'input_cached', 'cache_write'];
const OUTPUT: readonly UsageDimension[] = ['output_text', 'output_reasoning'];

/**
 * What is wrong with a set of providers beyond the shape of each: doubled ids, prices that miss a
 * dimension or are out of order, fallbacks that lead nowhere, addresses that are none. One line a
 * fault; none means that a registry can be built.
 */
export function catalogueFaults(
  entries: readonly CatalogueProvider[],
  environment: NodeJS.ProcessEnv,
): string[] {
  const faults: string[] = [];
  const operations = new Map<string, string>();
  for (const { models } of entries) {
    for (const model of models) operations.set(model.id, model.operation);
  }
  const seen = new Set<string>();
  const selections = new Map<string, string>();
  for (const entry of entries) {
    if (seen.has(entry.id)) faults.push(`${entry.id}: two providers have this id`);
    seen.add(entry.id);
    const address = entry.baseUrlEnv && environment[entry.baseUrlEnv];
    if (address && !/^https?:$/.test(protocolOf(address))) {
      faults.push(`${entry.baseUrlEnv}: must be an http or https address`);
    }
    const own = new Set<string>();
    for (const model of entry.models) {
      const where = `${entry.id}, model ${model.id}`;
      if (own.has(model.id)) faults.push(`${where}: the id is used twice`);
      const stated = selections.get(model.id);
      if (stated && model.selection && stated !== model.selection) {
        faults.push(`${where}: the selection ${model.selection} differs from ${stated} elsewhere`);
      }
      if (model.selection) selections.set(model.id, stated ?? model.selection);
      if (model.id === AUTO_MODEL) faults.push(`${where}: ${AUTO_MODEL} is an alias`);
      own.add(model.id);
      faults.push(...modelFaults(model, operations).map((fault) => `${where}: ${fault}`));
    }
  }
  return faults;
}

function modelFaults(model: CatalogueModel, operations: ReadonlyMap<string, string>): string[] {
  const faults: string[] = [];
  const needed = model.operation === 'chat' ? [...INPUT, ...OUTPUT] : INPUT;
  let last = '';
  for (const price of model.prices) {
    const missing = needed.filter((name) => price.microRubPerMillion[name] === undefined);
    if (missing.length > 0) {
      faults.push(`the price of ${price.effectiveFrom} lacks ${missing.join(', ')}`);
    }
    const isBehind = price.supersedes ? price.effectiveFrom < last : price.effectiveFrom <= last;
    if (isBehind) faults.push('prices must be in order of effective_from');
    last = price.effectiveFrom;
  }
  if (model.maxOutputTokens > model.contextWindow) {
    faults.push('max_output_tokens is more than the context window');
  }
  if (
    model.capabilities.includes('long_context') &&
    model.contextWindow < LONG_CONTEXT_TOKENS_MIN
  ) {
    faults.push(`long_context needs a window of at least ${LONG_CONTEXT_TOKENS_MIN} tokens`);
  }
  const embeds = model.capabilities.includes('embeddings');
  if (embeds !== (model.operation === 'embeddings')) {
    faults.push('the capability embeddings goes with the operation embeddings');
  }
  for (const fallback of model.fallbacks ?? []) {
    const operation = operations.get(fallback);
    if (operation === undefined) faults.push(`the fallback ${fallback} is no model of the list`);
    else if (operation !== model.operation) {
      faults.push(`the fallback ${fallback} is for ${operation}`);
    }
  }
  return faults;
}

function protocolOf(address: string): string {
  return URL.canParse(address) ? new URL(address).protocol : '';
}
