import type { MicroRub } from '../../kernel/money.js';
import { shareOf } from './ladder.rules.js';
import type { Reconciled } from './tables.js';
import { BASIS_POINTS } from './vocabulary.js';

/** The figures of a cost, as far as they have come. */
interface InvoiceFigures {
  readonly estimatedMicro: MicroRub | null;
  readonly reportedMicro: MicroRub | null;
  readonly invoicedMicro: MicroRub | null;
  readonly toleranceBasisPoints: number;
}

/**
 * Reconciles what was reported with the invoice. The figures come one after the other, so an
 * invoice without a report is compared with nothing. A variance is the invoice less the report.
 */
export function reconcile(figures: InvoiceFigures): Reconciled {
  const { estimatedMicro, reportedMicro, invoicedMicro, toleranceBasisPoints } = figures;
  const state = stateOf(figures);
  const known = { state, estimatedMicro, reportedMicro, invoicedMicro };
  if (reportedMicro === null || invoicedMicro === null) {
    return {
      verdict: 'cannot_certify',
      ...known,
      varianceMicro: null,
      varianceBasisPoints: null,
      reason:
        invoicedMicro === null
          ? 'There is no invoice.'
          : 'An invoice stands alone: nothing was reported that it could be compared with.',
      needed: [
        ...(reportedMicro === null ? ['reported_rub'] : []),
        ...(invoicedMicro === null ? ['invoiced_rub'] : []),
      ],
    };
  }
  const varianceMicro = invoicedMicro - reportedMicro;
  const far = varianceMicro < 0n ? -varianceMicro : varianceMicro;
  const isWithin = far * BigInt(BASIS_POINTS) <= reportedMicro * BigInt(toleranceBasisPoints);
  return {
    verdict: isWithin ? 'reconciled' : 'variance',
    ...known,
    varianceMicro,
    varianceBasisPoints: shareOf(varianceMicro, reportedMicro, 'half_up'),
    reason: null,
    needed: [],
  };
}

function stateOf({
  estimatedMicro,
  reportedMicro,
  invoicedMicro,
}: InvoiceFigures): Reconciled['state'] {
  if (reportedMicro === null) return estimatedMicro === null ? null : 'estimated';
  return invoicedMicro === null ? 'reported' : 'invoiced';
}
