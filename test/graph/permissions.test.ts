import { describe, expect, it } from 'vitest';
import {
  addPermission,
  EVERYONE,
  KEY_TYPES,
  PERMISSIONS,
  type Permission,
  permissionsOf,
  permissionsOfKey,
  ROLES,
} from '../../src/graph/permissions.js';

/**
 * Who carries what. Columns: owner, admin, security, finance, developer, viewer, and the key types
 * standard, agent, service. A change of a right changes this table.
 */
const MATRIX = `
abuse.read           ✓ ✓ ✓ ✓ ✓ ✓ ✓ · ✓
abuse.write          ✓ ✓ ✓ · ✓ · ✓ · ✓
adaptive_routing.read ✓ ✓ ✓ ✓ ✓ ✓ ✓ · ✓
adaptive_routing.switch ✓ ✓ ✓ · · · · · ✓
adaptive_routing.write ✓ ✓ · · ✓ · ✓ · ✓
aliases.read         ✓ ✓ ✓ ✓ ✓ ✓ ✓ · ✓
aliases.write        ✓ ✓ ✓ · ✓ · ✓ · ✓
anomalies.read       ✓ ✓ ✓ ✓ ✓ ✓ ✓ · ✓
approvals.decide     ✓ ✓ ✓ · · · · · ·
approvals.read       ✓ ✓ ✓ ✓ ✓ ✓ ✓ · ✓
audit.read           ✓ ✓ ✓ ✓ ✓ · ✓ · ✓
balance.read         ✓ ✓ ✓ ✓ ✓ ✓ ✓ · ✓
billing.read         ✓ ✓ ✓ ✓ ✓ ✓ ✓ · ✓
billing.seal         ✓ ✓ · ✓ · · ✓ · ✓
billing.top_up       ✓ ✓ · ✓ ✓ · ✓ · ✓
blueprints.read      ✓ ✓ ✓ ✓ ✓ ✓ ✓ · ✓
blueprints.run       ✓ ✓ · · ✓ · ✓ · ✓
budgets.request      ✓ ✓ ✓ ✓ ✓ · ✓ ✓ ✓
certification.read   ✓ ✓ ✓ ✓ ✓ ✓ ✓ · ✓
certification.review ✓ ✓ ✓ · · · · · ·
certification.write  ✓ ✓ ✓ · ✓ · ✓ · ✓
commercial.read      ✓ ✓ ✓ ✓ ✓ ✓ ✓ · ✓
commercial.write     ✓ ✓ · ✓ · · ✓ · ✓
credentials.own      ✓ ✓ ✓ ✓ ✓ ✓ · · ·
finops.read          ✓ ✓ ✓ ✓ ✓ ✓ ✓ · ✓
finops.write         ✓ ✓ ✓ ✓ · · ✓ · ✓
inference.run        ✓ ✓ ✓ · ✓ · ✓ ✓ ✓
integrations.read    ✓ ✓ ✓ ✓ ✓ ✓ ✓ ✓ ✓
integrations.run     ✓ ✓ · · ✓ · ✓ ✓ ✓
keys.limit           ✓ ✓ ✓ · ✓ · · · ✓
keys.read            ✓ ✓ ✓ ✓ ✓ ✓ ✓ · ✓
keys.write           ✓ ✓ ✓ · ✓ · · · ✓
members.read         ✓ ✓ ✓ ✓ ✓ ✓ ✓ · ✓
members.write        ✓ ✓ · · · · · · ·
migration.read       ✓ ✓ ✓ ✓ ✓ ✓ ✓ · ✓
migration.write      ✓ ✓ ✓ · ✓ · ✓ · ✓
models.read          ✓ ✓ ✓ ✓ ✓ ✓ ✓ ✓ ✓
onboarding.read      ✓ ✓ ✓ ✓ ✓ ✓ ✓ · ✓
onboarding.write     ✓ ✓ ✓ · ✓ · ✓ · ✓
organization.write   ✓ ✓ · · · · · · ·
partner.read         ✓ ✓ · ✓ · · ✓ · ✓
partner.write        ✓ ✓ · ✓ · · ✓ · ✓
personal_data.erase  ✓ · · · · · · · ·
policies.read        ✓ ✓ ✓ ✓ ✓ ✓ ✓ · ✓
policies.write       ✓ ✓ ✓ · · · ✓ · ✓
pricing.read         ✓ ✓ ✓ ✓ ✓ ✓ ✓ · ✓
pricing.write        ✓ ✓ · ✓ · · ✓ · ✓
procurement.read     ✓ ✓ ✓ ✓ ✓ ✓ ✓ · ✓
procurement.write    ✓ ✓ ✓ ✓ · · ✓ · ✓
profile.read         ✓ ✓ ✓ ✓ ✓ ✓ ✓ ✓ ✓
projects.write       ✓ ✓ · · · · ✓ · ✓
prompts.read         ✓ ✓ ✓ ✓ ✓ ✓ ✓ · ✓
prompts.try          ✓ ✓ · · ✓ · · · ✓
prompts.write        ✓ ✓ · · ✓ · ✓ · ✓
readiness.read       ✓ ✓ ✓ ✓ ✓ ✓ ✓ · ✓
receipts.read        ✓ ✓ ✓ ✓ ✓ ✓ ✓ · ✓
reports.read         ✓ ✓ ✓ ✓ ✓ ✓ ✓ · ✓
revenue.read         ✓ ✓ · ✓ · ✓ ✓ · ✓
revenue.record       ✓ ✓ · ✓ ✓ · ✓ ✓ ✓
revenue.write        ✓ ✓ · ✓ · · ✓ · ✓
routing.read         ✓ ✓ ✓ ✓ ✓ ✓ ✓ · ✓
routing.write        ✓ ✓ · · ✓ · ✓ · ✓
tools.read           ✓ ✓ ✓ ✓ ✓ ✓ ✓ ✓ ✓
tools.run            ✓ ✓ ✓ · ✓ · ✓ ✓ ✓
tools.write          ✓ ✓ ✓ · ✓ · ✓ · ✓
transparency.publish ✓ ✓ ✓ · · · ✓ · ✓
transparency.read    ✓ ✓ ✓ ✓ ✓ ✓ ✓ · ✓
unit_economics.read  ✓ ✓ ✓ ✓ ✓ ✓ ✓ · ✓
unit_economics.write ✓ ✓ · ✓ ✓ · ✓ · ✓
usage.read           ✓ ✓ ✓ ✓ ✓ ✓ ✓ · ✓
value.read           ✓ ✓ ✓ ✓ ✓ ✓ ✓ · ✓
value.record         ✓ ✓ · ✓ ✓ · ✓ ✓ ✓
webhooks.read        ✓ ✓ ✓ ✓ ✓ ✓ ✓ · ✓
webhooks.write       ✓ ✓ ✓ · ✓ · ✓ · ✓
workloads.read       ✓ ✓ ✓ ✓ ✓ ✓ ✓ · ✓
workloads.write      ✓ ✓ · · ✓ · ✓ · ✓
workspaces.read      ✓ ✓ ✓ ✓ ✓ ✓ ✓ · ✓
workspaces.record    ✓ ✓ ✓ · ✓ · ✓ ✓ ✓
workspaces.write     ✓ ✓ ✓ · · · ✓ · ✓
`;

const ALL = Object.keys(PERMISSIONS) as Permission[];
const roles = ROLES.codes;
const keyTypes = KEY_TYPES.codes;
const holdersOf = (permission: Permission) =>
  [...roles, ...keyTypes].filter((who) => permissionsOf(who).has(permission));

describe('the table of rights', () => {
  it('grants exactly what the matrix shows', () => {
    const mark = (permission: Permission, who: string) =>
      permissionsOf(who).has(permission) ? '✓' : '·';
    const lines = [...ALL].sort().map((permission) => {
      const marks = [...roles, ...keyTypes].map((who) => mark(permission, who));
      return `${permission.padEnd(20)} ${marks.join(' ')}`;
    });
    expect(`\n${lines.join('\n')}\n`).toBe(MATRIX);
  });

  it('names in each row everybody who carries it, in the order of its columns', () => {
    for (const permission of ALL) {
      const row = PERMISSIONS[permission];
      expect([permission, ...row.roles, ...row.keys]).toEqual([
        permission,
        ...holdersOf(permission),
      ]);
    }
    expect(EVERYONE).toEqual(roles);
  });

  it('refuses a row of a name that is there, and one that names a holder twice or wrongly', () => {
    const row = { description: 'Reads.', roles: ['owner'], keys: [] } as const;
    expect(() => addPermission('audit.read', row)).toThrow('audit.read is registered twice');
    const wrong: readonly (readonly string[])[] = [['owner', 'owner'], ['root']];
    for (const [number, who] of wrong.entries()) {
      const name = `sample${number}.read` as Permission;
      expect(() => addPermission(name, { ...row, roles: who as never })).toThrow(
        `${name} names ${who.at(-1)} twice or wrongly`,
      );
      expect(Object.keys(PERMISSIONS)).not.toContain(name);
      expect(permissionsOf('owner').has(name)).toBe(false);
    }
  });

  it('grants nothing to an unknown role', () => {
    for (const who of ['', 'root', 'Owner', 'constructor', '__proto__']) {
      expect([...permissionsOf(who)]).toEqual([]);
    }
  });

  it('describes every permission in a sentence', () => {
    for (const { description } of Object.values(PERMISSIONS))
      expect(description).toMatch(/^[A-Z].+\.$/);
  });
});

describe('keys', () => {
  it('never approve, review badges, invite, or change members', () => {
    for (const permission of [
      'approvals.decide',
      'certification.review',
      'members.write',
    ] as const) {
      expect(holdersOf(permission).filter((who) => keyTypes.includes(who as never))).toEqual([]);
    }
  });

  it('create and revoke keys only when they are service keys', () => {
    expect(holdersOf('keys.write')).toEqual(['owner', 'admin', 'security', 'developer', 'service']);
  });

  it('set the kill switch of a router only when they are service keys', () => {
    const holders = ['owner', 'admin', 'security', 'service'];
    expect(holdersOf('adaptive_routing.switch')).toEqual(holders);
  });

  it('of agents run inference, ask for actions, record results, and see what they may use', () => {
    expect([...permissionsOf('agent')].sort()).toEqual([
      'budgets.request',
      'inference.run',
      'integrations.read',
      'integrations.run',
      'models.read',
      'profile.read',
      'revenue.record',
      'tools.read',
      'tools.run',
      'value.record',
      'workspaces.record',
    ]);
  });

  it('carry no more than the role that bounds them', () => {
    for (const type of keyTypes) {
      for (const role of roles) {
        const both = [...permissionsOf(type)].filter((each) => permissionsOf(role).has(each));
        expect([...permissionsOfKey(type, role)]).toEqual(both);
      }
    }
  });

  it('of the types standard and service may do the rest', () => {
    const members = [
      'approvals.decide',
      'certification.review',
      'credentials.own',
      'members.write',
      'organization.write',
      'personal_data.erase',
    ];
    const rest = ALL.filter((permission) => !members.includes(permission));
    expect([...permissionsOf('service')].sort()).toEqual([...rest].sort());
    const ofServiceKeys = ['keys.limit', 'keys.write', 'adaptive_routing.switch', 'prompts.try'];
    expect([...permissionsOf('standard'), ...ofServiceKeys].sort()).toEqual([...rest].sort());
  });
});

describe('roles', () => {
  it('only owner, admin and security approve; only owner and admin change members', () => {
    expect(holdersOf('approvals.decide')).toEqual(['owner', 'admin', 'security']);
    expect(holdersOf('members.write')).toEqual(['owner', 'admin']);
  });

  it('a viewer changes nothing but the own login, calls nothing and reads no audit trail', () => {
    const rights = [...permissionsOf('viewer')];
    const others = rights.filter((permission) => !permission.endsWith('.read'));
    expect(others).toEqual(['credentials.own']);
    expect(rights).not.toContain('audit.read');
  });

  it('finance tops up, seals, prices, sells, records cost and asks for budget', () => {
    const rights = [...permissionsOf('finance')];
    expect(rights.filter((permission) => !permission.endsWith('.read'))).toEqual([
      'billing.top_up',
      'billing.seal',
      'credentials.own',
      'budgets.request',
      'pricing.write',
      'commercial.write',
      'unit_economics.write',
      'finops.write',
      'value.record',
      'partner.write',
      'revenue.record',
      'revenue.write',
      'procurement.write',
    ]);
  });
});
