import { createHash } from 'node:crypto';
import { CONTRACT_FIELDS, isSimulated } from '../../actions/tools/contract.js';
import { TOOL, toolByKey } from '../../actions/tools/registry.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { canonicalJson } from '../../kernel/canonical.js';
import { sealedContent } from '../../kernel/fields/sealed.js';
import { lockContract } from '../../records/contracts.js';
import { auditContract } from './audit.rules.js';

/** What of a certification comes from the live contract of its tool. */
const WITHOUT_TOOL = {
  toolContractVersion: null,
  toolContractSha256: null,
  simulated: null,
  audit: [],
} as const;

/**
 * Audits the contract of a tool that is in force. No other version is published until the
 * transaction ends, so what is decided by the audit is decided about this contract.
 * @throws not_found for a tool that the organization does not have
 */
export async function auditTool(ctx: AuthorizedCtx, tx: Transaction, toolKey: string | null) {
  if (toolKey === null) return { ...WITHOUT_TOOL, audit: [] };
  await lockContract(ctx, tx, { kind: TOOL, key: toolKey });
  const { version, contract } = await toolByKey(ctx, toolKey, { tx });
  const text = canonicalJson(sealedContent(CONTRACT_FIELDS, contract));
  return {
    toolContractVersion: version,
    toolContractSha256: new Uint8Array(createHash('sha256').update(text).digest()),
    simulated: isSimulated(contract),
    audit: [...auditContract(contract)],
  };
}
