import { Secret, TOTP } from 'otpauth';
import { PASSWORD } from '../../journeys/people.js';
import { graphql, type TestApp } from '../../support/app.js';

const ENROLL = `mutation($password: String!) {
  authSecondFactorEnroll(password: $password) { secret uri }
}`;
const CONFIRM = `mutation($code: String!) {
  authSecondFactorConfirm(code: $code) { recoveryCodes endedSessions }
}`;

const PERIOD_MS = 30_000;

/** A code of a secret, so many steps from now. */
export function codeOf(secret: string, steps = 0): string {
  const timestamp = Date.now() + steps * PERIOD_MS;
  return TOTP.generate({ secret: Secret.fromBase32(secret), timestamp });
}

/** A second factor as its member has it. */
export interface Factor {
  readonly secret: string;
  readonly recoveryCodes: readonly string[];
  readonly endedSessions: number;
}

/** Makes the secret of a second factor. */
export async function enrol(app: Pick<TestApp, 'url'>, credential: string): Promise<string> {
  const { data } = await graphql<{ authSecondFactorEnroll: { secret: string } }>(
    app,
    ENROLL,
    { password: PASSWORD },
    credential,
  );
  return data.authSecondFactorEnroll.secret;
}

/** Turns a second factor on, by an old code of it, so that later ones are left. */
export async function newFactor(app: Pick<TestApp, 'url'>, credential: string): Promise<Factor> {
  const secret = await enrol(app, credential);
  const { data, errors } = await graphql<{
    authSecondFactorConfirm: Omit<Factor, 'secret'>;
  } | null>(app, CONFIRM, { code: codeOf(secret, -1) }, credential);
  if (!data) throw new Error(`not confirmed: ${JSON.stringify(errors)}`);
  return { secret, ...data.authSecondFactorConfirm };
}
