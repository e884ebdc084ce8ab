import { printable } from './snippets.js';

/** A step on the way to the first answer. */
export interface AccountStep {
  readonly title: string;
  /** What is to be known of it; empty where the title says all. */
  readonly note: string;
  /** What a shell runs, with the address in `$GW`. */
  readonly command: string;
}

/** What has to be there before a first request: an organization, a key and funds. */
export const ACCOUNT_STEPS: readonly AccountStep[] = [
  {
    title: 'Register, or log in where you have.',
    note: 'The answer holds an access token.',
    command: `ACCOUNT='{
  "email": "owner@example.com",
  "password": "correct horse battery",
  "organization": "My company"
}'
enter() {
  curl -s "$GW/auth/$1" -H 'content-type: application/json' -d "$ACCOUNT" |
    sed -nE 's/.*"accessToken":"([^"]+)".*/\\1/p'
}
TOKEN=$(enter register)
TOKEN=\${TOKEN:-$(enter login)}`,
  },
  {
    title: 'Create a key.',
    note: 'Its value is shown this once.',
    command: `KEY=$(curl -s "$GW/api-keys" -H "authorization: Bearer $TOKEN" \\
  -H 'content-type: application/json' \\
  -d '{"keyType": "standard", "name": "first key"}' | sed -E 's/.*"key":"([^"]+)".*/\\1/')`,
  },
  {
    title: 'Top up by hand.',
    note: 'A production server answers 403 here unless its operator allows it.',
    command: `curl -s "$GW/billing/top-up/manual" -H "authorization: Bearer $KEY" \\
  -H 'content-type: application/json' -d '{"amount_rub": 500}'`,
  },
];

/** Tells a shell the address; in quotes, and nothing in it can be read as a command. */
export function addressLine(baseUrl: string): string {
  return `GW='${printable(baseUrl)}'`;
}
