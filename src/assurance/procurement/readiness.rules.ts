import type { CodeOf } from '../../kernel/vocabulary.js';
import type { Edo } from './tables.js';
import {
  BLOCKING_ITEMS,
  DAYS_SAVED_FORMULA,
  DOCUMENT_TYPES,
  type DocumentType,
  type PackStatus,
  QUESTIONNAIRE_DAYS,
} from './vocabulary.js';

/** What readiness is computed from. */
export interface Progress {
  readonly packId: string;
  readonly status: PackStatus;
  readonly statusNote: string | null;
  readonly legalName: string | null;
  readonly inn: string | null;
  readonly edo: Edo;
  readonly completionScore: number;
  readonly openQuestions: readonly string[];
  readonly documents: readonly {
    readonly docType: DocumentType;
    readonly source: string;
    readonly missingEvidence: readonly { readonly needed: string }[];
  }[];
}

interface Condition {
  readonly code: CodeOf<typeof BLOCKING_ITEMS>;
  readonly document: DocumentType | null;
  readonly isMet: boolean;
  readonly reason: string;
}

/** Every condition of a signature, met or not: each counts the same. */
function conditionsOf(progress: Progress): readonly Condition[] {
  const { edo, status, statusNote, openQuestions, documents } = progress;
  const row = (code: Condition['code'], isMet: boolean, reason: string): Condition => {
    return { code, document: null, isMet, reason };
  };
  const generated = documents.filter(({ source }) => source === 'generated');
  return [
    row(
      'counterparty_unknown',
      progress.legalName !== null && progress.inn !== null,
      'The legal name or the INN of the customer is missing.',
    ),
    row(
      'questionnaire_incomplete',
      openQuestions.length === 0,
      `Open questions: ${openQuestions.join(', ')}.`,
    ),
    ...generated.map(({ docType, missingEvidence }) => ({
      code: 'document_missing_evidence' as const,
      document: docType,
      isMet: missingEvidence.length === 0,
      reason: missingEvidence.map(({ needed }) => needed).join(' '),
    })),
    row('edo_not_chosen', edo.provider !== null, 'No way of exchange is chosen.'),
    row('contract_not_signed', edo.contract === 'signed', `The contract is ${edo.contract}.`),
    row(
      'invoice_not_sent',
      edo.invoice !== 'not_sent' && edo.invoice !== 'rejected',
      `The invoice is ${edo.invoice}.`,
    ),
    row(
      'pack_blocked',
      status !== 'blocked',
      statusNote ?? 'The pack is blocked, and no note says why.',
    ),
  ];
}

/** How far a pack is, what stands against it, and the days that it saves by the formula. */
export function readinessOf(progress: Progress) {
  const conditions = conditionsOf(progress);
  const open = conditions.filter(({ isMet }) => !isMet);
  const parts = daysSaved(progress);
  const days = parts.filter(({ counted }) => counted).reduce((sum, part) => sum + part.days, 0);
  return {
    packId: progress.packId,
    status: progress.status,
    readiness: Math.floor(((conditions.length - open.length) * 100) / conditions.length),
    isReady: open.length === 0,
    blockingItems: open.map(({ code, document, reason }) => {
      const fix = BLOCKING_ITEMS.find(code)?.fix ?? '';
      const filled = fix.replace('{id}', progress.packId).replace('{docType}', document ?? '');
      return { code, document, reason, fix: filled };
    }),
    daysSavedEstimate: days,
    daysSavedFormula: DAYS_SAVED_FORMULA,
    daysSavedProvenance: 'declared' as const,
    daysSavedParts: parts,
  };
}

function daysSaved({ documents, completionScore }: Progress) {
  const generated = documents.filter(({ source }) => source === 'generated');
  const ofQuestions = Math.floor((QUESTIONNAIRE_DAYS * completionScore) / 100);
  return [
    ...generated.map(({ docType, missingEvidence }) => ({
      part: docType as string,
      days: DOCUMENT_TYPES.find(docType)?.daysSaved ?? 0,
      counted: missingEvidence.length === 0,
    })),
    { part: 'questionnaire', days: ofQuestions, counted: true },
  ];
}
