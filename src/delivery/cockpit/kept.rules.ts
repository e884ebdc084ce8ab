import type { MigrationCheckRun } from '../../generated/prisma/client.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { openedContent, type SealedContent } from '../../kernel/fields/sealed.js';
import { formatRub } from '../../kernel/money.js';
import { isSimulated } from './rules.js';
import { CHECK, type CheckResult, type RUN_FIELDS } from './tables.js';
import { RUN_STATUSES } from './vocabulary.js';

/** A recorded run as it is shown. Its checks are read when they are asked for. */
export function shownRun(row: MigrationCheckRun): ValuesOf<typeof RUN_FIELDS> {
  return {
    ...row,
    status: RUN_STATUSES.parse(row.status),
    get checks() {
      return openedChecks(row.checks);
    },
    get simulated() {
      return isSimulated(this.checks);
    },
  };
}

/** Checks that a row keeps, also under the names that they had before. */
function openedChecks(kept: unknown): CheckResult[] {
  const contents = kept as readonly SealedContent[];
  return contents.map((each) => openedContent(CHECK.fields, formerCheck(each)));
}

function formerCheck(content: SealedContent): SealedContent {
  const { latencyMs, statusCode, requestId, costMicro, ...check } = content;
  if (costMicro === undefined) return content;
  return {
    simulated: false,
    ...check,
    latency_ms: latencyMs ?? null,
    status_code: statusCode ?? null,
    request_id: requestId ?? null,
    cost_rub: costMicro === null ? null : formatRub(BigInt(String(costMicro))),
  };
}
