import type {
  PromptEvaluationResult,
  PromptEvaluation as Stored,
} from '../../generated/prisma/client.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { openedContent, type SealedContent } from '../../kernel/fields/sealed.js';
import { type CaseResult, type EVALUATION_FIELDS, GRADE, TARGET, type Target } from './tables.js';
import { CASE_OUTCOMES, EVALUATION_FAILURES, EVALUATION_STATUSES } from './vocabulary.js';

/** The targets of a stored evaluation. */
export function targetsOfRun({ targets }: { readonly targets: unknown }): Target[] {
  return (targets as readonly SealedContent[]).map((each) => openedContent(TARGET.fields, each));
}

/** An evaluation as it is shown. */
export function shownEvaluation(row: Stored): ValuesOf<typeof EVALUATION_FIELDS> {
  return {
    ...row,
    contentHash: hex(row.contentHash),
    caseSetHash: hex(row.caseSetHash),
    targets: targetsOfRun(row),
    status: EVALUATION_STATUSES.parse(row.status),
    failure: row.failure === null ? null : EVALUATION_FAILURES.parse(row.failure),
  };
}

/** A stored result, opened. */
export function shownResult(row: PromptEvaluationResult): CaseResult {
  const grades = row.grades as readonly SealedContent[];
  return {
    ...row,
    outcome: CASE_OUTCOMES.parse(row.outcome),
    grades: grades.map((each) => openedContent(GRADE.fields, each)),
    outputHash: row.outputHash && hex(row.outputHash),
  };
}

/** A hash as hexadecimal digits. */
export function hex(hash: Uint8Array): string {
  return Buffer.from(hash).toString('hex');
}
