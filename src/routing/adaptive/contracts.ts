import type { Registry } from '../../catalog/providers/model.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { type Fault, failOnFaults } from '../../kernel/errors/fail.js';
import { fits } from '../../kernel/errors/faults.js';
import { type GivenValues, inputFaults, inputValues } from '../../kernel/fields/faults.js';
import { sealedContent } from '../../kernel/fields/sealed.js';
import { change } from '../../records/change.js';
import { countContracts } from '../../records/contracts.js';
import { CONTRACT_FIELDS, EVERY_SCOPE, KILL_SWITCHES, ROUTING_CONTRACTS } from './records.js';
import { CONTRACT_INPUT } from './tables.js';
import { type Offer, termFaults } from './terms.rules.js';
import { CONTRACTS_MAX } from './vocabulary.js';

/** What contracts and switches can name: the models that this server can call. */
export function offerOf({ models }: Registry): Offer {
  const served = [...models.values()].map(({ id, deployments }) => {
    return [id, deployments.map(({ providerId }) => providerId)] as const;
  });
  return { models: new Map(served), providers: [...new Set(served.flatMap(([, ids]) => ids))] };
}

/**
 * Publishes the next version of a routing contract; it holds for the next decision on every node.
 * @throws invalid_request with every fault, also where the contract is rolled back
 */
export async function publishContract(ctx: AuthorizedCtx, given: GivenValues) {
  const body = inputValues(CONTRACT_INPUT.fields, given);
  failOnFaults([
    ...inputFaults(CONTRACT_INPUT.fields, body, 'input'),
    ...termFaults(body, offerOf(ctx.services.registry), 'input'),
  ]);
  const name = { action: 'routingContractPublish', subject: 'RoutingContract' } as const;
  return change(ctx, name, async (tx) => {
    await lockScopes(ctx, tx, body.contractKey);
    failOnFaults(await keyFaults(ctx, tx, body.contractKey));
    const result = await ROUTING_CONTRACTS.publish(ctx, body, { tx });
    const after = sealedContent(CONTRACT_FIELDS, result.body);
    const told = () => ctx.services.routing.forget(ctx.who.tenantId);
    return { result, id: result.id, after, told };
  });
}

/** Switches of all scopes and of this one wait until the transaction ends, and so do contracts. */
export async function lockScopes(ctx: AuthorizedCtx, tx: Transaction, key: string): Promise<void> {
  await KILL_SWITCHES.lock(ctx, tx, EVERY_SCOPE);
  if (key !== EVERY_SCOPE) await KILL_SWITCHES.lock(ctx, tx, key);
}

/**
 * While a contract is rolled back, the version before its latest holds: a new version would bring
 * the one back into force that it was rolled back from.
 */
async function keyFaults(ctx: AuthorizedCtx, tx: Transaction, key: string): Promise<Fault[]> {
  const [every, own, known, count] = await Promise.all([
    KILL_SWITCHES.latest(ctx, EVERY_SCOPE, undefined, { tx }),
    KILL_SWITCHES.latest(ctx, key, undefined, { tx }),
    ROUTING_CONTRACTS.latest(ctx, key, undefined, { tx }),
    countContracts(ctx, ROUTING_CONTRACTS.kind, { tx }),
  ]);
  const isRolledBack = [every, own].some((each) => each?.body.state === 'ROLLED_BACK');
  const isOneTooMany = known === undefined && count >= CONTRACTS_MAX;
  const path = 'input.contractKey';
  return [
    ...fits(path, key !== EVERY_SCOPE, 'must not be *, which stands for every contract'),
    ...fits(path, !(isRolledBack && known), 'is rolled back: set its kill switch otherwise first'),
    ...fits(path, !isOneTooMany, `is one too many: ${CONTRACTS_MAX} contracts are the most`),
  ];
}
