import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { POINTS_PER_MINUTE } from '../../../src/graph/limits.js';
import { startApp, type TestApp } from '../../support/app.js';
import { type Belongings, newBelongings, unknownLike } from '../../support/belongings.js';
import { changedRows, rowsOfTenant } from '../../support/tenant-rows.js';
import { isIdType } from '../id-places.js';
import { type Asked, answerOf, comparable, parting } from './answers.js';
import { callsOfAllKinds, FOREIGN_CALLS, type ForeignCall, kindsOf } from './calls.js';
import { CREDENTIAL_KINDS, type CredentialKind, newCredential, type Shown } from './credentials.js';

let app: TestApp;
let foreign: Belongings;
let known: ReadonlySet<string>;
let calls = 0;

beforeAll(async () => {
  app = await startApp();
  foreign = await newBelongings(app);
  known = new Set(Object.values(foreign.ids));
  // What the node has seen of the keys that were used so far is written later by itself.
  await app.server.services.keySightings.write();
});
afterAll(async () => {
  await app?.stop();
  console.info(`${calls} requests, half with ids of another organization, half with unknown ones`);
});

const PATIENCE_MS = 300_000;
const AT_ONCE = 4;

/** Whoever asks so much would otherwise be refused for that. */
function refill({ id }: Shown): void {
  const { counters } = app.server.services;
  const key = `points:${id ?? 'address:127.0.0.1'}`;
  counters.adjust(key, POINTS_PER_MINUTE, POINTS_PER_MINUTE);
}

async function shownTo(shown: Shown, asked: Asked, ids: readonly string[]): Promise<string> {
  refill(shown);
  calls += 1;
  return comparable(await answerOf(app, shown, asked), ids, known);
}

/** What two answers differ in, to the other organization's ids and to unknown ones. */
function difference(name: string, answer: string, unknown: string): string[] {
  const isFault = answer.startsWith('5') || answer.includes('internal_error');
  return isFault || answer !== unknown ? [`${name}:${parting(answer, unknown)}`] : [];
}

/** Where a call tells an id of the other organization from an unknown one of the same kind. */
async function differences(
  shown: Shown,
  call: ForeignCall,
  asks: (question: string) => boolean,
): Promise<string[]> {
  const found: string[] = [];
  for (const kind of kindsOf(call, Object.keys(foreign.ids))) {
    if (!asks(`${call.name} of ${kind}`)) continue;
    const id = foreign.ids[kind] ?? '';
    const other = unknownLike(id);
    const unknown = await shownTo(shown, call.asked(other), [other]);
    const answer = await shownTo(shown, call.asked(id), [id]);
    found.push(...difference(`${call.name} of ${kind}`, answer, unknown));
  }
  return found;
}

/** The same for questions about things of all kinds at once. */
async function differencesOfAllKinds(shown: Shown): Promise<string[]> {
  const ids = Object.values(foreign.ids);
  const others = ids.map(unknownLike);
  const unknown = callsOfAllKinds(others);
  const found: string[] = [];
  for (const [at, asked] of callsOfAllKinds(ids).entries()) {
    const answer = await shownTo(shown, asked, ids);
    const other = unknown[at] ?? asked;
    found.push(...difference(`nodes (${at})`, answer, await shownTo(shown, other, others)));
  }
  return found;
}

/** True where a thing may be made under the name that is asked: others then find it by that. */
function mayMake({ isRead, place }: ForeignCall): boolean {
  return !isRead && !isIdType(place.type);
}

async function walk(
  shown: Shown,
  all: readonly ForeignCall[],
  asks: (question: string) => boolean,
): Promise<string[]> {
  const found = await differencesOfAllKinds(shown);
  const left = all.filter((call) => !mayMake(call)).reverse();
  const work = async () => {
    for (let call = left.pop(); call; call = left.pop()) {
      found.push(...(await differences(shown, call, asks)));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  for (const call of all.filter(mayMake)) found.push(...(await differences(shown, call, asks)));
  return found;
}

/** Which questions a kind of credential asks: all, or its share. */
function questionsOf(kind: CredentialKind): (question: string) => boolean {
  if (ASK_EVERYTHING.has(kind.name)) return () => true;
  const turn = CREDENTIAL_KINDS.indexOf(kind) % SHARES;
  return (question) => crc32(question) % SHARES === turn;
}

/** Those that may do most. */
const ASK_EVERYTHING = new Set([
  'a member as owner',
  'a key of type service',
  'an operator of the platform',
]);
/** The others share the questions out, so that each is asked by two or three more kinds. */
const SHARES = 6;

/** What an operator of the platform does for other organizations, by its root field. */
const BY_OFFICE = new Set([
  'balanceAdjust',
  'balanceCredit',
  'balanceRefund',
  'balanceReturn',
  'commercialTermsSet',
  'marketplaceListingMeasure',
  'marketplaceReportResolve',
  'publisherIdentityDecide',
  'publisherIdentityRevoke',
  'slaCreditIssue',
]);
/** What a badge says is for everybody who has its id, which is what it is for. */
const PUBLISHED = new Set(['badgeVerification', 'marketplaceListingReport']);

describe('an id of another organization is answered exactly as an unknown one', () => {
  it.each(CREDENTIAL_KINDS)(
    'to $name, in every operation or its share of them',
    async (kind) => {
      const shown = await newCredential(app, kind);
      const before = await rowsOfTenant(app, foreign.tenantId);
      const asked = FOREIGN_CALLS.filter(
        ({ field }) => !PUBLISHED.has(field) && !(kind.isOperator && BY_OFFICE.has(field)),
      );
      expect(await walk(shown, asked, questionsOf(kind))).toEqual([]);
      expect(changedRows(before, await rowsOfTenant(app, foreign.tenantId))).toEqual([]);
    },
    PATIENCE_MS,
  );
});

/** A field that first wants other arguments, and fields whose path tells the kind of the id. */
const CALLED_BY_ROWS = new Set([
  'contextPolicyEvaluate',
  'budgetExceptions',
  'promptEvaluations',
  'promptReceipts',
]);

describe('the comparison means something:', () => {
  it('whoever owns the things finds them by the same questions', async () => {
    const owner = { headers: { authorization: `Bearer ${foreign.token}` }, id: foreign.userId };
    const blind: string[] = [];
    const asked = FOREIGN_CALLS.filter(
      ({ isRead, isRequired, field }) => isRead && isRequired && !CALLED_BY_ROWS.has(field),
    );
    for (const call of asked) {
      if ((await differences(owner, call, () => true)).length === 0) blind.push(call.name);
    }
    expect(blind).toEqual([]);
    expect((await differencesOfAllKinds(owner)).length).toBeGreaterThan(0);
  });
});
