import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  DEPARTMENTS,
  ROUTE_MODES,
  WORKSPACE_ACTIONS,
} from '../../../src/access/workspaces/vocabulary.js';
import {
  blockedBecause,
  eventFaults,
  isApproved,
  statedUser,
} from '../../../src/access/workspaces/workspace.rules.js';
import {
  CAPABILITIES,
  LATENCY_TIERS,
  QUALITY_TIERS,
} from '../../../src/catalog/providers/vocabulary.js';

const POLICY = {
  departments: ['sales'],
  approvedRoutes: ['fast'],
  dataClasses: ['C0', 'C1'],
  actions: ['chat'],
};
const CHAT = { operation: 'chat', needs: [], department: undefined, dataClass: undefined };

describe('the policy of a workspace', () => {
  const cases = [
    [{}, undefined],
    [{ dataClass: 'C1', department: 'sales' }, undefined],
    [{ dataClass: 'C2' }, 'its data is of the class C2.'],
    [{ department: 'hr' }, 'the department hr is not enabled.'],
    [{ needs: ['streaming', 'json'] }, undefined],
    [{ needs: ['tools'] }, 'the action tools is not approved.'],
    [{ needs: ['vision'] }, 'the action images is not approved.'],
    [{ operation: 'embeddings' }, 'the action embeddings is not approved.'],
  ] as const;

  it.each(cases)('judges %j', (more, wanted) => {
    expect(blockedBecause(POLICY, { ...CHAT, ...more })).toBe(wanted);
  });

  it('lets nothing more through when something is taken out of it', () => {
    const request = fc.record({
      operation: fc.constantFrom('chat', 'embeddings'),
      needs: fc.subarray(['tools', 'vision', 'audio', 'streaming']),
      department: fc.option(fc.constantFrom(...DEPARTMENTS.codes), { nil: undefined }),
      dataClass: fc.constantFrom('C0', 'C1', 'C2', 'C3', 'C4'),
    });
    const policy = fc.record({
      departments: fc.subarray([...DEPARTMENTS.codes]),
      approvedRoutes: fc.subarray([...ROUTE_MODES.codes]),
      dataClasses: fc.subarray(['C0', 'C1', 'C2', 'C3', 'C4']),
      actions: fc.subarray([...WORKSPACE_ACTIONS.codes]),
    });
    const part = fc.constantFrom('departments', 'dataClasses', 'actions');
    fc.assert(
      fc.property(policy, request, part, (whole, asked, name) => {
        const narrower = { ...whole, [name]: whole[name].slice(1) };
        if (blockedBecause(whole, asked)) expect(blockedBecause(narrower, asked)).toBeDefined();
      }),
    );
  });
});

describe('an approved route', () => {
  it('speaks of tiers and capabilities that the catalogue has', () => {
    for (const { qualityTiers, latencyTiers, capability } of ROUTE_MODES.rows) {
      expect(qualityTiers.filter((each) => !QUALITY_TIERS.has(each))).toEqual([]);
      expect(latencyTiers.filter((each) => !LATENCY_TIERS.has(each))).toEqual([]);
      if (capability !== null) expect(CAPABILITIES.has(capability)).toBe(true);
    }
    const premium = QUALITY_TIERS.rows.filter(({ isPremium }) => isPremium).map(({ code }) => code);
    const inBalanced = ROUTE_MODES.find('balanced')?.qualityTiers as readonly string[];
    expect(premium.filter((each) => inBalanced.includes(each))).toEqual([]);
  });

  it('takes the models of its tiers, and every model that is not of chat', () => {
    const fast = { operation: 'chat', quality: 'good', latency: 'fast', capabilities: ['text'] };
    const slow = { ...fast, latency: 'slow' };
    const premium = { ...fast, quality: 'high' };
    const long = { ...premium, capabilities: ['text', 'long_context'] };
    const table = [fast, slow, premium, long].map((model) =>
      ROUTE_MODES.codes.filter((mode) => isApproved([mode], model)),
    );
    expect(table).toEqual([['fast', 'balanced'], ['balanced'], [], ['document']]);
    expect(isApproved([], { ...fast, operation: 'embeddings' })).toBe(true);
    expect(isApproved([], fast)).toBe(false);
  });
});

describe('who asks', () => {
  const nobody = { memberId: undefined, userId: undefined, department: undefined };

  it('is the member itself, or whom the request names', () => {
    expect(statedUser({ ...nobody, memberId: 'm' })).toMatchObject({ user: 'm', faults: [] });
    expect(statedUser({ ...nobody, userId: 'anna' })).toMatchObject({ user: 'anna', faults: [] });
    expect(statedUser(nobody)).toMatchObject({ user: undefined, department: undefined });
  });

  it('is no other than the member, and a text', () => {
    const paths = (more: object) =>
      statedUser({ ...nobody, ...more }).faults.map((each) => each.path);
    expect(paths({ memberId: 'm', userId: 'other' })).toEqual(['metadata.user_id']);
    for (const userId of [7, {}, '', ' anna', 'x'.repeat(129), 'a\0b', 'a\nb', '\ud83d']) {
      expect(paths({ userId })).toEqual(['metadata.user_id']);
    }
    expect(paths({ department: 5 })).toEqual(['metadata.department']);
  });

  it('is one however a client composes the letters of the name', () => {
    const [one, other] = ['Зоя Чайкина', 'Йорг'].map((each) =>
      [each.normalize('NFC'), each.normalize('NFD')].map(
        (userId) => statedUser({ ...nobody, userId }).user,
      ),
    );
    for (const pair of [one, other]) expect(new Set(pair).size).toBe(1);
  });
});

describe('an adoption event', () => {
  const nowMs = Date.parse('2026-11-24T12:00:00Z');
  const event = {
    event: 'first_request',
    promptPack: null,
    timeSavedMinutes: null,
    userId: 'anna',
    occurredAt: null,
  };
  const faults = (more: object, isMember = false) =>
    eventFaults({ ...event, ...more }, isMember, nowMs).map(({ path }) => path);

  it('has what its kind needs, and nothing else', () => {
    expect(faults({})).toEqual([]);
    expect(faults({ userId: null })).toEqual(['input.userId']);
    expect(faults({ userId: null }, true)).toEqual([]);
    expect(faults({ event: 'prompt_pack_used' })).toEqual(['input.promptPack']);
    expect(faults({ promptPack: 'x' })).toEqual(['input.promptPack']);
    expect(faults({ timeSavedMinutes: 5 })).toEqual(['input.timeSavedMinutes']);
    expect(faults({ event: 'task_completed', timeSavedMinutes: 5 })).toEqual([]);
    expect(faults({ occurredAt: new Date(nowMs + 3_600_000) })).toEqual(['input.occurredAt']);
    expect(faults({ occurredAt: new Date(nowMs - 401 * 86_400_000) })).toEqual([
      'input.occurredAt',
    ]);
  });
});
