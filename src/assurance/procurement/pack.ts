import { createHash } from 'node:crypto';
import type { Prisma, ProcurementPack } from '../../generated/prisma/client.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { openedContent, type SealedContent, sealedContent } from '../../kernel/fields/sealed.js';
import { controlsOf } from '../trust/controls.rules.js';
import { answersFrom } from '../trust/questionnaire.rules.js';
import { type PackFacts, writeDocument } from './documents.rules.js';
import { ownFacts } from './facts.js';
import { packQuestions } from './questionnaire.rules.js';
import { type DeclaredAnswer, EDO, type Edo, KEPT_ANSWERS, type PackDocument } from './tables.js';
import { DOCUMENT_TYPES, type DocumentType, type PackType } from './vocabulary.js';

/** The documents of a type of packs, in the order of the catalogue. */
export function documentsIn(packType: PackType) {
  return DOCUMENT_TYPES.rows.filter(({ packs }) => packs.includes(packType));
}

/** The answers that people have given. */
export function declaredOf({ answers }: Pick<ProcurementPack, 'answers'>) {
  return openedContent(KEPT_ANSWERS, answers as SealedContent).answers;
}

/** Answers as the row keeps them. */
export function keptAnswers(answers: readonly DeclaredAnswer[]): Prisma.InputJsonObject {
  return sealedContent(KEPT_ANSWERS, { answers }) as Prisma.InputJsonObject;
}

/** The exchange of documents of a pack. */
export function edoOf({ edo }: Pick<ProcurementPack, 'edo'>): Edo {
  return openedContent(EDO.fields, edo as SealedContent);
}

/** An exchange as the row keeps it. */
export function keptEdo(edo: Edo): Prisma.InputJsonObject {
  return sealedContent(EDO.fields, edo) as Prisma.InputJsonObject;
}

/** Every question of a pack with the answer that stands now. */
export async function questionsOf(ctx: AuthorizedCtx, pack: ProcurementPack) {
  const { trust } = await ownFacts(ctx);
  return packQuestions(answersFrom(controlsOf(trust)), declaredOf(pack));
}

/** A document of a pack with its text, made from what holds now. */
export async function documentOf(
  ctx: AuthorizedCtx,
  pack: ProcurementPack,
  docType: DocumentType,
): Promise<PackDocument> {
  const own = await ownFacts(ctx);
  const questions = await questionsOf(ctx, pack);
  const answered = questions.filter(({ answer }) => answer !== null).map(({ code }) => code);
  const { legalName, inn } = pack;
  const facts: PackFacts = { legalName, inn, answered: new Set(answered) };
  const { paragraphs, missing } = writeDocument(docType, own, facts);
  const row = DOCUMENT_TYPES.find(docType);
  if (!row) throw new TypeError(`${docType} has passed as a document`);
  const text = paragraphs.join('\n');
  return {
    docType,
    title: row.title,
    source: row.source,
    status: statusOf(row.source, missing.length > 0),
    missingEvidence: missing,
    text,
    sha256: createHash('sha256').update(text, 'utf8').digest('hex'),
    generatedAt: own.trust.asOf,
  };
}

function statusOf(source: PackDocument['source'], isMissing: boolean): PackDocument['status'] {
  if (source !== 'generated') return source;
  return isMissing ? 'missing_evidence' : 'ready';
}

/** Every document of a pack. */
export function documentsOf(ctx: AuthorizedCtx, pack: ProcurementPack): Promise<PackDocument[]> {
  const types = documentsIn(pack.packType as PackType);
  return Promise.all(types.map(({ code }) => documentOf(ctx, pack, code)));
}
