import { ROLES, type Role } from '../../graph/permissions.js';
import type { Fault } from '../../kernel/errors/fail.js';
import { count, length } from '../../kernel/errors/faults.js';

/** Shortest and longest password, in characters; length is what protects (NIST SP 800-63B). */
const PASSWORD_LENGTH = { min: 10, max: 256 };

const NAME_LENGTH_MAX = 200;

/** Every fault of a new password. */
export function passwordFaults(password: string, path = 'password'): Fault[] {
  return count(path, password.split(''), PASSWORD_LENGTH, 'characters');
}

/** Every fault of a name that people read. */
export function nameFaults(path: string, name: string): Fault[] {
  return length(path, name, { min: 1, max: NAME_LENGTH_MAX });
}

/** The roles that a member of a role may give to others: nobody gives more than they have. */
export function grantableRoles(role: string): readonly Role[] {
  if (role === 'owner') return ROLES.codes;
  if (role === 'admin') return ROLES.codes.filter((code) => code !== 'owner');
  return [];
}
