import { describe, expect, it } from 'vitest';
import '../../../src/app/modules.js';
import { confined, KEPT_IN_WORKSPACES } from '../../../src/access/workspaces/confinement.rules.js';
import type { Principal, WorkspaceClaim } from '../../../src/graph/ctx.js';
import { PERMISSIONS, type Permission } from '../../../src/graph/permissions.js';

/** What callers of a workspace do without: it reads or changes what the organization shares. */
const WITHHELD_IN_WORKSPACES = [
  'abuse.read',
  'adaptive_routing.read',
  'adaptive_routing.switch',
  'adaptive_routing.write',
  'aliases.read',
  'aliases.write',
  'anomalies.read',
  'approvals.decide',
  'approvals.read',
  'audit.read',
  'billing.read',
  'billing.seal',
  'billing.top_up',
  'blueprints.read',
  'blueprints.run',
  'certification.read',
  'certification.review',
  'certification.write',
  'commercial.read',
  'commercial.write',
  'finops.read',
  'finops.write',
  'members.read',
  'migration.read',
  'migration.write',
  'onboarding.read',
  'onboarding.write',
  'organization.write',
  'partner.read',
  'partner.write',
  'personal_data.erase',
  'policies.read',
  'policies.write',
  'pricing.read',
  'pricing.write',
  'procurement.read',
  'procurement.write',
  'projects.write',
  'prompts.read',
  'prompts.write',
  'readiness.read',
  'receipts.read',
  'reports.read',
  'revenue.read',
  'revenue.record',
  'revenue.write',
  'routing.read',
  'routing.write',
  'tools.write',
  'transparency.publish',
  'transparency.read',
  'unit_economics.read',
  'unit_economics.write',
  'value.read',
  'value.record',
  'webhooks.read',
  'webhooks.write',
  'workloads.read',
  'workloads.write',
] as const satisfies readonly Permission[];

const ALL = Object.keys(PERMISSIONS);
const OPEN = '01939a3e-0c00-7049-8000-5e1f00000001';
const CLOSED = '01939a3e-0c00-7049-8000-5e1f00000002';

function claim(kind: WorkspaceClaim['kind'], workspaceId = OPEN): WorkspaceClaim {
  return { kind, id: 'k', name: 'agent', workspaceId };
}

function principal(more: Partial<Principal>): Principal {
  return {
    kind: 'api_key',
    id: 'k',
    tenantId: 't',
    projectId: 'p',
    accountId: 'a',
    role: 'service',
    boundRole: 'owner',
    permissions: new Set(ALL),
    slaClass: 'standard',
    platformAdmin: false,
    makers: [],
    ...more,
  };
}

describe('the lists of what callers of a workspace keep and do without', () => {
  it('hold every permission exactly once, in the order of the alphabet', () => {
    const stated = [...KEPT_IN_WORKSPACES, ...WITHHELD_IN_WORKSPACES];
    expect([...stated].sort()).toEqual([...ALL].sort());
    for (const each of [KEPT_IN_WORKSPACES, WITHHELD_IN_WORKSPACES]) {
      expect([...each].sort()).toEqual(each);
    }
  });
});

describe('a caller of a workspace', () => {
  it('keeps what is listed, and no permission that is in neither list', () => {
    const who = principal({
      workspaces: [claim('key')],
      permissions: new Set([...ALL, 'sample.read']),
    });
    const { permissions, confinement } = confined(who);
    expect([...permissions].sort()).toEqual([...KEPT_IN_WORKSPACES]);
    expect(confinement).toEqual({
      source: 'key agent',
      workspaceIds: [OPEN],
      withheld: new Set([...WITHHELD_IN_WORKSPACES, 'sample.read']),
    });
  });

  it('gets no permission that it did not have', () => {
    const permissions = new Set(['inference.run', 'audit.read']);
    const told = confined(principal({ workspaces: [claim('key')], permissions }));
    expect([...told.permissions]).toEqual(['inference.run']);
  });

  it('names every workspace where what says so disagrees', () => {
    const workspaces = [claim('key'), claim('project', CLOSED), claim('member')];
    const { confinement } = confined(principal({ workspaces }));
    expect(confinement?.workspaceIds).toEqual([OPEN, CLOSED]);
  });

  it('is who belongs to one: nobody else is changed, nor a member by the rule of a project', () => {
    const free = principal({});
    const member = principal({ kind: 'user', workspaces: [claim('project')] });
    for (const who of [free, member]) expect(confined(who)).toBe(who);
    const bound = principal({ kind: 'user', workspaces: [claim('member')] });
    expect(confined(bound).confinement?.source).toBe('member agent');
  });
});
