import { z } from 'zod';
import { ROLES, type Role } from '../../graph/permissions.js';
import type { Fault } from '../../kernel/errors/fail.js';

/** Shortest and longest password, in characters; length is what protects (NIST SP 800-63B). */
const PASSWORD_LENGTH_MIN = 10;
const PASSWORD_LENGTH_MAX = 256;

const EMAIL = z.email();
const NAME_LENGTH_MAX = 200;

/** The form in which e-mails are stored and compared. */
export function normalEmail(email: string): string {
  return email.trim().toLowerCase();
}

/** Every fault of an e-mail. */
export function emailFaults(email: string): Fault[] {
  const valid = email.length <= 254 && EMAIL.safeParse(normalEmail(email)).success;
  return valid
    ? []
    : [{ path: 'email', code: 'invalid', message: 'email must be an e-mail address.' }];
}

/** Every fault of a new password. */
export function passwordFaults(password: string): Fault[] {
  const fits = password.length >= PASSWORD_LENGTH_MIN && password.length <= PASSWORD_LENGTH_MAX;
  const message = `password must have ${PASSWORD_LENGTH_MIN} to ${PASSWORD_LENGTH_MAX} characters.`;
  return fits ? [] : [{ path: 'password', code: 'out_of_range', message }];
}

/** Every fault of a name that people read. */
export function nameFaults(path: string, name: string): Fault[] {
  const fits = name.trim().length > 0 && name.length <= NAME_LENGTH_MAX;
  const message = `${path} must have 1 to ${NAME_LENGTH_MAX} characters.`;
  return fits ? [] : [{ path, code: 'out_of_range', message }];
}

/** The roles that a member of a role may give to others: nobody gives more than they have. */
export function grantableRoles(role: string): readonly Role[] {
  const codes = ROLES.map(({ code }) => code);
  if (role === 'owner') return codes;
  if (role === 'admin') return codes.filter((code) => code !== 'owner');
  return [];
}
