import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodedAt } from '../../../src/inference/firewall/decoded.js';
import { inspectRequest, inspectResponse } from '../../../src/inference/firewall/inspect.js';
import { Vault } from '../../../src/inference/firewall/mask.js';
import { DEFAULT_MODES } from '../../../src/kernel/firewall/vocabulary.js';

const MASKING = { ...DEFAULT_MODES, phone: 'mask', email: 'mask' } as const;
const PHONE = '+79123456789';
const LIST = `phone;name\r\n${PHONE};Ivan\r\n8 (912) 345-67-89;Petr`;

const base64 = (text: string, encoding: BufferEncoding = 'utf8') =>
  Buffer.from(text, encoding).toString('base64');
const wrapped = (text: string) => base64(text).replace(/(.{20})/g, '$1\r\n');
const bigEndian = (text: string) => Buffer.from(text, 'utf16le').swap16().toString('base64');
/** A line of Russian letters as Windows writes it. */
const CYRILLIC = `${'Телефон'.replace(/./g, '\xd2')};\xc8\xec\xff\r\n${LIST}`;

const inFile = (data: string) => ({
  model: 'm',
  messages: [{ role: 'user', content: [{ type: 'file', file: { file_data: data } }] }],
});
const inUrl = (url: string) => ({
  model: 'm',
  messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }],
});

/** Everything that a body says, with whatever is base64 in it decoded. */
function said(body: object): string {
  const whole = JSON.stringify(body);
  const decoded = [...whole.matchAll(/[\w+/-]{8,}=*/g)].map(([text]) => {
    const bytes = Buffer.from(text, 'base64');
    return `${bytes.toString('latin1')} ${bytes.toString('latin1').replaceAll('\0', '')}`;
  });
  return [whole, ...decoded].join('\n');
}

const LEAVING: readonly (readonly [what: string, body: object])[] = [
  ['a short file', inFile(base64(PHONE))],
  ['a short file with an address', inFile(`data:text/plain;base64,${base64(PHONE)}`)],
  ['a short text as an image', inUrl(`data:text/plain;base64,${base64(PHONE)}`)],
  ['an address in capitals', inUrl(`DATA:TEXT/PLAIN;BASE64,${base64(LIST)}`)],
  ['an address with a space', inUrl(`data:text/csv; charset=utf-8; base64,${base64(LIST)}`)],
  ['an address with a quoted name', inUrl(`data:text/csv;name="a b.csv";base64,${base64(LIST)}`)],
  ['base64 in lines', inFile(wrapped(LIST))],
  ['base64 in lines with an address', inUrl(`data:text/csv;base64,${wrapped(LIST)}`)],
  ['base64 spelt by percent', inUrl(`data:;base64,${base64(LIST).replaceAll('=', '%3D')}`)],
  ['a file in UTF-16', inFile(`data:text/csv;base64,${base64(`\ufeff${LIST}`, 'utf16le')}`)],
  ['a file in UTF-16 the other way', inFile(`data:text/csv;base64,${bigEndian(LIST)}`)],
  ['a file in Windows-1251', inFile(`data:text/csv;base64,${base64(CYRILLIC, 'latin1')}`)],
  ['a text that ends with zero', inFile(base64(`${LIST}\0`))],
  ['telephones that are base64', inFile(`${`${PHONE}/`.repeat(6)}ab`)],
  ['telephones with dashes that are base64', inFile('8-912-345-67-89/'.repeat(5))],
  ['such telephones in any member called data', { model: 'm', x: { data: `${PHONE}+`.repeat(8) } }],
];

describe('a telephone in what is encoded', () => {
  it.each(LEAVING)('is masked and blocked: %s', (_what, body) => {
    const masked = inspectRequest(body, MASKING);
    expect(masked.verdict).toBe('masked');
    expect(said(masked.body)).not.toMatch(/9123456789|345-67-89/);
    expect(inspectRequest(body, { ...MASKING, phone: 'block' }).verdict).toBe('blocked');
  });

  it('leaves the rest of the file as it was, in its own writing', () => {
    const masked = '[[GW_PHONE_1]]';
    const text = LIST.replace(PHONE, masked).replace('8 (912) 345-67-89', '[[GW_PHONE_2]]');
    const { body } = inspectRequest(inFile(base64(LIST, 'utf16le')), MASKING);
    expect(body).toEqual(inFile(base64(text, 'utf16le')));
    const windows = inspectRequest(inFile(base64(CYRILLIC, 'latin1')), MASKING);
    expect(windows.body).toEqual(inFile(base64(CYRILLIC.replace(LIST, text), 'latin1')));
  });
});

describe('bytes that are no text', () => {
  it('are never read: as base64 of any length they pass as they are', () => {
    const bytes = fc.integer({ min: 300, max: 3_000 }).map((size) => randomBytes(size));
    fc.assert(
      fc.property(bytes, fc.constantFrom('', 'data:image/png;base64,'), (each, prefix) => {
        const text = prefix + each.toString('base64');
        expect(decodedAt('file_data', text)).toEqual({ kind: 'binary', isReadable: false });
        const body = inFile(text);
        expect(inspectRequest(body, MASKING).body).toBe(body);
      }),
    );
  });
});

describe('words in a member for bytes', () => {
  const KEY = 'AKIAIOSFODNN7EXAMPLE';
  const WORDS = `${KEY} wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY aws secret access key`;
  const RANDOM = Buffer.from(Array.from({ length: 96 }, (_, at) => (at * at * 89 + 131) % 251));
  const BYTES = RANDOM.toString('base64');
  const modes = { ...DEFAULT_MODES, secret: 'mask' } as const;
  const inMember = (name: string, text: string) => ({
    model: 'm',
    messages: [{ role: 'user', content: 'a', [name]: text }],
  });

  it.each(['data', 'file_data', 'b64_json', 'encrypted_content'])('are read in %s', (name) => {
    const { findings, body } = inspectRequest(inMember(name, WORDS), modes);
    expect(findings.map((found) => found.class)).toContain('secret');
    expect(JSON.stringify(body)).not.toContain(KEY);
    const message = { role: 'assistant', content: 'a', [name]: WORDS };
    const answer = inspectResponse({ choices: [{ message }] }, modes, new Vault());
    expect(answer.findings.map((found) => found.class)).toContain('secret');
    expect(JSON.stringify(answer.body)).not.toContain(KEY);
  });

  it.each([
    ['one row', BYTES, { kind: 'binary', isReadable: false }],
    ['rows of one width', BYTES.replace(/(.{40})/g, '$1\n'), { kind: 'binary', isReadable: false }],
    ['rows of JSON files', `${BYTES}\n`, { kind: 'binary', isReadable: false }],
    [
      'rows of two widths',
      `${BYTES.slice(0, 40)}\n${BYTES.slice(40)}`,
      { kind: 'binary', isReadable: true },
    ],
    ['a space', `${BYTES.slice(0, 40)} ${BYTES.slice(40)}`, { kind: 'binary', isReadable: true }],
    [
      'words',
      'just words and nothing but words that are written without a sign or point',
      undefined,
    ],
  ])('are told from bytes: %s', (_what, text, encoded) => {
    expect(decodedAt('data', text)).toEqual(encoded);
  });
});
