import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../src/inference/firewall/finding.js';
import { JsonText } from '../../../src/inference/firewall/json-text.js';
import {
  type Encoding,
  replaceRanges,
  unmaskText,
  Vault,
} from '../../../src/inference/firewall/mask.js';
import { scan } from '../../../src/inference/firewall/scan.js';
import { StreamScanner, StreamUnmasker } from '../../../src/inference/firewall/stream.js';
import { DEFAULT_MODES, type FirewallModes } from '../../../src/kernel/firewall/vocabulary.js';
import * as valid from './generators.js';

const ALL_MASKED = Object.fromEntries(
  Object.keys(DEFAULT_MODES).map((code) => [code, 'mask']),
) as FirewallModes;

function maskFindings(
  text: string,
  findings: readonly Finding[],
  vault: Vault,
  encoding: Encoding,
): string {
  vault.reserve(text);
  const json = encoding === 'json' ? new JsonText(text) : undefined;
  const written = (place: number) => json?.writtenPlace(place) ?? place;
  const places = findings.map(({ start, end }) => ({ start: written(start), end: written(end) }));
  const instead = findings.map(({ class: code, start, end }) =>
    vault.placeholderFor(code, (json?.view ?? text).slice(start, end)),
  );
  return replaceRanges(text, places, instead, encoding);
}

function mask(text: string, vault: Vault): string {
  return maskFindings(text, scan(text, ALL_MASKED), vault, 'plain');
}
describe('masking', () => {
  it('gives the same placeholder for the same value, another one for another value', () => {
    const vault = new Vault();
    expect(mask('+79161234567, +79161234568, +79161234567; a@b.ru', vault)).toBe(
      '[[GW_PHONE_1]], [[GW_PHONE_2]], [[GW_PHONE_1]]; [[GW_EMAIL_1]]',
    );
    expect(mask('снова +79161234568', vault)).toBe('снова [[GW_PHONE_2]]');
  });

  it('never gives out a placeholder that the client wrote itself', () => {
    const vault = new Vault();
    const text = 'Что значит [[GW_PHONE_1]]? Мой телефон +79161234567';
    const masked = mask(text, vault);
    expect(masked).toBe('Что значит [[GW_PHONE_1]]? Мой телефон [[GW_PHONE_2]]');
    expect(unmaskText(masked, vault)).toBe(text);
  });

  it('is undone exactly, for any text', () => {
    fc.assert(
      fc.property(valid.nastyText, (text) => {
        const vault = new Vault();
        expect(unmaskText(mask(text, vault), vault)).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  it('leaves no value in the masked text', () => {
    const contact = fc.tuple(valid.phone, valid.email, valid.gatewayKey);
    fc.assert(
      fc.property(contact, ([phone, email, key]) => {
        const masked = mask(`Телефон ${phone}, почта ${email}, ключ ${key}.`, new Vault());
        expect(masked).toBe('Телефон [[GW_PHONE_1]], почта [[GW_EMAIL_1]], ключ [[GW_SECRET_1]].');
      }),
    );
  });

  it('keeps JSON valid, sees through its escapes, and escapes what it puts back', () => {
    const vault = new Vault();
    const source =
      '{"note":"line\\n\\u0418\\u041d\\u041d: 7707083893\\n+79161234567","inn":7707083893}';
    const view = new JsonText(source).view;
    const masked = maskFindings(source, scan(view, ALL_MASKED), vault, 'json');
    expect(JSON.parse(masked)).toEqual({
      note: 'line\nИНН: [[GW_INN_1]]\n[[GW_PHONE_1]]',
      inn: '[[GW_INN_1]]',
    });
    const key = '-----BEGIN PRIVATE KEY-----\nMIIEow\n-----END PRIVATE KEY-----';
    mask(key, vault);
    const answer = unmaskText('{"key":"[[GW_SECRET_1]]"}', vault, 'json');
    expect(JSON.parse(answer)).toEqual({ key });
  });

  it('of any JSON document leaves a document with the same values after unmasking', () => {
    const leaf = fc.oneof(valid.nastyText, fc.string({ unit: 'binary' }));
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), leaf, { maxKeys: 4 }),
        fc.boolean(),
        (value, ascii) => {
          const written = JSON.stringify(value);
          const source = ascii
            ? written.replace(
                /[\u0080-\uffff]/g,
                (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
              )
            : written;
          const vault = new Vault();
          const found = scan(new JsonText(source).view, ALL_MASKED);
          const masked = maskFindings(source, found, vault, 'json');
          expect(JSON.parse(unmaskText(masked, vault, 'json'))).toEqual(value);
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('unmasking a stream', () => {
  it('gives the text of the whole, for any text and any split', () => {
    fc.assert(
      fc.property(valid.splitText(valid.nastyText), ({ whole, pieces }) => {
        const vault = new Vault();
        vault.placeholderFor('phone', '+79161234567');
        vault.placeholderFor('inn', 'line\n"7707083893"');
        for (const encoding of ['plain', 'json'] as const) {
          const stream = new StreamUnmasker(vault, encoding);
          const emitted = pieces.map((piece) => stream.push(piece)).join('') + stream.flush();
          expect(emitted).toBe(unmaskText(whole, vault, encoding));
        }
      }),
      { numRuns: 500 },
    );
  });

  it('holds back only what could be the beginning of a placeholder', () => {
    const vault = new Vault();
    vault.placeholderFor('phone', '+79161234567');
    const stream = new StreamUnmasker(vault);
    expect(stream.push('массив a[0] и [[1, 2]] и [[G')).toBe('массив a[0] и [[1, 2]] и ');
    expect(stream.push('W_PHO')).toBe('');
    expect(stream.push('NE_1]] готово [')).toBe('+79161234567 готово ');
    expect(stream.flush()).toBe('[');
  });

  it('passes everything at once where nothing was masked', () => {
    const stream = new StreamUnmasker(new Vault());
    expect(stream.push('[[GW_')).toBe('[[GW_');
    expect(stream.flush()).toBe('');
  });
});

describe('scanning a stream', () => {
  const whole = (text: string, modes = ALL_MASKED, vault = new Vault()) => {
    const scanner = new StreamScanner(modes, vault);
    return { text: scanner.push(text) + scanner.flush(), findings: scanner.report.tally.counts() };
  };

  it('gives the text and the counts of the whole, for any text and any split', () => {
    const long = fc.array(valid.nastyText, { maxLength: 8 }).map((texts) => texts.join(' слово '));
    fc.assert(
      fc.property(valid.splitText(long), ({ whole: text, pieces }) => {
        const scanner = new StreamScanner(ALL_MASKED, new Vault());
        const emitted = pieces.map((piece) => scanner.push(piece)).join('') + scanner.flush();
        expect({ text: emitted, findings: scanner.report.tally.counts() }).toEqual(whole(text));
      }),
      { numRuns: 500 },
    );
  });

  it('masks what it finds irreversibly by its class', () => {
    expect(whole('Пишите на ivan@corp.ru или звоните +7 916 123-45-67.')).toEqual({
      text: 'Пишите на [email] или звоните [phone].',
      findings: [
        { class: 'phone', count: 1, confidence: 'confirmed' },
        { class: 'email', count: 1, confidence: 'confirmed' },
      ],
    });
  });

  it('masks a whole private key and goes on behind it', () => {
    const key = `-----BEGIN RSA PRIVATE KEY-----\n${'MIIEowIBAAKCAQEA\n'.repeat(60)}`;
    const text = `Ключ:\n${key}-----END RSA PRIVATE KEY-----\nГотово.`;
    expect(whole(text).text).toBe('Ключ:\n[secret]\nГотово.');
  });

  it('masks identifiers wherever they stand in a long text', () => {
    const prose = 'Обычные слова без чисел и знаков. ';
    fc.assert(
      fc.property(
        fc.nat(40),
        fc.nat(40),
        valid.phone,
        valid.email,
        (before, after, phone, email) => {
          const text = `${prose.repeat(before)}${phone} и ${email} ${prose.repeat(after)}`;
          expect(whole(text).text).toBe(text.replace(phone, '[phone]').replace(email, '[email]'));
        },
      ),
    );
  });

  it('lets prose pass word by word and holds a number until 40 characters later', () => {
    const scanner = new StreamScanner(ALL_MASKED, new Vault());
    expect(scanner.push('Обычные слова идут сра')).toBe('Обычные слова идут ');
    expect(scanner.push('зу, звоните +7916')).toBe('сразу, звоните ');
    expect(scanner.push('1234567 ')).toBe('');
    const rest = 'в рабочее время, мы будем рады помочь вам ';
    expect(scanner.push(rest)).toBe(`[phone] ${rest}`);
  });

  it('holds a word with a capital until it is clear that no name goes on', () => {
    const scanner = new StreamScanner(ALL_MASKED, new Vault());
    expect(scanner.push('Договор подписал Иванов ')).toBe('Договор подписал ');
    expect(scanner.push('Иван Иванович ')).toBe('');
    expect(scanner.push('вчера. Готово')).toBe('[person_name] вчера. ');
  });

  it('does not count or mask what the client sent, in any spelling', () => {
    const vault = new Vault();
    vault.remember('phone', '+7 (916) 123-45-67');
    const text = 'Ваш номер 8 916 123-45-67, наш +7 495 000-11-22';
    expect(whole(text, ALL_MASKED, vault)).toEqual({
      text: 'Ваш номер 8 916 123-45-67, наш [phone]',
      findings: [{ class: 'phone', count: 1, confidence: 'confirmed' }],
    });
  });

  it('under detect holds nothing back and counts the same', () => {
    const scanner = new StreamScanner({ ...DEFAULT_MODES, secret: 'detect' }, new Vault());
    expect(scanner.push('Почта ivan@co')).toBe('Почта ivan@co');
    expect(scanner.push('rp.ru')).toBe('rp.ru');
    expect(scanner.flush()).toBe('');
    expect(scanner.report.tally.counts()).toEqual([
      { class: 'email', count: 1, confidence: 'confirmed' },
    ]);
  });

  it('keeps the arguments of a tool call valid JSON', () => {
    const scanner = new StreamScanner(ALL_MASKED, new Vault(), 'json');
    const emitted = ['{"inn":77070', '83893,"to":"a@', 'b.ru"}'].map((part) => scanner.push(part));
    expect(emitted).toEqual(['', '', '']);
    expect(JSON.parse(scanner.flush())).toEqual({ inn: '[inn]', to: '[email]' });
  });
});
