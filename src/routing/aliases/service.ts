import { AUTO_MODEL } from '../../catalog/providers/vocabulary.js';
import type { AuthorizedCtx, Services, Transaction } from '../../graph/ctx.js';
import { type Fault, fail, failOnFaults } from '../../kernel/errors/fail.js';
import { fault, fits, present } from '../../kernel/errors/faults.js';
import { type GivenValues, inputFaults, inputValues } from '../../kernel/fields/faults.js';
import {
  defaulting,
  fieldTable,
  flag,
  optional,
  type ValuesOf,
} from '../../kernel/fields/field.js';
import { sealedContent } from '../../kernel/fields/sealed.js';
import { change } from '../../records/change.js';
import { countContracts } from '../../records/contracts.js';
import type { TenantScope } from '../../records/scope.js';
import {
  aliasNameFaults,
  routePolicyKeyOf,
  shadowFaults,
  unknownRoutePolicy,
  unknownTarget,
} from './alias.rules.js';
import { ALIAS_NAME, ALIAS_TARGET, ALIASES_MAX } from './fields.js';
import { ALIAS_FIELDS, MODEL_ALIASES } from './records.js';
import { routePolicyIsKnown } from './route-policy.js';

/** A version of an alias to publish. */
export const ALIAS_INPUT = fieldTable('ModelAliasInput', 'What a model name is to stand for.', {
  alias: ALIAS_NAME,
  target: optional(ALIAS_TARGET),
  active: defaulting(flag('False removes the alias; the target may be left out then.'), true),
  shadowsModel: defaulting(
    flag('Must be true where a model of this name is served: the alias stands for it then.'),
    false,
  ),
});

/** Whose aliases, with what can be called. */
export interface AliasScope extends TenantScope {
  readonly services: TenantScope['services'] & Pick<Services, 'registry'>;
}

/**
 * Publishes the next version of an alias; it holds from the next request on, on every node.
 * @throws invalid_request with every fault; not_found for the removal of what is no alias
 */
export async function publishAlias(ctx: AuthorizedCtx, given: GivenValues) {
  const asked = inputValues(ALIAS_INPUT.fields, given);
  failOnFaults([
    ...inputFaults(ALIAS_INPUT.fields, asked, 'input'),
    ...(asked.active ? await aliasFaults(ctx, asked) : []),
  ]);
  const name = { action: 'modelAliasPublish', subject: 'ModelAlias' };
  return change(ctx, name, async (tx) => {
    const target = asked.target ?? (await lastTarget(ctx, tx, asked.alias));
    if (asked.active) await requirePlace(ctx, tx, asked.alias);
    const result = await MODEL_ALIASES.publish(ctx, { ...asked, target }, { tx });
    const after = sealedContent(ALIAS_FIELDS, result.body);
    const told = () => ctx.services.modelAliases.forget(ctx.who.tenantId);
    return { result, id: result.id, after, told };
  });
}

async function aliasFaults(
  ctx: AuthorizedCtx,
  { alias, target, shadowsModel }: ValuesOf<typeof ALIAS_INPUT.fields>,
): Promise<Fault[]> {
  const isServed = ctx.services.registry.models.has(alias);
  return [
    ...aliasNameFaults('input.alias', alias),
    ...(isServed ? shadowFaults('input.alias', alias, shadowsModel) : []),
    ...present('input.target', target, 'must say what the alias stands for'),
    ...(target === null ? [] : await targetFaults(ctx, 'input.target', target)),
    ...fits('input.target', target !== alias, 'must be another name than the alias'),
  ];
}

/** The faults of what an alias is to stand for; a target is never read as an alias again. */
export async function targetFaults(
  scope: AliasScope,
  path: string,
  target: string,
): Promise<Fault[]> {
  const { registry } = scope.services;
  if (target === AUTO_MODEL || registry.models.has(target)) return [];
  const policyKey = routePolicyKeyOf(target);
  if (policyKey === undefined) return [unknownTarget(path, registry.near(target))];
  return (await routePolicyIsKnown(scope, policyKey)) ? [] : [unknownRoutePolicy(path)];
}

/** @throws not_found for what is no alias, or none any more */
async function lastTarget(ctx: AuthorizedCtx, tx: Transaction, alias: string): Promise<string> {
  await MODEL_ALIASES.lock(ctx, tx, alias);
  const last = await MODEL_ALIASES.latest(ctx, alias, () => true, { tx });
  if (!last?.body.active) {
    return fail('not_found', { values: { subject: 'model alias', id: alias }, param: 'alias' });
  }
  return last.body.target;
}

async function requirePlace(ctx: AuthorizedCtx, tx: Transaction, alias: string): Promise<void> {
  if (await MODEL_ALIASES.latest(ctx, alias, () => true, { tx })) return;
  const known = await countContracts(ctx, MODEL_ALIASES.kind, { tx });
  if (known < ALIASES_MAX) return;
  const what = `is one more than the ${ALIASES_MAX} that an organization may have`;
  failOnFaults([fault('input.alias', 'out_of_range', what)]);
}
