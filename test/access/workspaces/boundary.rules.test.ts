import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agreementOf, type Statement } from '../../../src/access/workspaces/boundary.rules.js';
import {
  type Belonging,
  type PastCalls,
  refusedOf,
} from '../../../src/access/workspaces/boundary-effect.rules.js';

const ids = fc.constantFrom('a', 'A', 'b', 'c');
const statements = fc.array(fc.record({ source: fc.string(), workspaceId: ids }), {
  maxLength: 6,
});

describe('statements of a workspace', () => {
  it('agree exactly where all name the same one, in capitals or not', () => {
    fc.assert(
      fc.property(statements, (stated: Statement[]) => {
        const names = new Set(stated.map(({ workspaceId }) => workspaceId.toLowerCase()));
        const { contradiction } = agreementOf(stated);
        expect(contradiction === undefined).toBe(names.size <= 1);
        if (!contradiction) return;
        const [one, other] = contradiction;
        expect(one.workspaceId.toLowerCase()).not.toBe(other.workspaceId.toLowerCase());
        expect([stated.includes(one), stated.includes(other)]).toEqual([true, true]);
      }),
    );
  });

  it('are undefined together where there are none', () => {
    expect(agreementOf([])).toEqual({ workspaceId: undefined });
  });
});

const at = new Date(0);
const calls = fc.record({
  keyId: fc.constantFrom('k1', 'k2'),
  userId: fc.constant(null),
  projectId: fc.constantFrom('p1', 'p2'),
  named: fc.option(ids),
  requests: fc.nat(100),
  firstAt: fc.constant(at),
  lastAt: fc.constant(at),
});
const place = fc.option(ids);

describe('a dry run of a boundary', () => {
  it('refuses no request twice, and without a setting only those that contradict', () => {
    fc.assert(
      fc.property(
        fc.array(calls, { maxLength: 8 }),
        place,
        place,
        fc.boolean(),
        (past: PastCalls[], ofKey, ofProject, isRequired) => {
          const belongingsOf = (each: PastCalls): Belonging[] => [
            { kind: 'key', id: each.keyId ?? '', name: 'key', workspaceId: ofKey },
            { kind: 'project', id: each.projectId, name: 'project', workspaceId: ofProject },
          ];
          const moved = { kind: 'key', id: 'k1', workspaceId: null } as const;
          const refused = refusedOf(past, belongingsOf, { isRequired, moved });
          const expected = past.flatMap((each) => {
            const said = [each.keyId === 'k1' ? null : ofKey, ofProject, each.named];
            const names = new Set(said.flatMap((name) => name?.toLowerCase() ?? []));
            if (names.size > 1) return ['workspace_boundary'];
            return names.size === 0 && isRequired ? ['workspace_required'] : [];
          });
          expect(refused.map(({ reason }) => reason)).toEqual(expected);
        },
      ),
    );
  });
});
