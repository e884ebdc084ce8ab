import { describe, expect, it } from 'vitest';
import { detectAddresses } from '../../../src/inference/firewall/detectors/addresses.js';
import {
  detectHandles,
  detectMentions,
} from '../../../src/inference/firewall/detectors/handles.js';
import { detectNamedSecrets } from '../../../src/inference/firewall/detectors/named-secrets.js';
import { detectBirths } from '../../../src/inference/firewall/detectors/persons.js';
import {
  detectSpacedEmails,
  detectSpeltEmails,
} from '../../../src/inference/firewall/detectors/spelt-email.js';
import { Vault } from '../../../src/inference/firewall/mask.js';
import { scan } from '../../../src/inference/firewall/scan.js';
import { StreamScanner } from '../../../src/inference/firewall/stream.js';
import { maskingAll } from '../../../src/kernel/firewall/modes.js';
import { DEFAULT_MODES } from '../../../src/kernel/firewall/vocabulary.js';

const MODES = maskingAll(DEFAULT_MODES);

/** A text of an answer, and what a client reads of it. */
const ANSWERS: readonly (readonly [text: string, masked: string])[] = [
  ['Предъявлен паспорт 9164-188710, проверьте.', 'Предъявлен паспорт [passport], проверьте.'],
  ['Паспорт серии 4511 за номером 223344 выдан.', 'Паспорт серии [passport] выдан.'],
  ['Его почта ivan698 @ yandex . ru для писем.', 'Его почта [email] для писем.'],
  // The first word of a spelled address has left before the next one tells what it was.
  ['Почта иван собака яндекс точка ру, пишите.', 'Почта иван [email], пишите.'],
  ['Почта ivan точка petrov собака mail точка ru.', 'Почта ivan [email].'],
  ['Пароль от базы: Pa$$w0rd978597 и хост db.', 'Пароль от базы: [secret] и хост db.'],
  [
    'Вход: логин/пароль: boss / Kx7!mnb2 для всех.',
    'Вход: логин/пароль: boss / [secret] для всех.',
  ],
  [
    'Он живёт: г. Тула, ул. Садовая, д. 5, кв. 12, этаж второй.',
    'Он живёт: [postal_address], этаж второй.',
  ],
  ['Его адрес Орёл, Ленина, 5-12 и всё.', 'Его адрес [postal_address] и всё.'],
  ['Его телеграм @ivan_petrov, пишите.', 'Его телеграм [messenger_handle], пишите.'],
  ['Пишите t.me/ivan_petrov85 сегодня.', 'Пишите [messenger_handle] сегодня.'],
  ['Дата рождения:\n12.05.1985, Тула.', 'Дата рождения:\n[birth_date], Тула.'],
];

function streamed(pieces: readonly string[]): string {
  const scanner = new StreamScanner(MODES, new Vault());
  return pieces.map((piece) => scanner.push(piece)).join('') + scanner.flush();
}

describe('a streamed answer', () => {
  it.each(ANSWERS)('of «%s» is masked the same wherever it is cut', (text, masked) => {
    for (let cut = 0; cut <= text.length; cut += 1) {
      expect(streamed([text.slice(0, cut), text.slice(cut)])).toBe(masked);
    }
    expect(streamed([...text])).toBe(masked);
  });
});

/** What somebody may send to make an expression run for ever. */
const ENDLESS = [
  ...['а', 'ул.', 'ул. ', 'Тула, ', 'ул. Садовая ', 'г. Тула, ул. Садовая, ', 'д. 5, ', 'кв. 1, '],
  ...[
    'собака ',
    'точка ',
    'a собака b точка ',
    'a.',
    'a точка ',
    '@ ',
    ' @a',
    '@',
    'тире ',
    '(at)',
  ],
  ...[
    'пароль ',
    'пароль от базы ',
    'пароль: ',
    'token=',
    'pass 1',
    'логин/пароль: ',
    'login/pass ',
  ],
  ...['тг ', 'телеграм: ', 't.me/', 'https://t.me/a.', 'пишите мне ', '@a.', 'live:', 'vk.com/'],
  ...[
    'рождения ',
    'рожденя 1',
    'др ',
    '12 05 ',
    '1 ',
    '1.1.',
    '9164-',
    '9164 № ',
    'паспорт 91 64 ',
  ],
];

describe('a hostile text', () => {
  it.each(ENDLESS)('that repeats %j takes time by its length', (unit) => {
    const detectors = [
      ...[detectAddresses, detectHandles, detectMentions, detectNamedSecrets, detectBirths],
      ...[detectSpacedEmails, detectSpeltEmails, (text: string) => scan(text, MODES)],
    ];
    // By the square of its length, a text of this size would take minutes.
    const text = `${unit.repeat(Math.ceil(100_000 / unit.length))} 1`;
    for (const detect of detectors) expect(detect(text).length).toBeLessThanOrEqual(text.length);
  });
});
