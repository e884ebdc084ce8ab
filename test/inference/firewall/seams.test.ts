import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inspectRequest } from '../../../src/inference/firewall/inspect.js';
import { withOwnClasses } from '../../../src/kernel/firewall/modes.js';
import { ownClass } from '../../../src/kernel/firewall/own-classes.js';
import {
  DEFAULT_MODES,
  FINDING_CLASSES,
  type FirewallMode,
  type FirewallModes,
} from '../../../src/kernel/firewall/vocabulary.js';
import { EMBEDDED, JOINTS, VALUES } from './split-values.js';

const everyMode = (mode: FirewallMode) =>
  Object.fromEntries(FINDING_CLASSES.map((row) => [row.code, mode])) as FirewallModes;
const BLOCK = everyMode('block');
const MASK = everyMode('mask');
const CASES = Object.entries(VALUES);
const ALL_JOINTS = Object.entries({ ...JOINTS, 'texts that are embedded': EMBEDDED });

/** Every string of a body that stands in a place of a text. */
function textsOf(body: object): string[] {
  const found: string[] = [];
  JSON.stringify(body, (name, value) => {
    if (typeof value === 'string' && /^(?:content|text|\d+)$/.test(name)) found.push(value);
    return value;
  });
  return found;
}

function isWhole(code: string, content: string): boolean {
  const { findings } = inspectRequest({ messages: [{ role: 'user', content }] }, MASK);
  return findings.some((found) => found.class === code && found.confidence === 'confirmed');
}

describe.each(CASES)('a value of the class %s', (code, [before, value, after]) => {
  const indexes = Array.from({ length: value.length - 1 }, (_, index) => index + 1);

  it.each(ALL_JOINTS)('is found at every index where %s split it', (_where, bodyOf) => {
    for (const index of indexes) {
      const body = bodyOf(before + value.slice(0, index), value.slice(index) + after);
      const blocked = inspectRequest(body, BLOCK);
      expect({ index, verdict: blocked.verdict, by: blocked.blockedBy }).toEqual({
        index,
        verdict: 'blocked',
        by: expect.arrayContaining([code]),
      });
    }
  });

  it.each(ALL_JOINTS)('leaves with neither half where %s split it', (_where, bodyOf) => {
    for (const index of indexes) {
      const halves = [value.slice(0, index), value.slice(index)].map((half) => half.trim());
      const texts = [before + value.slice(0, index), value.slice(index) + after];
      const { body, verdict } = inspectRequest(bodyOf(...texts), MASK);
      // A half that is a value by itself is all that is replaced: what follows it may be a word.
      if (texts.some((text) => isWhole(code, text))) continue;
      const left = textsOf(body).map((text) => text.replace(/\[\[GW_[A-Z_]+_\d+\]\]/g, ''));
      const stays = halves.filter((half) => half.length > 2 && left.join('|').includes(half));
      expect({ index, verdict, stays }).toEqual({ index, verdict: 'masked', stays: [] });
    }
  });
});

describe('a value in three pieces and more', () => {
  it('is found, counted once, and comes back', () => {
    const body = JOINTS['messages of one role']?.('Мой паспорт 45', '08', ' 123', '456 вот') ?? {};
    const inspection = inspectRequest(body, { ...DEFAULT_MODES, passport: 'mask' });
    expect(inspection).toMatchObject({
      verdict: 'masked',
      dataClass: 'C3',
      findings: [{ class: 'passport', count: 1, confidence: 'confirmed' }],
    });
    expect(textsOf(inspection.body)).toEqual([
      'Мой паспорт [[GW_PASSPORT_1]]',
      '[[GW_PASSPORT_2]]',
      ' [[GW_PASSPORT_3]]',
      '[[GW_PASSPORT_4]] вот',
    ]);
    const { vault } = inspection;
    const values = [1, 2, 3, 4].map((count) => vault.valueOf(`[[GW_PASSPORT_${count}]]`));
    expect(values.join('')).toBe('4508123456');
  });

  it('that is a private key leaves with no line of it', () => {
    const line = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7';
    const key = `-----BEGIN PRIVATE KEY-----\n${`${line}\n`.repeat(20)}-----END PRIVATE KEY-----`;
    for (const index of [40, 200, 600, 1_000]) {
      const body = JOINTS['messages of two roles']?.(key.slice(0, index), key.slice(index)) ?? {};
      expect(JSON.stringify(inspectRequest(body, MASK).body)).not.toContain(line.slice(0, 20));
    }
  });
});

describe('a number whose word stands in the message before', () => {
  it.each([
    ['Назовите серию и номер паспорта', '4508 123456', 'passport'],
    ['Ваш телефон?', '9161234567', 'phone'],
    ['{"field":"снилс"}', '112-233-445 95', 'snils'],
  ])('is what the word says: %s', (first, second, code) => {
    const body = JOINTS['messages of two roles']?.(first, second) ?? {};
    expect(inspectRequest(body, BLOCK).blockedBy).toEqual([code]);
  });
});

/** A conversation of short messages in which nothing stands. */
const CALM =
  'Добрый день! Да, всё верно.|Thanks a lot.|Когда будет готово?|See you later|Жду ответа'.split(
    '|',
  );
const calm = (count: number) => Array.from({ length: count }, (_, at) => CALM[at % 5] ?? '');

describe('a value in a long conversation of short messages', () => {
  const HEAD = Buffer.from('{"alg":"HS256","typ":"JWT"}').toString('base64url');
  const TOKEN = `${HEAD}.${'aB3_xY9-'.repeat(24)}.${'Qz7-kL2_'.repeat(6)}`;

  it.each([0, 1, 7, 100, 199])('is found behind %i others, in two pieces and in many', (before) => {
    for (const pieces of [
      ['Мой паспорт 4509', '123456, вот'],
      ['Мой паспорт', '45', '09', '12', '34', '56'],
      ['Назовите серию и номер паспорта', '4509 123456'],
      ['Это Иванов Иван', 'Петрович Сидоров звонит'],
      ['Пишите на ivan.petrov@', 'example.ru'],
    ]) {
      const texts = [...calm(before), ...pieces, ...calm(200 - before)];
      const body = JOINTS['messages of one role']?.(...texts) ?? {};
      expect({ pieces, verdict: inspectRequest(body, BLOCK).verdict }).toEqual({
        pieces,
        verdict: 'blocked',
      });
    }
  });

  it.each([10, 40, 64, 100])('is found where it is a token in pieces of %i letters', (length) => {
    const pieces = TOKEN.match(new RegExp(`.{1,${length}}`, 'g')) ?? [];
    const texts = [...calm(30), ...pieces, ...calm(30)];
    const { body } = inspectRequest(JOINTS['parts of a message']?.(...texts) ?? {}, MASK);
    const left = textsOf(body)
      .join('')
      .replace(/\[\[GW_[A-Z_]+_\d+\]\]/g, '');
    expect(left).not.toMatch(/aB3_|Qz7-/);
  });

  it('changes nothing of what stands around it', () => {
    const texts = [...calm(50), 'Мой паспорт 4509', '123456', ...calm(50)];
    const { body, findings } = inspectRequest(JOINTS['messages of one role']?.(...texts) ?? {}, {
      ...DEFAULT_MODES,
      passport: 'mask',
    });
    expect(findings).toEqual([{ class: 'passport', count: 1, confidence: 'confirmed' }]);
    expect(textsOf(body).filter((text) => !text.includes('GW_'))).toEqual([
      ...calm(50),
      ...calm(50),
    ]);
  });
});

describe("a policy's own word", () => {
  it('is found where two parts split it', () => {
    const rule = { name: 'project_name', words: ['Северное сияние'], patterns: ['NS-[0-9]{4}'] };
    const modes = withOwnClasses(DEFAULT_MODES, [{ ...rule, mode: 'block', dataClass: 'C2' }]);
    for (const texts of [
      ['проект Северное', 'сияние идёт'],
      ['код NS-1', '234 тут'],
    ]) {
      const body = JOINTS['parts of a message']?.(...texts) ?? {};
      expect(inspectRequest(body, modes).blockedBy).toEqual([ownClass(rule)]);
    }
  });
});

describe('an ordinary conversation', () => {
  const words = fc.constantFrom(
    ...(
      'заказ счёт встреча отчёт на в и завтра план команда клиент договор сумма можно нужно ' +
      'please order report meeting total of the for total'
    ).split(' '),
  );
  const number = fc.oneof(
    fc.integer({ min: 0, max: 99_999 }).map(String),
    fc.constantFrom('1 250 000', '2026', '15:30', '12,5', '3.14', '100%', '№ 48213'),
  );
  const sentence = fc
    .array(fc.oneof({ weight: 4, arbitrary: words }, { weight: 1, arbitrary: number }), {
      minLength: 1,
      maxLength: 12,
    })
    .map((parts) => parts.join(' '));
  const conversation = fc.array(sentence, { minLength: 2, maxLength: 8 });

  it.each(ALL_JOINTS)('raises nothing at its joints: %s', (_where, bodyOf) => {
    fc.assert(
      fc.property(conversation, (texts) => {
        const alone = texts.map((content) =>
          inspectRequest({ messages: [{ role: 'user', content }] }, MASK),
        );
        fc.pre(alone.every(({ verdict }) => verdict === 'pass'));
        const body = bodyOf(...texts);
        const inspection = inspectRequest(body, MASK);
        expect(inspection.findings).toEqual([]);
        expect(inspection.body).toBe(body);
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ['Пишите на help@corp.ru', 'Звоните после обеда'],
    ['Мой телефон +7 916 123-45-67', '2 штуки, пожалуйста'],
    ['Итого 1250', '48213 позиций'],
    ['Код 770708', '3893'],
    ['Заказ 9161', '234567 готов'],
    ['Договор от 12.05', '1985 год'],
  ])('keeps what a whole value does not need: %s | %s', (first, second) => {
    const body = JOINTS['messages of two roles']?.(first, second) ?? {};
    expect(textsOf(inspectRequest(body, MASK).body)[1]).toBe(second);
  });
});

describe('a body that somebody made to be slow', () => {
  it('of thirty thousand parts is read in time that grows with its length', () => {
    const parts = Array.from({ length: 30_000 }, (_, index) => `${index % 10}`);
    const body = JOINTS['parts of a message']?.(...parts) ?? {};
    expect(inspectRequest(body, MASK).verdict).toMatch(/pass|masked/);
    const phones = Array.from({ length: 5_000 }, () => ['+7 916 123', '-45-67']).flat();
    const split = inspectRequest(JOINTS['parts of a message']?.(...phones) ?? {}, MASK);
    expect(split.findings).toEqual([{ class: 'phone', count: 5_000, confidence: 'confirmed' }]);
  });
});
