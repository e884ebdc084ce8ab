import type { Prisma, PromptCaseSet } from '../../generated/prisma/client.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { database } from '../../graph/database.js';
import { type Fault, fail, failOnFaults } from '../../kernel/errors/fail.js';
import { type GivenValues, inputFaults, inputValues } from '../../kernel/fields/faults.js';
import { openedContent, type SealedContent, sealedContent } from '../../kernel/fields/sealed.js';
import { newId } from '../../kernel/ids.js';
import { isErased } from '../../platform/database/sealed-columns.js';
import { change } from '../../records/change.js';
import { lockOwn, requireOwn } from '../../records/own.js';
import { caseSetFaults, caseSetHash } from './case-set.rules.js';
import { CASE_SET_INPUT, type PromptCase } from './tables.js';
import { EVALUATION_BOUNDS } from './vocabulary.js';

const KEPT = { cases: CASE_SET_INPUT.fields.cases } as const;

/**
 * Stores the next version of the cases of a package. It never changes, and the gate judges by it
 * from now on.
 * @throws invalid_request with every fault, not_found
 */
export async function createCaseSet(
  ctx: AuthorizedCtx,
  promptId: string,
  input: GivenValues,
): Promise<PromptCaseSet> {
  // Objects that stand in a GraphQL document have no prototype; their copies are plain.
  const content = structuredClone(inputValues(CASE_SET_INPUT.fields, input));
  failOnFaults(inputFaults(CASE_SET_INPUT.fields, content, 'input'));
  failOnFaults(caseSetFaults(content));
  const name = { action: 'promptCaseSetCreate', subject: 'PromptCaseSet' };
  return change(ctx, name, async (tx) => {
    const { tenantId } = await lockOwn(ctx, tx, 'Prompt', promptId, { param: 'promptId' });
    const where = { promptId, tenantId };
    const last = await tx.promptCaseSet.aggregate({ where, _max: { version: true } });
    const version = (last._max.version ?? 0) + 1;
    const max = EVALUATION_BOUNDS.caseSets;
    const message = `A package has at most ${max} case sets.`;
    const tooMany: Fault = { path: 'promptId', code: 'out_of_range', message };
    failOnFaults(version > max ? [tooMany] : []);
    const hash = caseSetHash(content);
    const row = await tx.promptCaseSet.create({
      data: {
        id: newId('PromptCaseSet'),
        tenantId,
        promptId,
        version,
        description: content.description,
        passShareMin: content.passShareMin,
        significance: content.significance,
        cases: sealedContent(KEPT, content).cases as unknown as Prisma.InputJsonArray,
        caseCount: content.cases.length,
        contentHash: new Uint8Array(hash),
        createdBy: ctx.who.id,
      },
    });
    return { result: row, id: row.id, after: { version, sha256: hash.toString('hex') } };
  });
}

/** The cases of a stored set; null where they were erased with personal data. */
export function casesOf(
  row: Pick<PromptCaseSet, 'cases' | 'casesSealed'>,
): readonly PromptCase[] | null {
  if (isErased(row, 'cases')) return null;
  return openedContent(KEPT, { cases: row.cases } as SealedContent).cases;
}

/**
 * A case set of a package: the one of this number, else the latest.
 * @throws not_found, prompt_without_cases
 */
export async function requireCaseSet(
  ctx: AuthorizedCtx,
  promptId: string,
  version: number | null | undefined,
): Promise<PromptCaseSet> {
  const row = await database(ctx).promptCaseSet.findFirst({
    where: { promptId, ...(version == null ? {} : { version }) },
    orderBy: { version: 'desc' },
  });
  if (row) return row;
  if (version == null) return fail('prompt_without_cases', { values: { id: promptId } });
  const values = { subject: 'prompt case set', id: version };
  return fail('not_found', { values, param: 'version' });
}

/**
 * A case set of a package by its number.
 * @throws not_found
 */
export async function readCaseSet(
  ctx: AuthorizedCtx,
  promptId: string,
  version: number,
): Promise<PromptCaseSet> {
  await requireOwn(ctx, 'Prompt', promptId, { param: 'promptId' });
  return requireCaseSet(ctx, promptId, version);
}

/**
 * A page of the case sets of a package, newest first.
 * @throws not_found
 */
export async function caseSetsOf(
  ctx: AuthorizedCtx,
  promptId: string,
  query: Prisma.PromptCaseSetFindManyArgs,
): Promise<PromptCaseSet[]> {
  await requireOwn(ctx, 'Prompt', promptId, { param: 'promptId' });
  const orderBy = { version: 'desc' } as const;
  return database(ctx).promptCaseSet.findMany({ ...query, where: { promptId }, orderBy });
}
