import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inspectResponse } from '../../../src/inference/firewall/inspect.js';
import { Vault } from '../../../src/inference/firewall/mask.js';
import { StreamScanner } from '../../../src/inference/firewall/stream.js';
import { DEFAULT_MODES } from '../../../src/kernel/firewall/vocabulary.js';

const word = fc.stringMatching(/^[a-zа-я]{1,12}$/);
const value = fc.constantFrom(
  'ivan@corp.ru',
  '+7 916 123-45-67',
  '4111 1111 1111 1111',
  'ИНН 7707083893',
  'sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH',
  'заказ 12345',
  '[[GW_EMAIL_1]]',
);
const text = fc
  .array(fc.oneof({ weight: 6, arbitrary: word }, { weight: 1, arbitrary: value }), {
    maxLength: 60,
  })
  .map((words) => words.join(' '));

describe('a whole answer', () => {
  it('is judged as the same text in a stream', () => {
    fc.assert(
      fc.property(text, (content) => {
        const body = { choices: [{ message: { role: 'assistant', content } }] };
        const inspection = inspectResponse(body, DEFAULT_MODES, new Vault());
        const scanner = new StreamScanner(DEFAULT_MODES, new Vault());
        const streamed = [...content].map((piece) => scanner.push(piece)).join('');
        const whole = streamed + scanner.flush();
        expect(inspection.findings).toEqual(scanner.report.tally.counts());
        expect(inspection.body.choices[0]?.message.content).toBe(whole);
      }),
    );
  });
});
