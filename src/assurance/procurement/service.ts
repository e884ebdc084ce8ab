import type { ProcurementPack } from '../../generated/prisma/client.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { isInn } from '../../inference/firewall/checksums.js';
import { sharedNow } from '../../kernel/clock.js';
import { type Fault, fail, failOnFaults } from '../../kernel/errors/fail.js';
import { fits } from '../../kernel/errors/faults.js';
import { type GivenValues, inputFaults, inputValues } from '../../kernel/fields/faults.js';
import type { SealedContent } from '../../kernel/fields/sealed.js';
import { newId } from '../../kernel/ids.js';
import { next } from '../../kernel/lifecycle.js';
import { moscowDay } from '../../kernel/time.js';
import { change } from '../../records/change.js';
import { lockOwn, requireOwn } from '../../records/own.js';
import { pdfOf } from '../printed/pdf.js';
import { controlsOf } from '../trust/controls.rules.js';
import { answersFrom } from '../trust/questionnaire.rules.js';
import { ownFacts } from './facts.js';
import {
  declaredOf,
  documentOf,
  documentsIn,
  documentsOf,
  edoOf,
  keptAnswers,
  keptEdo,
  questionsOf,
} from './pack.js';
import { printedPack } from './print.rules.js';
import { answerFaults, answersWith, completionScore } from './questionnaire.rules.js';
import { readinessOf } from './readiness.rules.js';
import {
  EDO_INPUT,
  type Edo,
  type EdoStated,
  FILL_INPUT,
  PACK_INPUT,
  type PackDocument,
  STATUS_INPUT,
} from './tables.js';
import {
  ANSWERS_MAX,
  DOCUMENT_TYPES,
  type DocumentType,
  EDO_DOCUMENTS,
  EDO_LIFECYCLE,
  PACK_LIFECYCLE,
  PACK_STATUSES,
  type PackType,
} from './vocabulary.js';

const NOT_SENT: Edo = {
  provider: null,
  contract: 'not_sent',
  invoice: 'not_sent',
  act: 'not_sent',
  upd: 'not_sent',
};

function innFaults(inn: string | null): Fault[] {
  const isFit = inn === null || (/^\d{10}(\d\d)?$/.test(inn) && isInn(inn));
  return fits('input.inn', isFit, 'must be an INN of 10 or 12 digits with its checksum');
}

/**
 * Assembles a pack of the organization.
 * @throws invalid_request with every fault
 */
export async function assemblePack(
  ctx: AuthorizedCtx,
  given: GivenValues,
): Promise<ProcurementPack> {
  const asked = inputValues(PACK_INPUT.fields, given);
  failOnFaults([...inputFaults(PACK_INPUT.fields, asked, 'input'), ...innFaults(asked.inn)]);
  const data = {
    id: newId('ProcurementPack'),
    tenantId: ctx.who.tenantId,
    ...asked,
    status: 'ready',
    answers: keptAnswers([]),
    edo: keptEdo(NOT_SENT),
    createdBy: ctx.who.id,
  };
  const name = { action: 'procurementPackAssemble', subject: 'ProcurementPack' };
  return change(ctx, name, async (tx) => {
    const result = await tx.procurementPack.create({ data });
    return { result, id: result.id, after: snapshot(result) };
  });
}

/** What of a pack its audit events are about. */
function snapshot(pack: ProcurementPack): SealedContent {
  return {
    pack_type: pack.packType,
    legal_name: pack.legalName,
    inn: pack.inn,
    status: pack.status,
    status_note: pack.statusNote,
    answers: pack.answers as SealedContent,
    edo: pack.edo as SealedContent,
  };
}

type Changed = Partial<Pick<ProcurementPack, 'status' | 'statusNote'>> & {
  readonly answers?: ReturnType<typeof keptAnswers>;
  readonly edo?: ReturnType<typeof keptEdo>;
};

/** Changes a pack under its lock; undefined leaves it as it is, without an event. */
function changePack(
  ctx: AuthorizedCtx,
  action: string,
  id: string,
  decide: (pack: ProcurementPack) => Changed | undefined,
): Promise<ProcurementPack> {
  return change(ctx, { action, subject: 'ProcurementPack' }, async (tx) => {
    const before = await lockOwn(ctx, tx, 'ProcurementPack', id);
    const changed = decide(before);
    if (!changed) return { result: before };
    const data = { ...changed, updatedAt: sharedNow() };
    const result = await tx.procurementPack.update({ where: { id: before.id }, data });
    return { result, id: result.id, before: snapshot(before), after: snapshot(result) };
  });
}

/**
 * Moves a pack to a status that may follow its own.
 * @throws not_found, invalid_request, lifecycle_refused which names what may follow
 */
export function setStatus(
  ctx: AuthorizedCtx,
  id: string,
  given: GivenValues,
): Promise<ProcurementPack> {
  const { status, note } = inputValues(STATUS_INPUT.fields, given);
  failOnFaults(inputFaults(STATUS_INPUT.fields, { status, note }, 'input'));
  return changePack(ctx, 'procurementPackStatusSet', id, (pack) => {
    const now = PACK_STATUSES.parse(pack.status);
    if (now === status) return undefined;
    return { status: next(PACK_LIFECYCLE, now, status), statusNote: note };
  });
}

/**
 * Answers open questions of a pack; what the gateway answers itself stays as it is.
 * @throws not_found, invalid_request with every fault
 */
export async function fillQuestionnaire(ctx: AuthorizedCtx, id: string, given: GivenValues) {
  const { answers } = inputValues(FILL_INPUT.fields, given);
  const own = answersFrom(controlsOf((await ownFacts(ctx)).trust));
  const faults = inputFaults(FILL_INPUT.fields, { answers }, 'input');
  // Beyond their limit answers are not looked at one by one.
  failOnFaults(answers.length > ANSWERS_MAX ? faults : [...faults, ...answerFaults(answers, own)]);
  const pack = await changePack(ctx, 'procurementQuestionnaireFill', id, (before) => {
    if (answers.length === 0) return undefined;
    return { answers: keptAnswers(answersWith(declaredOf(before), answers, own)) };
  });
  return questionnaireOf(ctx, pack);
}

async function questionnaireOf(ctx: AuthorizedCtx, pack: ProcurementPack) {
  const questions = await questionsOf(ctx, pack);
  const open = questions.filter(({ answer }) => answer === null).map(({ code }) => code);
  const score = completionScore(questions);
  return { packId: pack.id, completionScore: score, questions, missingEvidence: open };
}

/** The questionnaire of a pack. @throws not_found */
export async function readQuestionnaire(ctx: AuthorizedCtx, id: string) {
  return questionnaireOf(ctx, await requireOwn(ctx, 'ProcurementPack', id));
}

/**
 * Records what has happened in the exchange of documents.
 * @throws capability_roadmap where the gateway is asked to send by itself, not_found,
 * lifecycle_refused which names what may follow
 */
export async function trackEdo(
  ctx: AuthorizedCtx,
  id: string,
  given: GivenValues,
): Promise<ProcurementPack> {
  const stated = inputValues(EDO_INPUT.fields, given);
  failOnFaults(inputFaults(EDO_INPUT.fields, stated, 'input'));
  if (stated.push) {
    const capability = 'Sending documents to an operator of electronic exchange';
    fail('capability_roadmap', { values: { capability }, param: 'input.push' });
  }
  return changePack(ctx, 'procurementEdoTrack', id, (pack) => {
    const before = edoOf(pack);
    const after = edoAfter(before, stated);
    const isSame = Object.keys(after).every((name) => same(before, after, name as keyof Edo));
    return isSame ? undefined : { edo: keptEdo(after) };
  });
}

function same(one: Edo, other: Edo, name: keyof Edo): boolean {
  return one[name] === other[name];
}

function edoAfter(before: Edo, stated: EdoStated): Edo {
  const moved = EDO_DOCUMENTS.map((name) => {
    const [from, to] = [before[name], stated[name] ?? before[name]];
    return [name, from === to ? from : next(EDO_LIFECYCLE, from, to)];
  });
  return { provider: stated.provider ?? before.provider, ...Object.fromEntries(moved) };
}

/**
 * A document of a pack with its text.
 * @throws not_found, also for a document that packs of this type lack; capability_roadmap
 */
export async function readDocument(
  ctx: AuthorizedCtx,
  id: string,
  docType: DocumentType,
): Promise<PackDocument> {
  const pack = await requireOwn(ctx, 'ProcurementPack', id);
  const row = documentsIn(pack.packType as PackType).find(({ code }) => code === docType);
  if (!row) {
    const subject = `document of a ${pack.packType} pack`;
    return fail('not_found', { values: { subject, id: docType }, param: 'docType' });
  }
  if (row.source === 'roadmap') {
    const capability = `The document ${DOCUMENT_TYPES.find(docType)?.title ?? docType}`;
    fail('capability_roadmap', { values: { capability }, param: 'docType' });
  }
  return documentOf(ctx, pack, docType);
}

/** How far a pack is, and what stands against it. @throws not_found */
export async function readReceipt(ctx: AuthorizedCtx, id: string) {
  const pack = await requireOwn(ctx, 'ProcurementPack', id);
  return receiptOf(ctx, pack, await documentsOf(ctx, pack));
}

async function receiptOf(
  ctx: AuthorizedCtx,
  pack: ProcurementPack,
  documents: readonly PackDocument[],
) {
  const { completionScore: score, missingEvidence } = await questionnaireOf(ctx, pack);
  const { trust } = await ownFacts(ctx);
  const { id: packId, statusNote, legalName, inn } = pack;
  const readiness = readinessOf({
    packId,
    status: PACK_STATUSES.parse(pack.status),
    statusNote,
    legalName,
    inn,
    edo: edoOf(pack),
    completionScore: score,
    openQuestions: missingEvidence,
    documents,
  });
  return { ...readiness, asOf: trust.asOf };
}

/** A pack with all that belongs to it as one PDF, in Base64. @throws not_found */
export async function printPack(ctx: AuthorizedCtx, id: string): Promise<string> {
  const pack = await requireOwn(ctx, 'ProcurementPack', id);
  const documents = await documentsOf(ctx, pack);
  const { questions } = await questionnaireOf(ctx, pack);
  const receipt = await receiptOf(ctx, pack, documents);
  const day = moscowDay(receipt.asOf.getTime());
  const { organization, trust } = await ownFacts(ctx);
  const from = { operator: trust.operator, organization, day };
  const printed = printedPack({ ...pack, edo: edoOf(pack) }, from, {
    documents,
    questions,
    receipt,
  });
  ctx.transport.headers['content-disposition'] = `inline; filename="procurement-${day}.pdf"`;
  return (await pdfOf(printed)).toString('base64');
}
