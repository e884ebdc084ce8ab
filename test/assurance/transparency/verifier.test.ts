import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  consistencyRanges,
  inclusionRanges,
  leafHash,
  type Range,
  rootOf,
  rootOfRow,
  subtreesOf,
} from '../../../src/kernel/merkle.rules.js';
import { projectRoot } from '../../../src/platform/database/project-root.js';
import { verified, verifiedWithoutLeaves } from './verifying.js';

const SIZE_MAX = 200;
const TENANT = '01a20583-84ae-7001-8000-75f5b2d09740';
const house = generateKeyPairSync('ed25519');
const KEYS = { keys: [{ ...house.publicKey.export({ format: 'jwk' }), kid: 'house' }] };

const leafOf = (index: number, tenant = TENANT) =>
  `{"account_version":"${index}","description":"\u2028 кофе \ufffd \\"kind\\"",` +
  `"kind":"ledger_entry","tenant_id":"${tenant}"}`;
const LEAVES = Array.from({ length: SIZE_MAX }, (_, index) => leafOf(index));

/** The root of a range of leaves, in hexadecimal digits. */
function rootOfRange(leaves: readonly string[], range: Range): string {
  const roots = subtreesOf(range).map(({ level, index }) => {
    const wide = 2 ** level;
    return rootOfRow(Buffer.concat(leaves.slice(index * wide, (index + 1) * wide).map(leafHash)));
  });
  return Buffer.from(rootOf(roots)).toString('hex');
}

interface Forgery {
  readonly key?: KeyObject;
  readonly typ?: string;
  readonly tenant?: string;
  readonly root?: string;
}

/** A checkpoint as the house signs it, or as somebody would have it. */
function point(size: number, leaves: readonly string[] = LEAVES, forged: Forgery = {}) {
  const { key = house.privateKey, typ = 'gw-log-checkpoint+jwt', tenant = TENANT } = forged;
  const root_sha256 = forged.root ?? rootOfRange(leaves, { begin: 0, end: size });
  const parts = [
    { alg: 'EdDSA', kid: 'house', typ },
    { sub: tenant, size, root_sha256 },
  ];
  const body = parts
    .map((each) => Buffer.from(JSON.stringify(each)).toString('base64url'))
    .join('.');
  const signature = sign(null, Buffer.from(body), key).toString('base64url');
  return { statement: `${body}.${signature}` };
}

/** A checkpoint as the API answers it, with what was edited of it. */
const shown = (edited: object) => {
  const root_sha256 = rootOfRange(LEAVES, { begin: 0, end: 20 });
  const beside = { id: TENANT, size: 20, root_sha256, created_at: '2026-11-23T00:00:00.000Z' };
  return { ...beside, ...point(20), ...edited };
};

const inclusion = (index: number, size: number) => ({
  index,
  leaf: LEAVES[index],
  hashes: inclusionRanges(index, size).map((range) => rootOfRange(LEAVES, range)),
  checkpoint: point(size),
});

const consistency = (first: number, second: number) => ({
  first: point(first),
  second: point(second),
  hashes: consistencyRanges(first, second).map((range) => rootOfRange(LEAVES, range)),
});

/** A proof whose first hash has digits behind it. */
const longer = (proof: ReturnType<typeof inclusion>) => ({
  ...proof,
  hashes: proof.hashes.with(0, `${proof.hashes[0]}zz`),
});

/** A proof with something more in its checkpoint. */
const under = (more: object) => {
  const proof = inclusion(7, 20);
  return { ...proof, checkpoint: { ...proof.checkpoint, ...more } };
};

/** A cosignature as the API shows it beside a checkpoint. */
const BY = { witness: 'witness.example/w1', time: '2026-11-23T00:00:00.000Z' };

const protoWithin = (line: string) => line.replace('{"statement"', '{"__proto__":{},"statement"');

const junk = ['00'.repeat(32)];

const SEEN = `200 leaves, 201 checkpoints, 0 proofs of ${TENANT}: 0 faults`;

const text = (...lines: readonly (string | object)[]) =>
  lines.map((each) => `${typeof each === 'string' ? each : JSON.stringify(each)}\n`).join('');

const anySize = fc.integer({ min: 0, max: SIZE_MAX });

describe('the verifier', () => {
  it('has fewer than 180 lines of code, so that it can be read before it is believed', () => {
    const source = readFileSync(join(projectRoot(), 'tools/verify-transparency-log.mjs'), 'utf8');
    const isCode = (line: string) => line !== '' && !/^\s*(?:\/\/|\/\*\*)/.test(line);
    expect(source.split('\n').filter(isCode).length).toBeLessThan(180);
  });

  it('says how it is used where nothing is given, and names what belongs to no log', async () => {
    const usage = expect.stringMatching(/^usage: verify-transparency-log/);
    expect(await verified(KEYS)).toEqual({ code: 1, text: usage });
    for (const kept of ['{"error":{"message":"The API key is not valid."}}', 'null', '<html>']) {
      const log = text(...LEAVES, point(SIZE_MAX));
      const named = { code: 1, text: `no leaf, checkpoint or proof: ${kept}` };
      expect(await verified(KEYS, log, `${kept}\n`)).toEqual(named);
    }
  });

  it('recomputes the root of every size from 0 to 200, in one file or several', async () => {
    const points = Array.from({ length: SIZE_MAX + 1 }, (_, size) => point(size));
    const whole = await verified(KEYS, text(...LEAVES, ...points));
    expect(whole).toEqual({ code: 0, text: SEEN });
    const parts = [text(...LEAVES.slice(0, 70)), text(...LEAVES.slice(70), ...points)];
    expect(await verified(KEYS, ...parts)).toEqual(whole);
    const found = await verified(KEYS, ...parts.reverse());
    expect(found.code).toBe(1);
  });

  it('accepts what proves inclusions and consistencies, without a leaf of the log', async () => {
    const pairs = fc.sample(fc.tuple(anySize, anySize), 150);
    const proofs = pairs.flatMap(([one, other]) => {
      const [first, second] = [Math.min(one, other), Math.max(one, other)];
      // Whatever sizes there are, a proof leads from each to the largest.
      const same = [consistency(first, second), consistency(second, SIZE_MAX)];
      return second === 0 ? same : [...same, inclusion(first % second, second)];
    });
    expect(await verified(KEYS, text(...proofs))).toMatchObject({ code: 0 });
  });

  it.each([
    ['changed', LEAVES.with(120, leafOf(999))],
    ['removed', LEAVES.toSpliced(120, 1)],
    ['added', LEAVES.toSpliced(120, 0, leafOf(999))],
    ['moved', LEAVES.with(120, LEAVES[121] ?? '').with(121, LEAVES[120] ?? '')],
    ['cut off at the end', LEAVES.slice(0, -1)],
  ])('finds a leaf that was %s', async (_what, leaves) => {
    const found = await verified(KEYS, text(...leaves, point(100), point(SIZE_MAX)));
    expect(found.code).toBe(1);
    expect(found.text).toContain('the first 200 leaves are not those that were signed');
    expect(found.text).not.toContain('the first 100 leaves');
  });

  it('finds what was rewritten since a checkpoint that was kept', async () => {
    const rewritten = LEAVES.with(50, leafOf(999));
    const now = point(SIZE_MAX, rewritten);
    expect((await verified(KEYS, text(...rewritten, now))).code).toBe(0);
    expect(await verified(KEYS, text(...rewritten, now), text(point(60)))).toEqual({
      code: 1,
      text: 'the first 60 leaves are not those that were signed',
    });
    const split = await verified(KEYS, text(point(60), point(60, rewritten)));
    expect(split.code).toBe(1);
  });

  it('finds leaves under no checkpoint, and those of another organization', async () => {
    const uncovered = await verified(KEYS, text(...LEAVES, point(150)));
    expect(uncovered).toEqual({ code: 1, text: 'the last leaf is under no checkpoint' });
    const foreign = LEAVES.with(3, leafOf(3, '01a20583-0000-7001-8000-75f5b2d09740'));
    expect(await verified(KEYS, text(...foreign, point(SIZE_MAX, foreign)))).toEqual({
      code: 1,
      text: `leaf 3 is of another organization`,
    });
    expect((await verified(KEYS, '')).code).toBe(1);
  });

  it.each([
    ['another key', { key: generateKeyPairSync('ed25519').privateKey }],
    ['a statement of another type', { typ: 'gw-badge+jwt' }],
  ])('refuses a checkpoint of %s', async (_what, forged) => {
    const found = await verified(KEYS, text(...LEAVES, point(SIZE_MAX, LEAVES, forged)));
    expect(found.code).toBe(1);
    expect(found.text).toContain('a checkpoint is not signed by one of the keys');
  });

  it('refuses a checkpoint whose size or root was edited', async () => {
    const { statement } = point(SIZE_MAX);
    const [head, body = '', signature] = statement.split('.');
    const said = JSON.parse(Buffer.from(body, 'base64url').toString()) as object;
    const edited = Buffer.from(JSON.stringify({ ...said, size: 10 })).toString('base64url');
    const forged = { statement: `${head}.${edited}.${signature}` };
    expect((await verified(KEYS, text(...LEAVES, forged))).code).toBe(1);
  });

  it('refuses every proof of which a part was changed', async () => {
    const right = inclusion(77, 150);
    const agree = consistency(77, 150);
    const flipped = (hashes: readonly string[], at: number) =>
      hashes.map((hash, index) =>
        index === at ? hash.replace(/./, (c) => (c === '0' ? '1' : '0')) : hash,
      );
    const forged = [
      { ...right, index: 78 },
      { ...right, leaf: leafOf(999) },
      { ...right, checkpoint: point(149) },
      { ...right, hashes: right.hashes.slice(1) },
      { ...right, hashes: [...right.hashes, right.hashes[0] ?? ''] },
      ...[0, 3].map((at) => ({ ...right, hashes: flipped(right.hashes, at) })),
      { ...agree, first: point(78) },
      { ...agree, hashes: agree.hashes.slice(1) },
      { ...agree, hashes: [...agree.hashes, agree.hashes[0] ?? ''] },
      ...[0, 2].map((at) => ({ ...agree, hashes: flipped(agree.hashes, at) })),
    ];
    expect((await verified(KEYS, text(right, agree))).code).toBe(0);
    const codes = await Promise.all(forged.map((each) => verified(KEYS, text(each))));
    expect(codes.map(({ code }) => code)).toEqual(forged.map(() => 1));
  });

  it.each([
    ['looks like a leaf', leafOf(999).replace('"kind":', '"kind" :')],
    ['is no member of a log', '{}'],
    ['is a figure', '42'],
    ['says something twice', `{"leaf":"forged",${JSON.stringify(inclusion(7, 20)).slice(1)}`],
    ['has a prototype beside', `{"__proto__":1,${JSON.stringify(point(20)).slice(1)}`],
    ['has no statement', '{"statement":""}'],
    ['has something beside its checkpoint', JSON.stringify(under({ note: 'a forged note' }))],
    ['has a prototype in its checkpoint', protoWithin(JSON.stringify(inclusion(7, 20)))],
    ['has a text for the id', JSON.stringify(shown({ id: 'the balance is 1000' }))],
    ['claims a cosignature with more', JSON.stringify(shown({ cosignatures: [{ ...BY, of: 1 }] }))],
    ['claims a list of texts', JSON.stringify(shown({ cosignatures: ['everybody'] }))],
    ['has an object for its time', JSON.stringify(shown({ created_at: { kind: 'x' } }))],
    ['proves two things in one', JSON.stringify({ ...shown({}), checkpoint: point(20) })],
    ['has a list for a place', JSON.stringify({ ...inclusion(7, 20), index: ['7'] })],
    ['has a place with a zero', JSON.stringify({ ...inclusion(7, 20), index: '07' })],
    ['begins with nothing and goes on', JSON.stringify({ ...consistency(0, 20), hashes: junk })],
    ['has half a character', JSON.stringify(inclusion(7, 20)).replace('\ufffd', '\\ud800')],
    ['states another size', JSON.stringify(shown({ size: 77 }))],
    ['states another root', JSON.stringify(shown({ root_sha256: '00'.repeat(32) }))],
    ['states another hash', JSON.stringify({ ...inclusion(7, 20), leaf_sha256: '00'.repeat(32) })],
    ['lacks the hashes', JSON.stringify({ ...consistency(7, 20), hashes: undefined })],
    ['proves nothing', JSON.stringify({ ...inclusion(7, 20), hashes: null })],
    ['is under nothing', JSON.stringify({ ...inclusion(7, 20), hashes: [], checkpoint: null })],
    ['compares nothing', JSON.stringify({ first: null, second: null, hashes: [] })],
    ['has no place', JSON.stringify({ ...inclusion(0, 20), index: null })],
    ['has hashes with more', JSON.stringify(longer(inclusion(7, 20)))],
    ['proves two things', JSON.stringify({ ...inclusion(7, 20), ...consistency(7, 20) })],
    ['has a signature with more', JSON.stringify({ statement: `${point(20).statement}!!` })],
    ['ends with a carriage return', `${JSON.stringify(point(20))}\r`],
  ])('refuses a line that %s, wherever it stands', async (_what, line) => {
    const leaves = LEAVES.slice(0, 20);
    const beside = [shown({}), shown({ cosignatures: [] }), shown({ cosignatures: [BY, BY] })];
    const sound = text(...leaves, point(20), ...beside, inclusion(7, 20), consistency(7, 20));
    expect((await verified(KEYS, sound)).code).toBe(0);
    for (const forged of [
      [text(line), sound],
      [sound, text(line)],
    ]) {
      expect((await verified(KEYS, ...forged)).code).not.toBe(0);
    }
  });

  it('refuses bytes that are no UTF-8, where other ones would read alike', async () => {
    const sound = Buffer.from(text(...LEAVES.slice(0, 20), point(20)));
    const at = sound.indexOf('\ufffd');
    const forged = [[0xff], [0xc3], [0xed, 0xa0, 0x80]].map((bytes) =>
      Buffer.concat([sound.subarray(0, at), Buffer.from(bytes), sound.subarray(at + 3)]),
    );
    expect((await verified(KEYS, sound)).code).toBe(0);
    const codes = await Promise.all(forged.map((each) => verified(KEYS, each)));
    expect(codes.map(({ code }) => code)).toEqual([1, 1, 1]);
  });

  it('demands as many leaves as a checkpoint says, whatever proofs stand beside it', async () => {
    const missing = { code: 1, text: expect.stringContaining('leaves are missing') };
    const all = point(SIZE_MAX);
    expect(await verified(KEYS, '', text(all))).toEqual(missing);
    expect(await verified(KEYS, text(all))).toEqual(missing);
    expect(await verified(KEYS, text(all, inclusion(7, SIZE_MAX)))).toEqual(missing);
    expect(await verified(KEYS, text(all, consistency(60, SIZE_MAX)))).toEqual(missing);
    expect(await verified(KEYS, text(...LEAVES.slice(0, 60), point(60), all))).toEqual(missing);
    expect(await verified(KEYS, text(...LEAVES, all))).toMatchObject({ code: 0 });
  });

  it('takes proofs for leaves where that is asked for, each leading to the others', async () => {
    const [kept, now] = [text(point(60)), text(point(150))];
    const bare = (...texts: readonly string[]) => verifiedWithoutLeaves(KEYS, ...texts);
    const seen = `0 leaves, 4 checkpoints, 1 proofs of ${TENANT}: 0 faults`;
    expect(await bare(kept, now, text(consistency(60, 150)))).toEqual({ code: 0, text: seen });
    expect(await bare(kept, now)).toEqual({
      code: 1,
      text: 'the proofs do not lead to each other',
    });
  });

  it('refuses checkpoints of two sizes where no proof leads from one to the other', async () => {
    const apart = await verified(KEYS, text(consistency(20, 60)), text(inclusion(7, 150)));
    expect(apart).toEqual({ code: 1, text: 'the proofs do not lead to each other' });
    const rewritten = point(150, LEAVES.with(3, leafOf(999)));
    expect((await verified(KEYS, text(point(60)), text(rewritten))).code).toBe(1);
    expect((await verified(KEYS, text(consistency(0, 60), consistency(0, 150)))).code).toBe(1);
    expect((await verified(KEYS, text(consistency(60, 150)))).code).toBe(0);
  });
});
