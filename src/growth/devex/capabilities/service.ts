import { nearestModels } from '../../../catalog/providers/near-models.js';
import type { Ctx } from '../../../graph/ctx.js';
import { sharedNowMs } from '../../../kernel/clock.js';
import { fail, failOnFaults } from '../../../kernel/errors/fail.js';
import { type GivenValues, inputFaults, inputValues } from '../../../kernel/fields/faults.js';
import { moscowDay } from '../../../kernel/time.js';
import { capabilityMatrix, capabilityOf } from './capability.rules.js';
import { CAPABILITY_QUESTION, flagName, type ModelCapability } from './tables.js';

/**
 * The capability matrix of the catalogue as it is now, narrowed as it was asked for.
 * @throws invalid_request with every fault
 */
export function modelCapabilities({ services }: Ctx, given: GivenValues): ModelCapability[] {
  const { capability, callable } = inputValues(CAPABILITY_QUESTION, given);
  failOnFaults(inputFaults(CAPABILITY_QUESTION, { capability, callable }, ''));
  return capabilityMatrix(services.registry, moscowDay(sharedNowMs())).filter(
    (row) =>
      capability.every((each) => row[flagName(each)]) &&
      (callable === null || (row.status === 'configured') === callable),
  );
}

/** What one route, model or alias can do. @throws not_found, with names that may be meant */
export function modelCapability({ services }: Ctx, id: string): ModelCapability {
  const { registry } = services;
  const day = moscowDay(sharedNowMs());
  const found = capabilityOf(registry, id, day);
  if (found) return found;
  const known = capabilityMatrix(registry, day).flatMap((row) => [row.id, row.model]);
  const near = nearestModels(id, registry, [...known, ...registry.aliases.keys()]);
  const values = { subject: 'model or route', id };
  return fail('not_found', { values, param: 'id', data: { near } });
}
