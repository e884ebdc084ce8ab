import type { ContractVersion } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { refusal } from '../../graph/node.js';
import { canonicalJson } from '../../kernel/canonical.js';
import { fail, failOnFaults } from '../../kernel/errors/fail.js';
import { type GivenValues, inputValues } from '../../kernel/fields/faults.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { requiresFourEyes } from '../../records/approvals/requester.js';
import { change } from '../../records/change.js';
import {
  countContracts,
  currentContract,
  currentContracts,
  latestContract,
  latestItems,
  lockContract,
  publishContract,
} from '../../records/contracts.js';
import type { TenantScope, WriteOptions } from '../../records/scope.js';
import { webhookUrlFaults } from '../webhook/target.js';
import {
  isSimulated,
  readContract,
  ruleOf,
  storedContract,
  type ToolContract,
} from './contract.js';
import { contractOf, draftFaults, TOOL_DRAFT } from './draft.js';
import { webhookSecrets } from './signing.js';
import type { REGISTRATION_FIELDS, VERSION_FIELDS } from './tables.js';
import { isLimitLoosened, isLooseByItself, isLoosened } from './verb-meaning.rules.js';
import { APPROVING, BOUNDS, CONNECTORS, type ConnectorCode } from './vocabulary.js';

/** The kind of contract that tools are. */
export const TOOL = 'tool';

/** A version of a tool's contract. */
export interface ToolVersion extends ValuesOf<typeof VERSION_FIELDS> {
  readonly contract: ToolContract;
}

/** A version as its owner gets it once. */
export type RegisteredTool = ToolVersion & ValuesOf<typeof REGISTRATION_FIELDS>;

/** A stored version, read. */
export function toolVersionOf(row: ContractVersion): ToolVersion {
  return {
    id: row.id,
    version: row.version,
    registeredBy: row.createdBy,
    registeredAt: row.createdAt,
    contract: readContract(row.body),
  };
}

/** The contract of a tool that is in force. @throws not_found */
export async function toolByKey(
  scope: TenantScope,
  key: string,
  options: WriteOptions = {},
): Promise<ToolVersion> {
  return toolVersionOf(await currentContract(scope, { kind: TOOL, key }, options));
}

/** Whether a tool of the organization calls an endpoint. */
export async function hasEndpoint(scope: TenantScope): Promise<boolean> {
  const tools = await currentContracts(scope, TOOL);
  return tools.some(({ body }) => !isSimulated(readContract(body)));
}

/**
 * Registers a tool, or the next version of one. The same contract again adds no version, unless
 * another member confirms it where everything needs four eyes.
 * @throws invalid_request with every fault, capability_roadmap, tool_limit_reached,
 * permission_denied where a verb is loosened, or a new one stated as less than it counts by
 * default, by one who may not approve its calls
 */
export async function registerTool(
  ctx: AuthorizedCtx,
  given: GivenValues,
): Promise<RegisteredTool> {
  const draft = inputValues(TOOL_DRAFT.fields, given);
  const { toolKey, endpointUrl: url } = draft;
  const { config } = ctx.services;
  const urlFaults = url === null ? [] : webhookUrlFaults('input.endpointUrl', url, config);
  failOnFaults([...draftFaults(draft), ...urlFaults]);
  requireAvailable(draft.connector);
  return change(ctx, { action: 'toolRegister', subject: 'Tool' }, async (tx) => {
    const name = { kind: TOOL, key: toolKey };
    await lockContract(ctx, tx, name);
    const last = await latestContract(ctx, name, { tx });
    const before = last ? toolVersionOf(last) : undefined;
    if (!before) await requireRoom(ctx, tx);
    const contract = contractOf(draft, before?.contract.signingGeneration ?? 1);
    await requireAsStrict(ctx, tx, before?.contract, contract);
    const isEqual = before !== undefined && textOf(before.contract) === textOf(contract);
    const isSame = isEqual && !(await isConfirmed(ctx, tx, before));
    const after = isSame ? before : await publish(ctx, tx, contract);
    return changed(ctx, { before, after, isSame });
  });
}

/**
 * Gives a tool a new signing secret, as a new version of its contract; the old secret signs nothing
 * any more, and calls that wait for an approval are voided.
 * @throws not_found, tool_without_endpoint
 */
export function rotateSigningSecret(ctx: AuthorizedCtx, toolKey: string): Promise<RegisteredTool> {
  return change(ctx, { action: 'toolSigningSecretRotate', subject: 'Tool' }, async (tx) => {
    await lockContract(ctx, tx, { kind: TOOL, key: toolKey });
    const before = await toolByKey(ctx, toolKey, { tx });
    if (isSimulated(before.contract)) fail('tool_without_endpoint', { values: { toolKey } });
    const signingGeneration = before.contract.signingGeneration + 1;
    const after = await publish(ctx, tx, { ...before.contract, signingGeneration });
    return changed(ctx, { before, after, isSame: false });
  });
}

function requireAvailable(connector: ConnectorCode | null): void {
  const row = CONNECTORS.find(connector ?? '');
  if (row?.status !== 'roadmap') return;
  const capability = `The connector ${row.code}`;
  fail('capability_roadmap', { values: { capability }, param: 'input.connector' });
}

async function requireRoom(ctx: AuthorizedCtx, tx: Transaction): Promise<void> {
  const { toolsMax } = BOUNDS;
  const known = await countContracts(ctx, TOOL, { tx });
  if (known >= toolsMax) fail('tool_limit_reached', { values: { toolsMax } });
}

/**
 * What an approval guards is loosened only by those who may approve: every member of a contract
 * that a guard of actions reads. A verb counts as the last version that has it states it, so that
 * leaving it out for a version loosens nothing. One that no version has counts as its tool declares
 * it by its risk alone.
 */
async function requireAsStrict(
  ctx: AuthorizedCtx,
  tx: Transaction,
  before: ToolContract | undefined,
  contract: ToolContract,
): Promise<void> {
  if (ctx.who.permissions.has(APPROVING)) return;
  const names = contract.verbs.map(({ verb }) => verb);
  const key = { kind: TOOL, key: contract.toolKey };
  const verbs = await latestItems(ctx, key, { list: 'verbs', by: 'verb', names }, { tx });
  const known = readContract({ ...storedContract(contract), verbs });
  const isLooser = contract.verbs.some((after) => {
    const stated = ruleOf(known, after.verb);
    return stated ? isLoosened(stated, after) : isLooseByItself(after);
  });
  const isHigher =
    before !== undefined && isLimitLoosened(before.amountMicroMaxAuto, contract.amountMicroMaxAuto);
  if (isLooser || isHigher) throw refusal(ctx, APPROVING);
}

/**
 * Whether the same contract is registered by another member who may approve, where everything needs
 * four eyes: their word makes it one that two people have stated.
 */
async function isConfirmed(ctx: AuthorizedCtx, tx: Transaction, last: ToolVersion) {
  const { who } = ctx;
  if (who.kind !== 'user' || !who.permissions.has(APPROVING)) return false;
  return last.registeredBy !== who.id && (await requiresFourEyes(tx, who.tenantId));
}

async function publish(ctx: AuthorizedCtx, tx: Transaction, contract: ToolContract) {
  const name = { kind: TOOL, key: contract.toolKey };
  return toolVersionOf(await publishContract(ctx, name, storedContract(contract), { tx }));
}

function textOf(contract: ToolContract): string {
  return canonicalJson(storedContract(contract));
}

interface Versions {
  readonly before: ToolVersion | undefined;
  readonly after: ToolVersion;
  readonly isSame: boolean;
}

function changed({ who, services }: AuthorizedCtx, { before, after, isSame }: Versions) {
  const { contract } = after;
  const { toolKey, signingGeneration: generation } = contract;
  const place = { tenantId: who.tenantId, toolKey, generation };
  const signingSecret = isSimulated(contract) ? null : webhookSecrets(services.keyring, place)[0];
  return {
    result: { ...after, signingSecret, alreadyRegistered: isSame },
    id: after.id,
    before: before && storedContract(before.contract),
    after: storedContract(contract),
  };
}
