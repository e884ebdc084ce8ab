import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ErrorBody, newMember, outcome } from '../../journeys/people.js';
import {
  type Answer,
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../../support/app.js';
import { report } from '../abuse/samples.js';
import { limited, type Made, update } from './limited.js';

let app: TestApp;
let other: TestApp;
let customer: Customer;
beforeAll(async () => {
  app = await startApp();
  other = await startApp({ ...app.environment, GW_NODE_ID: 'other' });
  customer = await newCustomer(app);
});
afterAll(async () => {
  await other?.stop();
  await app?.stop();
});

/** A key in the wrong hands, made by a member, with a key that it has made. */
interface Leak {
  readonly memberId: string;
  readonly key: Made;
  readonly child: Made;
}

async function newLeak(): Promise<Leak> {
  const { userId: memberId, token } = await newMember(app, customer.token, 'admin');
  const key = await limited(app, token);
  return { memberId, key, child: await limited(app, key.key) };
}

/** Most is asked of one node, the rest of the other. */
const nodeOf = (turn: number) => (turn % 4 === 3 ? other : app);

type Answered = Answer<ErrorBody & { key?: string }>;

/** What the holder of the key does again and again, on either node. */
const FLOODS: Readonly<Record<string, (leak: Leak, turn: number) => Promise<Answered>>> = {
  'rotates a key that it has made': ({ key, child }, turn) =>
    rest(nodeOf(turn), 'POST', `/api-keys/${child.id}/rotate`, {
      credential: key.key,
      body: { grace_seconds: 0 },
    }),
  'rotates itself': ({ key }, turn) =>
    rest(nodeOf(turn), 'POST', `/api-keys/${key.id}/rotate`, {
      credential: key.key,
      body: { grace_seconds: 3_600 },
    }),
  'makes keys': ({ key }, turn) =>
    rest(nodeOf(turn), 'POST', '/api-keys', {
      credential: key.key,
      body: { keyType: 'service', name: 'a further one' },
    }),
  'changes a key that it has made': ({ key, child }, turn) =>
    update(nodeOf(turn), key.key, child.id, {
      limits: { rpm: 1 + turn },
      ...(turn % 2 === 0 && { expires_at: new Date(Date.now() + 86_400_000).toISOString() }),
    }),
};

const REMOVE = 'mutation($id: ID!) { memberRemove(id: $id) { id } }';

/** What a member does about it, in one attempt each. */
const ENDINGS: Readonly<Record<string, (leak: Leak) => Promise<readonly string[]>>> = {
  'a revocation': async ({ key }) => [
    outcome(await rest(app, 'DELETE', `/api-keys/${key.id}`, { credential: customer.token })),
  ],
  'a removal of the member': async ({ memberId }) => {
    const { errors } = await graphql(app, REMOVE, { id: memberId }, customer.token);
    return [errors ? 'failed' : '200'];
  },
  'an incident': async ({ key }) => {
    const body = { type: 'key_leak', key_ref: key.id };
    const acts = async (actions: readonly string[]) =>
      outcome(await report(app, customer.token, { ...body, actions_taken: actions }));
    return [await acts(['throttle']), await acts(['revoke'])];
  },
};

const LOOPS = 4;

/**
 * A key has a bounded number of secrets, and a former one does not rotate it; the flood goes on all
 * the same.
 */
const REFUSED_MEANWHILE = ['409 key_secrets_full', '403 former_secret_refused'];

/**
 * Runs four loops of a flood until each is refused, and ends the key once they are under way.
 * @returns how the loops ended, what the ending was answered, and all keys that were given out
 */
async function flooded(flood: string, ending: string) {
  const leak = await newLeak();
  const given: string[] = [leak.key.key, leak.child.key];
  let answered = 0;
  let begin = () => {};
  const isUnderWay = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const loop = async (at: number): Promise<string | undefined> => {
    for (let turn = at; ; turn += 1) {
      const answer = await FLOODS[flood]?.(leak, turn);
      if (answer?.body.key) given.push(answer.body.key);
      answered += 1;
      const seen = answer && outcome(answer);
      const goesOn = seen === '200' || REFUSED_MEANWHILE.includes(seen ?? '');
      if (!goesOn || answered === LOOPS * 2) begin();
      if (!goesOn) return seen;
    }
  };
  const loops = Promise.all(Array.from({ length: LOOPS }, (_, at) => loop(at)));
  await isUnderWay;
  const ended = await ENDINGS[ending]?.(leak);
  return { given, seen: { ending, ended, loops: await loops } };
}

/** What is answered to everybody who holds one of the keys, by either node. */
async function answersOf(keys: readonly string[]): Promise<readonly string[]> {
  const asked = keys.map(async (credential, turn) =>
    outcome(await rest<ErrorBody>(nodeOf(turn), 'GET', '/api-keys', { credential })),
  );
  return [...new Set(await Promise.all(asked))];
}

describe('a leaked key', () => {
  it.each(Object.keys(FLOODS))(
    'that $0 four times at once ends at the first attempt',
    async (flood) => {
      const all = await Promise.all(Object.keys(ENDINGS).map((ending) => flooded(flood, ending)));
      const loops = Array(LOOPS).fill('401 api_key_revoked');
      expect(all.map(({ seen }) => seen)).toEqual([
        { ending: 'a revocation', ended: ['200'], loops },
        { ending: 'a removal of the member', ended: ['200'], loops },
        { ending: 'an incident', ended: ['200', '200'], loops },
      ]);
      expect(await answersOf(all.flatMap(({ given }) => given))).toEqual(['401 api_key_revoked']);
    },
  );
});
