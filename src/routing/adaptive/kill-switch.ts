import { Prisma } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { type Fault, failOnFaults } from '../../kernel/errors/fail.js';
import { fits, oneOf } from '../../kernel/errors/faults.js';
import { type GivenValues, inputFaults, inputValues } from '../../kernel/fields/faults.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { sealedContent } from '../../kernel/fields/sealed.js';
import { LIVE_USAGE_SQL, SIMULATED_USAGE_SQL } from '../../money/ledger/live-usage.js';
import { change } from '../../records/change.js';
import { currentContracts } from '../../records/contracts.js';
import { ROUTE_POLICIES } from '../economics/records.js';
import { lockScopes } from '../memory/roll-back.js';
import { DEFAULT_USE } from '../memory/terms.js';
import { offerOf } from './contracts.js';
import {
  EVERY_SCOPE,
  KILL_SWITCHES,
  ROUTING_CONTRACTS,
  SWITCH_FIELDS,
  type SwitchTerms,
} from './records.js';
import { SWITCH_INPUT, type SWITCH_STANDING } from './tables.js';
import { switchFaults } from './terms.rules.js';
import { FROZEN_HOURS, FROZEN_USE_CASES_MAX } from './vocabulary.js';

/**
 * Sets the kill switch of a scope; it holds for the next decision on every node.
 * @throws invalid_request with every fault: a scope that nothing has, a model that cannot be
 * called, a roll back where no version is before the latest
 */
export async function setKillSwitch(ctx: AuthorizedCtx, given: GivenValues) {
  const asked = inputValues(SWITCH_INPUT.fields, given);
  failOnFaults([
    ...inputFaults(SWITCH_INPUT.fields, asked, 'input'),
    ...switchFaults(asked, offerOf(ctx.services.registry), 'input'),
  ]);
  const name = { action: 'routerKillSwitchSet', subject: 'RouterKillSwitch' } as const;
  return change(ctx, name, async (tx) => {
    await lockScopes(ctx, tx, asked.scopeKey);
    failOnFaults(scopeFaults(asked, await scopesOf(ctx, tx)));
    const before = await KILL_SWITCHES.latest(ctx, asked.scopeKey, undefined, { tx });
    const frozen = asked.state === 'FROZEN' ? await mostAnswered(ctx, tx) : [];
    const result = await KILL_SWITCHES.publish(ctx, { ...asked, frozen }, { tx });
    return {
      result,
      id: result.id,
      before: before && sealedContent(SWITCH_FIELDS, before.body),
      after: sealedContent(SWITCH_FIELDS, result.body),
      told: () => ctx.services.routing.forget(ctx.who.tenantId),
    };
  });
}

/** How many versions of each contract and policy there are, by key. */
type Scopes = ReadonlyMap<string, number>;

async function scopesOf(ctx: AuthorizedCtx, tx: Transaction): Promise<Scopes> {
  const versions = new Map<string, number>();
  for (const { kind } of [ROUTE_POLICIES, ROUTING_CONTRACTS]) {
    const current = await currentContracts(ctx, kind, '', { tx });
    for (const { contractKey, version } of current) versions.set(contractKey, version);
  }
  return versions;
}

/** A switch of a scope that nothing has would switch nothing. */
function scopeFaults({ scopeKey, state }: Omit<SwitchTerms, 'frozen'>, scopes: Scopes): Fault[] {
  const unknown = oneOf('input.scopeKey', scopeKey, [EVERY_SCOPE, DEFAULT_USE, ...scopes.keys()]);
  if (unknown.length > 0) return unknown;
  const inScope = scopeKey === EVERY_SCOPE ? [...scopes.values()] : [scopes.get(scopeKey) ?? 0];
  const canGoBack = state !== 'ROLLED_BACK' || inScope.some((versions) => versions > 1);
  return fits('input.state', canGoBack, 'cannot be ROLLED_BACK: no version is before the latest');
}

/** The model that answered most in the hours before, for each use case of the router. */
function mostAnswered({ who }: AuthorizedCtx, tx: Transaction) {
  return tx.$queryRaw<SwitchTerms['frozen']>`
    SELECT "useCase", model FROM (
      SELECT DISTINCT ON (1) metadata -> 'gw_routing' ->> 'use_case' AS "useCase", model,
             count(*) AS answers
      FROM usage_event
      WHERE tenant_id = ${who.tenantId}::uuid AND metadata ? 'gw_routing'
        AND metadata -> 'gw_routing' ->> 'use_case' IS NOT NULL
        AND created_at >= now() - make_interval(hours => ${FROZEN_HOURS}::int)
        AND (${Prisma.raw(LIVE_USAGE_SQL)} OR ${Prisma.raw(SIMULATED_USAGE_SQL)})
      GROUP BY 1, 2 ORDER BY 1, 3 DESC, 2) AS most
    ORDER BY answers DESC, "useCase" LIMIT ${FROZEN_USE_CASES_MAX}`;
}

/** How the kill switch of a scope stands; ACTIVE and of version 0 where nobody has set it. */
export async function standingSwitch(
  ctx: AuthorizedCtx,
  scopeKey: string,
): Promise<ValuesOf<typeof SWITCH_STANDING.fields>> {
  const [own, every] = await Promise.all([
    KILL_SWITCHES.latest(ctx, scopeKey),
    KILL_SWITCHES.latest(ctx, EVERY_SCOPE),
  ]);
  const holds = every && every.body.state !== 'ACTIVE' ? every : (own ?? every);
  return {
    ...(own?.body ?? { scopeKey, state: 'ACTIVE', pinnedModel: null, reason: null, frozen: [] }),
    version: own?.version ?? 0,
    setBy: own?.createdBy ?? null,
    setAt: own?.createdAt ?? null,
    stateInForce: holds?.body.state ?? 'ACTIVE',
    scopeInForce: holds?.body.scopeKey ?? scopeKey,
  };
}
