import { describe, expect, it } from 'vitest';
import {
  appendEntry,
  countByValue,
  entriesWhere,
  entryPage,
  type Journal,
  latestEntries,
  latestOfEach,
  subjectsOf,
} from '../../src/records/journals.js';
import { codeOf, createWorld } from './world.js';

const world = await createWorld();
const OUTCOMES = { kind: 'outcome', values: ['accepted', 'rejected', 'edited'] } as const;

describe('a journal', () => {
  it('returns the first entry for an external reference that comes again', async () => {
    const { ctx } = await world.tenant();
    const event = { value: 'accepted', subject: 'req-1', externalRef: 'crm-7' } as const;
    const first = await appendEntry(ctx, OUTCOMES, { ...event, body: { score: 1 } });
    const again = await appendEntry(ctx, OUTCOMES, { ...event, value: 'rejected', body: {} });
    expect(first).toMatchObject({ duplicate: false, entry: { body: { score: 1 } } });
    expect(again).toEqual({ entry: first.entry, duplicate: true });
  });

  it('appends once when 200 race with one external reference', async () => {
    const { ctx } = await world.tenant();
    const event = { value: 'accepted', subject: 's', externalRef: 'race' } as const;
    const racers = Array.from({ length: 200 }, () => appendEntry(ctx, OUTCOMES, event));
    const appended = await Promise.all(racers);
    expect(new Set(appended.map(({ entry }) => entry.id)).size).toBe(1);
    expect(appended.filter(({ duplicate }) => !duplicate)).toHaveLength(1);
  });

  it('appends each event that has no external reference', async () => {
    const { ctx } = await world.tenant();
    const event = { value: 'accepted', subject: 's' } as const;
    const one = await appendEntry(ctx, OUTCOMES, event);
    const two = await appendEntry(ctx, OUTCOMES, event);
    expect([one.duplicate, two.duplicate]).toEqual([false, false]);
    expect(await latestEntries(ctx, OUTCOMES, {})).toEqual([two.entry, one.entry]);
    expect(await latestEntries(ctx, OUTCOMES, {}, 1)).toEqual([two.entry]);
  });

  it('keeps references of two kinds and of two tenants apart', async () => {
    const [a, b] = await Promise.all([world.tenant(), world.tenant()]);
    const other: Journal = { kind: 'lead', values: ['accepted'] };
    const event = { value: 'accepted', subject: 's', externalRef: 'same' } as const;
    const appended = [
      await appendEntry(a.ctx, OUTCOMES, event),
      await appendEntry(a.ctx, other, event),
      await appendEntry(b.ctx, OUTCOMES, event),
    ];
    expect(appended.map(({ duplicate }) => duplicate)).toEqual([false, false, false]);
    expect(await latestEntries(b.ctx, other, {})).toEqual([]);
    expect(await latestEntries(b.ctx, OUTCOMES, {})).toEqual([appended[2]?.entry]);
    expect(await countByValue(b.ctx, other, {})).toEqual({ accepted: 0 });
  });

  it('tells about which of many subjects something was said, by its own tenant alone', async () => {
    const [a, b] = await Promise.all([world.tenant(), world.tenant()]);
    const said = [
      [a, 'accepted', 'one'],
      [a, 'rejected', 'two'],
      [a, 'accepted', 'two'],
      [a, 'edited', 'three'],
      [a, 'rejected', 'unasked'],
      [b, 'rejected', 'one'],
    ] as const;
    for (const [{ ctx }, value, subject] of said) {
      await appendEntry(ctx, OUTCOMES, { value, subject });
    }
    const asked = ['one', 'two', 'three', 'four'];
    const spoiled = await subjectsOf(a.ctx, OUTCOMES, ['rejected', 'edited'], asked);
    expect([...spoiled].sort()).toEqual(['three', 'two']);
    expect(await subjectsOf(a.ctx, OUTCOMES, ['rejected'], [])).toEqual(new Set());
  });

  it('refuses a value that the journal does not have', async () => {
    const { ctx } = await world.tenant();
    const journal: Journal = OUTCOMES;
    const append = appendEntry(ctx, journal, { value: 'acepted', subject: 's' });
    expect(await codeOf(append)).toBe('invalid_request');
    expect(await latestEntries(ctx, OUTCOMES, {})).toEqual([]);
  });

  it('counts a window by value, with its beginning and without its end', async () => {
    const { ctx } = await world.tenant();
    const times: Date[] = [];
    for (const value of ['accepted', 'rejected', 'accepted', 'accepted'] as const) {
      const subject = times.length === 3 ? 'other' : 's';
      const { entry } = await appendEntry(ctx, OUTCOMES, { value, subject });
      times.push(entry.createdAt);
      // The next entry must stand in another millisecond, which is what windows are made of.
      while (Date.now() <= entry.createdAt.getTime()) await Promise.resolve();
    }
    const [, second, , fourth] = times;
    const window = { from: second, to: fourth };
    const counts = { accepted: 1, rejected: 1, edited: 0 };
    expect(await countByValue(ctx, OUTCOMES, window)).toEqual(counts);
    expect(await countByValue(ctx, OUTCOMES, { subject: 'other' })).toEqual({
      accepted: 1,
      rejected: 0,
      edited: 0,
    });
    const rejected = await latestEntries(ctx, OUTCOMES, { ...window, value: 'rejected' });
    expect(rejected.map((entry) => entry.createdAt)).toEqual([second]);
    const where = entriesWhere(OUTCOMES, { ...window, value: 'rejected' });
    expect(where).toEqual({
      kind: 'outcome',
      value: 'rejected',
      subject: undefined,
      createdAt: { gte: second, lt: fourth },
    });
  });

  it('are read for many subjects at once, newest first, each up to a limit', async () => {
    const { ctx } = await world.tenant();
    const foreign = await world.tenant();
    const append = async (value: 'accepted' | 'rejected', subject: string) =>
      (await appendEntry(ctx, OUTCOMES, { value, subject })).entry;
    const [first, second, third] = [
      await append('accepted', 'a'),
      await append('rejected', 'a'),
      await append('accepted', 'a'),
    ];
    const other = await append('accepted', 'b');
    await appendEntry(foreign.ctx, OUTCOMES, { value: 'accepted', subject: 'a' });
    expect(await latestOfEach(ctx, OUTCOMES, ['b', 'a', 'none'], 2)).toEqual([
      [other],
      [third, second],
      [],
    ]);
    expect(await latestOfEach(ctx, OUTCOMES, ['a'], 9)).toEqual([[third, second, first]]);
    const page = await entryPage(ctx, OUTCOMES, { subject: 'a' }, { skip: 1, take: 1 });
    expect(page).toEqual([second]);
    expect(await entryPage(foreign.ctx, OUTCOMES, { subject: 'b' }, {})).toEqual([]);
  });

  it('are found by a member of their body', async () => {
    const { ctx } = await world.tenant();
    const event = { value: 'accepted', subject: 's' } as const;
    await appendEntry(ctx, OUTCOMES, { ...event, body: { version: 1 } });
    const { entry } = await appendEntry(ctx, OUTCOMES, { ...event, body: { version: 2 } });
    const body = { member: 'version', equals: 2 };
    expect(await latestEntries(ctx, OUTCOMES, { body })).toEqual([entry]);
    expect(await latestEntries(ctx, OUTCOMES, { body: { ...body, equals: '2' } })).toEqual([]);
  });

  it('cannot be changed or shortened in the database', async () => {
    const { ctx } = await world.tenant();
    await appendEntry(ctx, OUTCOMES, { value: 'accepted', subject: 's' });
    const client = await world.client();
    const attempts = [
      "UPDATE journal_entry SET value = 'x'",
      'DELETE FROM journal_entry',
      'TRUNCATE journal_entry',
    ];
    for (const sql of attempts) {
      await expect(client.query(sql)).rejects.toMatchObject({ code: '42501' });
    }
  });
});
