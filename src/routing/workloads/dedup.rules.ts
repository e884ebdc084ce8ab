import type { ValuesOf } from '../../kernel/fields/field.js';
import type { DEDUP, DEDUP_INPUT } from './tables.js';
import { DEDUP_PARTS, type DedupPart } from './vocabulary.js';

type Asked = ValuesOf<typeof DEDUP_INPUT.fields>;
type Origin = Asked['document'];

const PART: Readonly<Record<DedupPart, (origin: Origin) => string | null>> = {
  checksum: ({ checksum }) => checksum?.toLowerCase() ?? null,
  parser_version: ({ parserVersion }) => parserVersion,
  tenant: ({ tenantId }) => tenantId,
  policy_version: ({ policyVersion }) => policyVersion,
  encryption_key: ({ encryptionKey }) => encryptionKey,
};

/** Whether a stored result may stand for a document of this tenant: only if all five match. */
export function dedup(
  { document, stored }: Asked,
  tenantId: string,
): ValuesOf<typeof DEDUP.fields> {
  const own = { ...document, tenantId: document.tenantId ?? tenantId };
  const mismatches = DEDUP_PARTS.codes.filter((part) => {
    const wanted = part === 'tenant' ? tenantId : PART[part](own);
    return wanted === null || wanted !== PART[part](own) || wanted !== PART[part](stored);
  });
  return { verdict: mismatches.length === 0 ? 'ELIGIBLE' : 'NOT_ELIGIBLE', mismatches };
}
