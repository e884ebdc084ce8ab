import { describe, expect, it } from 'vitest';
import {
  GRANTS,
  KEY_TYPES,
  PERMISSIONS,
  type Permission,
  permissionsOf,
  ROLES,
} from '../../src/graph/permissions.js';

const ALL = Object.keys(PERMISSIONS) as Permission[];
const roles = ROLES.map(({ code }) => code);
const keyTypes = KEY_TYPES.map(({ code }) => code);
const holdersOf = (permission: Permission) =>
  [...roles, ...keyTypes].filter((who) => permissionsOf(who).has(permission));

describe('the table of rights', () => {
  it('has a row for every role and every type of key, and no other', () => {
    expect(Object.keys(GRANTS).sort()).toEqual([...roles, ...keyTypes].sort());
  });

  it('grants every permission to the owner, and to nobody what is no permission', () => {
    expect([...permissionsOf('owner')].sort()).toEqual([...ALL].sort());
    for (const who of [...roles, ...keyTypes]) {
      expect([...permissionsOf(who)].filter((permission) => !ALL.includes(permission))).toEqual([]);
    }
  });

  it('grants nothing to an unknown role', () => {
    for (const who of ['', 'root', 'Owner', 'constructor', '__proto__']) {
      expect([...permissionsOf(who)]).toEqual([]);
    }
  });

  it('describes every permission in a sentence', () => {
    for (const text of Object.values(PERMISSIONS)) expect(text).toMatch(/^[A-Z].+\.$/);
  });
});

describe('keys', () => {
  it('never approve, invite, or change members', () => {
    for (const permission of ['approvals.decide', 'members.write'] as const) {
      expect(holdersOf(permission).filter((who) => keyTypes.includes(who as never))).toEqual([]);
    }
  });

  it('create and revoke keys only when they are service keys', () => {
    expect(holdersOf('keys.write')).toEqual(['owner', 'admin', 'security', 'developer', 'service']);
  });

  it('of agents run inference and ask for actions, and see what they may use, nothing else', () => {
    expect([...permissionsOf('agent')].sort()).toEqual([
      'budgets.request',
      'inference.run',
      'integrations.read',
      'integrations.run',
      'models.read',
      'profile.read',
      'tools.read',
      'tools.run',
    ]);
  });

  it('of the types standard and service may do the rest', () => {
    const members = ['approvals.decide', 'members.write', 'organization.write'];
    const rest = ALL.filter((permission) => !members.includes(permission));
    expect([...permissionsOf('service')].sort()).toEqual([...rest].sort());
    expect([...permissionsOf('standard'), 'keys.write'].sort()).toEqual([...rest].sort());
  });
});

describe('roles', () => {
  it('only owner, admin and security approve; only owner and admin change members', () => {
    expect(holdersOf('approvals.decide')).toEqual(['owner', 'admin', 'security']);
    expect(holdersOf('members.write')).toEqual(['owner', 'admin']);
  });

  it('a viewer changes nothing, calls nothing and does not read the audit trail', () => {
    const rights = [...permissionsOf('viewer')];
    expect(rights.filter((permission) => !permission.endsWith('.read'))).toEqual([]);
    expect(rights).not.toContain('audit.read');
  });

  it('finance tops up and asks for budget, and changes neither keys nor policies', () => {
    const rights = [...permissionsOf('finance')];
    expect(rights.filter((permission) => !permission.endsWith('.read'))).toEqual([
      'billing.top_up',
      'budgets.request',
    ]);
  });
});
