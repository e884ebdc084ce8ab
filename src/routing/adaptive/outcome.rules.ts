import type { Fault } from '../../kernel/errors/fail.js';
import { fits } from '../../kernel/errors/faults.js';
import { formatRub } from '../../kernel/money.js';
import type { OutcomeBody, StatedOutcome } from './tables.js';

/** What the gateway has recorded of a request; figures are null where it has none. */
export type RecordedRequest = OutcomeBody & { readonly isAnswered: boolean };

/** Where what is stated differs from what is recorded, with every fault. */
export function differenceFaults(stated: StatedOutcome, recorded: RecordedRequest): Fault[] {
  const same = <T>(name: string, given: T | null, known: T | null, shown: (known: T) => string) => {
    if (given === null || known === null || given === known) return [];
    return fits(`input.${name}`, false, `must be ${shown(known)}, as recorded`);
  };
  return [
    ...fits('input.requestId', recorded.isAnswered, 'has failed, so no answer was accepted or not'),
    ...same('useCase', stated.useCase, recorded.useCase, String),
    ...same('model', stated.model, recorded.model, String),
    ...same('costRub', stated.costMicro, recorded.costMicro, formatRub),
    ...same('latencyMs', stated.latencyMs, recorded.latencyMs, String),
  ];
}

/** What is kept: what is recorded, and of the rest what is stated. */
export function outcomeBody(stated: StatedOutcome, recorded: RecordedRequest): OutcomeBody {
  const { isAnswered: _, ...body } = recorded;
  return {
    ...body,
    costMicro: body.costMicro ?? stated.costMicro,
    latencyMs: body.latencyMs ?? stated.latencyMs,
  };
}
