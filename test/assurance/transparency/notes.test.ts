import { describe, expect, it } from 'vitest';
import { leafHash, rootOf, rootOfRow, subtreesOf } from '../../../src/kernel/merkle.rules.js';
import { readConfig } from '../../../src/platform/config.js';
import { verifiedNotes } from './verifying.js';
import { newLog, newWitness, nowSeconds, type TestWitness } from './witness.js';

const TENANT = '01a20583-84ae-7001-8000-75f5b2d09740';
const LEAVES = Array.from(
  { length: 31 },
  (_, index) => `{"kind":"ledger_entry","place":"${index}","tenant_id":"${TENANT}"}`,
);

function rootAt(size: number): string {
  const roots = subtreesOf({ begin: 0, end: size }).map(({ level, index }) => {
    const wide = 2 ** level;
    return rootOfRow(Buffer.concat(LEAVES.slice(index * wide, (index + 1) * wide).map(leafHash)));
  });
  return Buffer.from(rootOf(roots)).toString('hex');
}

const log = newLog();
const [one, two] = [newWitness('witness.example/one'), newWitness('witness.example/two')];
const body = log.bodyAt(31, rootAt(31));
const bare = log.noteOf(body);
const EXPORT = LEAVES.map((leaf) => `${leaf}\n`).join('');

/** Runs the verifier on a note, by the keys of its log and of these witnesses. */
function judged(
  note: string,
  { required = 0, witnesses = [] as readonly TestWitness[], key = log.key, text = EXPORT } = {},
) {
  const known = witnesses.map((witness) => `--witness=${witness.key}`);
  const flags = [`--log=${key}`, ...known, `--witnesses-required=${required}`];
  return verifiedNotes({ flags, notes: [note] }, { keys: [] }, text);
}

const BOTH = { required: 2, witnesses: [one, two] };
const sound = bare + one.cosign(body) + two.cosign(body);
const fault = (text: string) => ({ code: 1, text });

describe('the verifier of notes', () => {
  it('accepts a note of its log over the leaves, cosigned by as many as are required', async () => {
    const seen = `31 leaves, 1 checkpoints, 0 proofs, 2 cosignatures of ${TENANT}: 0 faults`;
    expect(await judged(sound, BOTH)).toEqual({ code: 0, text: seen });
    expect((await judged(bare)).code).toBe(0);
    // Whoever else has signed is ignored, as the standard says.
    const more = sound + newWitness('elsewhere').cosign(body);
    expect(await judged(more, BOTH)).toEqual({ code: 0, text: seen });
  });

  it('names who is missing, and counts no witness twice', async () => {
    const few = '1 of 2 witnesses that are required have cosigned 31 leaves';
    expect(await judged(bare + one.cosign(body), BOTH)).toEqual(fault(few));
    const twice = bare + one.cosign(body) + one.cosign(body, nowSeconds() - 9);
    expect(await judged(twice, BOTH)).toEqual(fault(few));
    const same = await judged(sound, { required: 2, witnesses: [one, one] });
    expect(same).toEqual(fault('--witnesses-required 2, but 1 keys by --witness'));
    const flags = [`--log=${log.key}`, `--witness=${one.key}`, '--witnesses-required=1'];
    const without = await verifiedNotes({ flags }, { keys: [] }, EXPORT);
    expect(without.text).toContain('witnesses are required, and no note is given');
  });

  it('names a cosignature that does not hold: of another text, key or time', async () => {
    const before = log.bodyAt(30, rootAt(30));
    const impostor = newWitness(one.name);
    const [, , theirs = ''] = impostor.cosign(body).trim().split(' ');
    const [, , own = ''] = one.cosign(body).trim().split(' ');
    const parts = [
      Buffer.from(own, 'base64').subarray(0, 4),
      Buffer.from(theirs, 'base64').subarray(4),
    ];
    const posed = `— ${one.name} ${Buffer.concat(parts).toString('base64')}\n`;
    const now = nowSeconds();
    const lies = [one.cosign(before), one.cosign(body, now - 60, now), posed];
    for (const lie of lies) {
      const found = await judged(bare + lie, { witnesses: [one] });
      const named = `${one.name} has not signed the note of 31 leaves as it is`;
      expect(found).toEqual(fault(named));
    }
    const ahead = await judged(bare + one.cosign(body, now + 3_600), { witnesses: [one] });
    expect(ahead).toEqual(fault(`${one.name} signed 31 leaves in the future`));
  });

  it('refuses a note of another log, and one that its log has not signed', async () => {
    const elsewhere = newLog('log.example/two');
    const foreign = elsewhere.noteOf(elsewhere.bodyAt(31, rootAt(31)));
    const unknown = 'the note of 31 leaves is of a log without --log: log.example/two';
    expect((await judged(foreign)).text).toContain(unknown);
    const unsigned = 'the note of 31 leaves is not signed by its log';
    const impostor = newLog(log.origin);
    expect(await judged(impostor.noteOf(body))).toEqual(fault(unsigned));
    expect((await judged(bare, { key: impostor.key })).text).toBe(unsigned);
    expect((await judged(`${body}\n${one.cosign(body)}`)).text).toBe(unsigned);
  });

  it('demands the leaves that a note says, with the root that it says', async () => {
    const short = await judged(bare, { text: LEAVES.slice(0, 30).join('\n') });
    expect(short.text).toContain('leaves are missing');
    const split = log.noteOf(log.bodyAt(31, rootAt(30)));
    expect(await judged(split)).toEqual(
      fault('the first 31 leaves are not those that were signed'),
    );
  });

  it.each([
    ['without signatures', body],
    ['without its last line feed', bare.slice(0, -1)],
    ['with an extension', `${body.slice(0, -1)}\nmore\n\n${bare.slice(body.length + 1)}`],
    ['with a size of another spelling', bare.replace('\n31\n', '\n031\n')],
    ['with text behind it', `${bare}and more\n`],
    ['with bytes that are no UTF-8', bare.replace('—', '\ud800')],
  ])('refuses a note %s', async (_what, note) => {
    const found = await judged(note);
    expect([found.code, found.text]).toEqual([
      1,
      expect.stringMatching(/^no note of a checkpoint/),
    ]);
  });
});

describe('GW_LOG_WITNESSES', () => {
  const read = (list: string, more = {}) =>
    readConfig({ NODE_ENV: 'test', GW_SECRET: 'x'.repeat(32), GW_LOG_WITNESSES: list, ...more });

  it('lists keys, with the address of those that are asked', () => {
    const { witnesses } = read(`${one.key} ${two.key}@https://two.example.com/w/`);
    expect(witnesses.map(({ name, url }) => [name, url])).toEqual([
      [one.name, undefined],
      [two.name, 'https://two.example.com/w'],
    ]);
    expect(read('').witnesses).toEqual([]);
    const inside = read(`${one.key}@http://127.0.0.1:1`, { GW_WEBHOOK_ALLOW: '127.0.0.1' });
    expect(inside.witnesses[0]?.url).toBe('http://127.0.0.1:1');
  });

  it('stops the start with every fault at once, each by its entry', () => {
    const [name, id, ...rest] = one.key.split('+');
    const [, , ...ofTwo] = two.key.split('+');
    const wrongId = [name, id, ...ofTwo].join('+');
    const entries = [
      ['nonsense', 'must be a key such as name+0123abcd+base64'],
      [[name, id, 'AAAA'].join('+'), 'must be an Ed25519 key of type 0x04'],
      [log.key, 'must be an Ed25519 key of type 0x04'],
      [wrongId, 'has an id that is not of this name and key'],
      [`${two.key}@http://two.example.com`, 'has an address that is not public and https'],
      [`${two.key}@https://10.0.0.1`, 'has an address that is not public and https'],
      [`${[name, id, ...rest].join('+')}@https://a:b@c.example`, 'has an address with a user'],
      [one.key, 'repeats a key; each witness needs its own'],
    ];
    let message = '';
    try {
      read(entries.map(([entry]) => entry).join('\n'));
    } catch (error) {
      message = (error as Error).message;
    }
    for (const [entry, why] of entries) {
      expect(message).toContain(`GW_LOG_WITNESSES: "${entry}" ${why}`);
    }
  });
});
