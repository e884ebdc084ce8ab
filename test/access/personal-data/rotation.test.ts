import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requireLastStep, rewrap } from '../../../src/access/personal-data/rewrap.js';
import { linkPlace, linkToken } from '../../../src/delivery/cockpit/link.rules.js';
import { newId } from '../../../src/kernel/ids.js';
import { Keyring } from '../../../src/platform/keyring.js';
import { act, LOW, receiptOf } from '../../actions/integrations/calls.js';
import { type Receiver, startReceiver } from '../../actions/tools/receiver.js';
import { DESK, execute, register } from '../../actions/tools/world.js';
import { published } from '../../assurance/transparency/samples.js';
import { newMember, outcome } from '../../journeys/people.js';
import { type Customer, newCustomer, rest, startApp, type TestApp } from '../../support/app.js';
import { issue } from '../abuse/samples.js';
import { newFactor } from '../credentials/authenticator.js';
import { logIn, me } from '../credentials/nodes.js';

const [OLD, NEW] = ['the old secret of the tests, long', 'the new secret of the tests, long'];

let receiver: Receiver;
let before: TestApp;
let after: TestApp;

beforeAll(async () => {
  receiver = await startReceiver();
  const allowed = { GW_WEBHOOK_ALLOW: '127.0.0.1' };
  before = await startApp({ ...allowed, GW_SECRET: OLD, GW_SECRET_NEXT: NEW });
  after = await startApp(changed({ GW_SECRET: NEW, GW_SECRET_PREVIOUS: OLD, GW_SECRET_NEXT: '' }));
});

afterAll(async () => {
  await after?.stop();
  await before?.stop();
  await receiver?.close();
});

function changed(settings: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...before.environment, ...settings };
}

/** Everything that a customer holds which follows from the secret, made on one node. */
interface Held {
  readonly customer: Customer;
  readonly email: string;
  readonly recoveryCodes: readonly string[];
  readonly actionId: string;
  readonly signingSecret: string;
  readonly link: string;
  /** An ephemeral token, as a broker is shown it. */
  readonly ephemeral: string;
  /** A checkpoint of the published log, and where it is public. */
  readonly note: { readonly path: string; readonly text: string };
}

async function makeAt(node: TestApp): Promise<Held> {
  const customer = await newCustomer(node, 10);
  const { email, token } = await newMember(node, customer.token, 'viewer');
  const { recoveryCodes } = await newFactor(node, token);
  const { id: actionId } = await act(node, customer.token, LOW);
  const contract = { ...DESK, endpoint_url: receiver.url };
  const { signing_secret: signingSecret } = (await register(node, customer, contract)).body;
  const place = { tenantId: customer.tenantId, runId: newId('MigrationCheckRun'), version: 1 };
  const link = linkToken(node.server.services.keyring, place);
  const { name } = await published(node, customer);
  const path = `/v1/gw/transparency/logs/${name}/checkpoint`;
  const note = { path, text: (await rest<string>(node, 'GET', path)).body };
  const ephemeral = (await issue(node, customer.token)).body.token;
  const held = { customer, email, recoveryCodes, actionId, link, note, ephemeral };
  return { ...held, signingSecret: signingSecret ?? '' };
}

/** Uses all of it on a node. @param code which recovery code */
async function holdsAt(node: TestApp, held: Held, code: number): Promise<void> {
  const { customer, email, recoveryCodes, actionId, signingSecret, link, note } = held;
  expect(outcome(await me(node, customer.key))).toBe('200');
  expect(outcome(await me(node, customer.token))).toBe('200');
  const login = await logIn(node, email, { code: recoveryCodes[code] ?? '' });
  expect(outcome(login)).toBe('200');
  const { status, body } = await receiptOf(node, customer.token, actionId);
  expect([status, body]).toEqual([200, expect.objectContaining({ erased: false, sealed: true })]);
  const close = { tool_key: 'desk', verb: 'close', arguments: { id: `T-${code}` } };
  expect((await execute(node, customer.token, close)).body.status).toBe('executed');
  const last = receiver.received.at(-1);
  const headers = last?.headers as Record<string, string>;
  expect(new Webhook(signingSecret).verify(last?.text ?? '', headers)).toMatchObject({
    verb: 'close',
  });
  // A signature of a log is the same for ever, by whatever secret its key is sealed.
  expect((await rest(node, 'GET', note.path)).body).toBe(note.text);
  expect(linkPlace(node.server.services.keyring, link)?.tenantId).toBe(customer.tenantId);
  const broker = '/v1/gw/abuse/ephemeral-tokens/validate';
  const shown = { credential: customer.token, body: { token: held.ephemeral } };
  expect((await rest(node, 'POST', broker, shown)).body).toMatchObject({ valid: true });
}

describe('a secret that is replaced while nodes serve', () => {
  const held: Held[] = [];

  it('leaves what either node has made valid on both', async () => {
    held.push(await makeAt(before), await makeAt(after));
    for (const each of held) {
      await holdsAt(before, each, 0);
      await holdsAt(after, each, 1);
    }
  });

  it('is what no node with another secret alone can do without', async () => {
    const stranger = changed({
      GW_SECRET: 'a secret that nobody has ever had',
      GW_SECRET_NEXT: '',
    });
    await expect(startApp(stranger)).rejects.toThrow('the secret is not the one');
  });

  it('opens all by the new one alone, once all is sealed anew', async () => {
    const lines: string[] = [];
    const { platformPool, keyring } = after.server.services;
    const left = await rewrap(platformPool, keyring, (line) => lines.push(line));
    expect(left.sealed).toBe(0);
    expect(lines.at(-1)).toContain('GW_SECRET_PREVIOUS can be dropped');
    for (const each of held) await holdsAt(before, each, 2);
    const alone = await startApp(changed({ GW_SECRET: NEW, GW_SECRET_NEXT: '' }));
    try {
      for (const each of held) await holdsAt(alone, each, 3);
    } finally {
      await alone.stop();
    }
    const former = new Keyring({ secret: OLD });
    const { rows } = await before.owner.pool.query<{ id: string }>(
      `SELECT DISTINCT encode(wrapping_key_id, 'hex') AS id FROM tenant_data_key`,
    );
    expect(rows.map(({ id }) => id)).toEqual([keyring.id]);
    expect(former.id).not.toBe(keyring.id);
  });

  it('is not sealed back by a rewrap that has the settings of the first step', () => {
    expect(() => requireLastStep({ GW_SECRET_NEXT: NEW })).toThrow('the new one as GW_SECRET');
    expect(requireLastStep({ GW_SECRET_NEXT: '' })).toBeUndefined();
  });

  it('can be replaced again, and keys from before the first time still work', async () => {
    const third = 'the third secret of the tests, long';
    const node = await startApp(
      changed({ GW_SECRET: third, GW_SECRET_PREVIOUS: NEW, GW_SECRET_NEXT: '' }),
    );
    try {
      const { platformPool, keyring } = node.server.services;
      expect((await rewrap(platformPool, keyring, () => {})).sealed).toBe(0);
    } finally {
      await node.stop();
    }
    const alone = await startApp(changed({ GW_SECRET: third, GW_SECRET_NEXT: '' }));
    try {
      for (const each of held) await holdsAt(alone, each, 4);
    } finally {
      await alone.stop();
    }
  });
});
