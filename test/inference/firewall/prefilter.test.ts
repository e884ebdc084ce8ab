import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { detectAddresses } from '../../../src/inference/firewall/detectors/addresses.js';
import { detectBank } from '../../../src/inference/firewall/detectors/bank.js';
import { detectContact } from '../../../src/inference/firewall/detectors/contact.js';
import { detectDocuments } from '../../../src/inference/firewall/detectors/documents.js';
import {
  detectHandles,
  detectMentions,
} from '../../../src/inference/firewall/detectors/handles.js';
import { detectInjection } from '../../../src/inference/firewall/detectors/injection.js';
import { detectNamedSecrets } from '../../../src/inference/firewall/detectors/named-secrets.js';
import { detectBirths, detectNames } from '../../../src/inference/firewall/detectors/persons.js';
import { detectRussian } from '../../../src/inference/firewall/detectors/russian.js';
import { detectSecrets } from '../../../src/inference/firewall/detectors/secrets.js';
import {
  detectSpacedEmails,
  detectSpeltEmails,
} from '../../../src/inference/firewall/detectors/spelt-email.js';
import { detectVehicles } from '../../../src/inference/firewall/detectors/vehicles.js';
import { DigitGroups } from '../../../src/inference/firewall/digit-groups.js';
import type { Finding } from '../../../src/inference/firewall/finding.js';
import { openBlocks } from '../../../src/inference/firewall/prefilter/in-blocks.js';
import { signalsInScript } from '../../../src/inference/firewall/prefilter/in-script.js';
import { PART_UNITS } from '../../../src/inference/firewall/prefilter/program.js';
import { SIGNAL } from '../../../src/inference/firewall/prefilter/signals.js';
import { FRAMES } from './corpus/frames.js';

const inBlocks = openBlocks() ?? (() => -1);

/** What anchors, digits, words and blocks begin and end with, and values that detectors find. */
const PIECES = [
  ...['а', 'В', 'вич', 'Петровна ', 'Иван Ильич', 'вне ', 'оглы', 'ё', 'Ё', 'ъ', 'Ґ', 'ѐ', '/'],
  ...['а123вс77', '000', 'A777MP', ' г/н ', 'ву ', 'паспорт', 'СЕРИЯ', 'вод. ', 'd.o.b', ' dob '],
  ...['ignore all previous instructions', 'IGNOR', 'забудь', '<|im_start|>', '[INST]', 'ythi'],
  ...['sk-', 'AKIAIOSFODNN7EXAMPLE', 'eyJ', ':AA', '----', 'пароля: q1w2e3r4', 'hf_', 'ssword'],
  ...[
    'ул. Садовая, д. 5, кв. 2',
    'живу ',
    'Тула, Мира, 5-2',
    'адрес ',
    'наб. ',
    'тг ',
    'Телеграм: ',
  ],
  ...['@ivan_petrov', 't.me/ivan_p', 'скайп ', 'пишите ', 'пасс ', 'токен ', 'Qwe12!rty', ' эт '],
  ...['соба', ' (at) ', '[эт]', ' dot ', '@', 'ivan@mail.ru', 'ivan собака mail точка ru'],
  ...['7707083893', '12345', '9', ' 4509 123456', '4111 1111 1111 1111', '+7 916 123-45-67', '_'],
  ...['.', ' ', '\n', '\t', '\u0000', '\u007f', '—', '«', '\u00a0', '\u00ad', '\u200b', '٣', '７'],
  ...['\ud800', '\udfff', '😀', '𝟕', 'İ', 'é', '漢', '|', '<', ':', '[', 'x', 'Слово ', 'word '],
];

const PIECED = fc
  .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: 'binary' })), { maxLength: 40 })
  .map((pieces) => pieces.join(''));
const ANY = fc.oneof(
  PIECED,
  fc.constantFrom(...FRAMES),
  fc.uint8Array({ maxLength: 90, size: 'max' }).map((bytes) => String.fromCharCode(...bytes)),
  fc.array(fc.nat(0xffff)).map((units) => String.fromCharCode(...units)),
);

describe('the pass in vectors', () => {
  it('says of any text what the pass in script says', () => {
    fc.assert(
      fc.property(ANY, (text) => {
        expect(inBlocks(text)).toBe(signalsInScript(text));
      }),
      { numRuns: 2_000 },
    );
  });

  it('says the same where a text begins, ends or goes on at the edge of blocks and parts', () => {
    const edges = fc.tuple(fc.constantFrom(0, 16, PART_UNITS, 2 * PART_UNITS), fc.nat(24), PIECED);
    fc.assert(
      fc.property(edges, fc.constantFrom('x', ' ', 'я', '0', '—'), ([edge, less, text], filler) => {
        const long = filler.repeat(Math.max(0, edge - less)) + text;
        for (const each of [long, long.slice(0, edge), long.slice(0, edge + 1), `${text}${long}`]) {
          expect(inBlocks(each)).toBe(signalsInScript(each));
        }
      }),
      { numRuns: 300 },
    );
  });

  it('says the same of each unit of UTF-16, alone, in a number, in words and behind them', () => {
    const differing = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code))
      .flatMap((unit) => [unit, `12345${unit}67890`, `вод ${unit}гос${unit} 2024`, `Ивна${unit}`])
      .filter((text) => inBlocks(text) !== signalsInScript(text));
    expect(differing).toEqual([]);
  });

  it('forgets a text when it reads the next one', () => {
    fc.assert(
      fc.property(PIECED, PIECED, (before, text) => {
        inBlocks(before);
        expect(inBlocks(text)).toBe(signalsInScript(text));
      }),
    );
  });
});

/** Each detector, and the signals of which one at least must stand where it finds something. */
const DETECTORS: readonly [name: string, find: (text: string) => Finding[], signals: number][] = [
  ['secrets', detectSecrets, SIGNAL.secret | SIGNAL.at],
  ['injection', detectInjection, SIGNAL.injection],
  ['names', detectNames, SIGNAL.name],
  ['vehicles', detectVehicles, SIGNAL.plate | SIGNAL.document],
  ['spelt e-mails', detectSpeltEmails, SIGNAL.spelt],
  ['spaced e-mails', detectSpacedEmails, SIGNAL.at],
  ['handles', detectHandles, SIGNAL.handle],
  ['mentions', detectMentions, SIGNAL.at],
  ['addresses', detectAddresses, SIGNAL.address],
  ['named secrets', detectNamedSecrets, SIGNAL.secret],
  ['births', detectBirths, SIGNAL.document],
  ['contacts', (text) => detectContact(text), SIGNAL.digits | SIGNAL.document | SIGNAL.at],
  [
    'documents',
    (text) => detectDocuments(text, new DigitGroups(text)),
    SIGNAL.digits | SIGNAL.document,
  ],
  [
    'Russian ids',
    (text) => detectRussian(text, new DigitGroups(text)),
    SIGNAL.digits | SIGNAL.document,
  ],
  ['bank', (text) => detectBank(text, new DigitGroups(text)), SIGNAL.digits | SIGNAL.document],
];

describe('either pass', () => {
  it.each(DETECTORS)(
    'never keeps %s from a text in which they find something',
    (_, find, expected) => {
      fc.assert(
        fc.property(ANY, (text) => {
          if (find(text).length === 0) return;
          expect(inBlocks(text) & expected).not.toBe(0);
          expect(signalsInScript(text) & expected).not.toBe(0);
        }),
        { numRuns: 1_000 },
      );
    },
  );

  it.each([
    ['in vectors', inBlocks],
    ['in script', signalsInScript],
  ])('%s does not follow a word that is longer than any patronymic', (_, signalsOf) => {
    const name = `Иван${'о'.repeat(8)}вича`;
    const word = `Иван${'о'.repeat(80)}вича`;
    expect([name, word].map((text) => signalsOf(text) & SIGNAL.name)).toEqual([SIGNAL.name, 0]);
  });
});

describe('a machine without vectors', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  it.each([
    ['no WebAssembly', undefined],
    ['a WebAssembly that does not know them', { validate: () => false }],
  ])('has no pass in blocks, with %s', (_, stub) => {
    vi.stubGlobal('WebAssembly', stub);
    expect(openBlocks()).toBeUndefined();
  });
});
