import type { Registry } from '../../catalog/providers/model.js';
import { modelsInRussia } from '../../catalog/providers/near-models.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { type Fault, failOnFaults } from '../../kernel/errors/fail.js';
import { fits } from '../../kernel/errors/faults.js';
import { type GivenValues, inputFaults, inputValues } from '../../kernel/fields/faults.js';
import { sealedContent } from '../../kernel/fields/sealed.js';
import { change } from '../../records/change.js';
import { countContracts } from '../../records/contracts.js';
import { lockScopes, rolledBackFaults } from '../memory/roll-back.js';
import { CONTRACT_FIELDS, EVERY_SCOPE, ROUTING_CONTRACTS } from './records.js';
import { CONTRACT_INPUT } from './tables.js';
import { type Offer, termFaults } from './terms.rules.js';
import { CONTRACTS_MAX } from './vocabulary.js';

/** What contracts and switches can name: the models that this server can call. */
export function offerOf(registry: Registry): Offer {
  const served = [...registry.models.values()].map(({ id, deployments }) => {
    return [id, deployments.map(({ providerId }) => providerId)] as const;
  });
  return {
    models: new Map(served),
    providers: [...new Set(served.flatMap(([, ids]) => ids))],
    inRussia: modelsInRussia(registry),
  };
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

async function keyFaults(ctx: AuthorizedCtx, tx: Transaction, key: string): Promise<Fault[]> {
  const path = 'input.contractKey';
  const [known, count] = await Promise.all([
    ROUTING_CONTRACTS.latest(ctx, key, undefined, { tx }),
    countContracts(ctx, ROUTING_CONTRACTS.kind, { tx }),
  ]);
  const isKnown = known !== undefined;
  const isOneTooMany = !isKnown && count >= CONTRACTS_MAX;
  return [
    ...fits(path, key !== EVERY_SCOPE, 'must not be *, which stands for every contract'),
    ...(await rolledBackFaults(ctx, tx, { path, key, isKnown })),
    ...fits(path, !isOneTooMany, `is one too many: ${CONTRACTS_MAX} contracts are the most`),
  ];
}
