import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addIdKind, ID_KINDS, type IdKind, isUuid, kindOfId, newId } from '../../src/kernel/ids.js';

/** Every number that was ever given out. A line is added, never changed and never removed. */
const NUMBERS = {
  Tenant: 1,
  Project: 2,
  User: 3,
  Invite: 4,
  ApiKey: 5,
  Policy: 6,
  PolicyVersion: 7,
  Account: 8,
  Request: 9,
  Budget: 10,
  SealedReceipt: 11,
  ContractVersion: 12,
  JournalEntry: 13,
  Approval: 14,
  AuditEvent: 15,
  FeedEvent: 16,
  Session: 17,
  IdempotencyRecord: 18,
  BudgetException: 19,
  Prompt: 20,
  PromptVersion: 21,
  ContextPolicy: 22,
  ToolCall: 23,
  IntegrationPreview: 24,
  IntegrationAction: 25,
  BlueprintRun: 26,
  BlueprintDeployment: 27,
  ProviderMigration: 28,
  MigrationCheckRun: 29,
  BudgetAlert: 30,
  Anomaly: 31,
  SpendPause: 32,
  BudgetStep: 33,
  CostEvent: 40,
  ValueEvent: 45,
  WebhookEndpoint: 55,
  WebhookDelivery: 56,
  EphemeralToken: 70,
  AbuseIncident: 71,
  KeyAction: 72,
  Workspace: 73,
  AdoptionEvent: 74,
  MarketplaceListing: 80,
  Certification: 81,
  RevenueSignal: 82,
  ProcurementPack: 100,
  Onboarding: 120,
  AuthSession: 130,
  PasswordReset: 131,
  LogCheckpoint: 139,
  DataKey: 145,
  LogPublication: 158,
  IntegritySeal: 160,
  PublisherIdentity: 161,
  ListingReport: 162,
  PromptCaseSet: 164,
  PromptEvaluation: 165,
  PromptEvaluationResult: 166,
};

const KINDS = Object.keys(ID_KINDS) as IdKind[];
const V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('ids', () => {
  it('are uuids of version 7 that name their kind', () => {
    for (const kind of KINDS) {
      const id = newId(kind);
      expect(id).toMatch(V7);
      expect(kindOfId(id)).toBe(kind);
      expect(kindOfId(id.toUpperCase())).toBe(kind);
    }
  });

  it('have a number for each kind that stays the same for ever', () => {
    expect(Object.entries(ID_KINDS).sort(([, a], [, b]) => a - b)).toEqual(Object.entries(NUMBERS));
  });

  it('take no number or name that is taken, and none beyond twelve bits', () => {
    expect(() => addIdKind('Sample', 9)).toThrow('the id number 9 of Sample belongs to Request');
    expect(() => addIdKind('Request', 4_000)).toThrow('the id kind Request is registered twice');
    for (const number of [0, -1, 0x1000, 1.5, Number.NaN]) {
      expect(() => addIdKind('Sample', number)).toThrow(`${number} of Sample is not within 1 to`);
    }
    expect(Object.keys(ID_KINDS)).not.toContain('Sample');
  });

  it('begin with their time in milliseconds', () => {
    const nowMs = Date.now() + 3_600_000;
    expect(Number.parseInt(newId('User', nowMs).replaceAll('-', '').slice(0, 12), 16)).toBe(nowMs);
  });

  it('made within one millisecond are unique and ordered, 100,000 of one kind', () => {
    const nowMs = Date.now() + 7_200_000;
    const ids = Array.from({ length: 100_000 }, () => newId('Request', nowMs));
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.findIndex((id, index) => index > 0 && id <= (ids[index - 1] ?? ''))).toBe(-1);
  });

  it('stay in order when the clock runs backwards', () => {
    const nowMs = Date.now() + 10_800_000;
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -5_000, max: 5_000 }), { maxLength: 50 }), (steps) => {
        const ids = steps.map((step) => newId('Request', nowMs + step));
        expect(ids).toEqual([...ids].sort());
      }),
    );
  });

  it('that were not made here have no kind', () => {
    const foreign = [
      '0192f0c1-7a3b-4001-8000-3f2b9c4d5e6f',
      '0192f0c1-7a3b-7fff-8000-3f2b9c4d5e6f',
      '0192f0c1-7a3b-7000-8000-3f2b9c4d5e6f',
      '0192f0c17a3b70018003f2b9c4d5e6f0',
      'tenant',
      '',
    ];
    for (const id of foreign) expect([id, kindOfId(id)]).toEqual([id, undefined]);
  });

  it('are told from other text', () => {
    fc.assert(
      fc.property(fc.uuid(), (uuid) => {
        expect(isUuid(uuid)).toBe(true);
      }),
    );
    const wrong = ['', 'x', `${newId('User')}0`, ` ${newId('User')}`, `${newId('User')}\n`];
    for (const text of wrong) expect([text, isUuid(text)]).toEqual([text, false]);
  });
});
