import { describe, expect, it } from 'vitest';
import { inspectRequest } from '../../../src/inference/firewall/inspect.js';
import { DEFAULT_MODES } from '../../../src/kernel/firewall/vocabulary.js';
import { base64, SIGNS } from './base64-cases.js';

const HALVES = [SIGNS.slice(0, 28), SIGNS.slice(28)];
const [HEAD = '', TAIL = ''] = HALVES;
const part = (text: string) => ({ type: 'text', text });
const user = (content: unknown) => ({ role: 'user', content });
const IMAGE = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };

const parts = (...texts: string[]) => ({ model: 'm', messages: [user(texts.map(part))] });
const messages = (...texts: string[]) => ({
  model: 'm',
  messages: texts.map((text, at) => ({ role: at % 2 ? 'assistant' : 'user', content: text })),
});
const inputs = (...input: string[]) => ({ model: 'm', input });

/** The places of what nothing reads, each with its kind. */
function unreadIn(body: object): string[] {
  const { unread } = inspectRequest(body, DEFAULT_MODES);
  return unread.map(({ kind, place }) => `${kind} in ${place}`);
}

describe('base64 that two texts share', () => {
  it.each([
    ['parts of a message', parts(...HALVES), ['file in messages.0.content.1']],
    ['messages', messages(...HALVES), ['file in messages.1']],
    ['texts that are embedded', inputs(...HALVES), ['file in input.1']],
    ['parts with an empty one between', parts(HEAD, '', TAIL), ['file in messages.0.content.2']],
    ['parts with a line between', parts(HEAD, '\n', TAIL), ['file in messages.0.content.2']],
    ['messages with an empty one between', messages(HEAD, '', TAIL), ['file in messages.2']],
    ['messages with a blank one between', messages(HEAD, ' \n ', TAIL), ['file in messages.2']],
    [
      'parts with an image between',
      { model: 'm', messages: [user([part(HEAD), IMAGE, part(TAIL)])] },
      ['image in messages.0.content.1', 'file in messages.0.content.2'],
    ],
    [
      'three parts of 19 and 22 signs',
      parts(SIGNS.slice(0, 19), SIGNS.slice(19, 38), SIGNS.slice(38)),
      ['file in messages.0.content.2'],
    ],
    [
      'sixty parts of one sign',
      parts(...SIGNS),
      Array.from({ length: 21 }, (_, at) => `file in messages.0.content.${at + 39}`),
    ],
    ['words around it', messages(`Here: ${HEAD}`, `${TAIL} and so on`), ['file in messages.1']],
    ['a quote', messages(HEAD, `> ${TAIL}`), ['file in messages.1']],
    ['an invisible sign', messages(`${HEAD}\u200b`, `\u200b${TAIL}`), ['file in messages.1']],
    ['other signs before it', messages(`some-name-${HEAD}`, TAIL), ['file in messages.1']],
    [
      'a head of 4 signs',
      messages(SIGNS.slice(0, 56), `${SIGNS.slice(56)} end`),
      ['file in messages.1'],
    ],
    ['a head of 3 signs', messages(SIGNS.slice(0, 57), `${SIGNS.slice(57)} end`), []],
    [
      'a head of 3 signs alone',
      messages(SIGNS.slice(0, 57), SIGNS.slice(57)),
      ['file in messages.1'],
    ],
    [
      'a first half that ends in =',
      messages(base64('Call +7 916 1'), base64('23-45-67 today, please')),
      [],
    ],
    ['39 signs', messages(SIGNS.slice(0, 20), SIGNS.slice(20, 39)), []],
    ['40 signs', messages(SIGNS.slice(0, 20), SIGNS.slice(20, 40)), ['file in messages.1']],
    [
      'prose',
      messages('Speak of the internationalization', 'Characteristically enough, it is so'),
      [],
    ],
    [
      'long words alone',
      messages('internationalization-of-documents-2026', 'Counterrevolutionaries'),
      [],
    ],
    [
      'paths',
      messages('see /usr/lib/python3/dist-packages/Module42', 'src/inference/firewall/Base64'),
      [],
    ],
    ['digests', messages('d6cd1e2bd19e03a81132a23b20', '25920577f84e37d6cd1e2bd19e'), []],
  ])('counts as unread where it goes on, and nowhere else: %s', (_what, body, places) => {
    expect(unreadIn(body)).toEqual(places);
  });

  it.each([
    ['two', 'ящик для писем и посылок на почте'],
    ['three', '€100 — за одну штуку — это цена'],
    ['four', '😀 привет 😀 как дела 😀 хорошо'],
  ])('counts where letters of %s bytes are cut at both ends', (_count, text) => {
    for (const [first, last] of [
      [1, 1],
      [2, 2],
      [3, 3],
      [1, 3],
    ] as const) {
      const bytes = Buffer.from(text).subarray(first, -last);
      const signs = bytes.toString('base64').replace(/=+$/, '');
      expect(unreadIn(messages(signs.slice(0, 24), signs.slice(24)))).toEqual([
        'file in messages.1',
      ]);
    }
  });

  it('is found behind a long row of signs, of which the last ones are kept', () => {
    const pieces = Array.from({ length: 300 }, () => 'A'.repeat(37));
    const body = messages(...pieces, HEAD, TAIL);
    expect(unreadIn(body).at(-1)).toBe('file in messages.301');
  });
});
