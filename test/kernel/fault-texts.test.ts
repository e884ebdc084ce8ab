import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../src/kernel/errors/fail.js';
import { told } from '../../src/kernel/errors/told.js';
import { faultTextsOf } from '../support/fault-texts.js';
import { codeBelow } from '../tidy/files.js';

/** What a fault is in Russian; undefined where its words are not known there. */
function russian(message: string): string | undefined {
  const faults = [{ path: 'input.field', code: 'invalid' as const, message }];
  const [fault] = told(new GatewayError('invalid_request', { faults }), 'ru').faults ?? [];
  return fault?.message === message ? undefined : fault?.message;
}

/** What is only whole when it runs: a text of another place, or a clause of another text. */
const PARTS = new Set(
  [
    '.',
    '{}.',
    'must be {}.',
    'is missing: {}.',
    'cannot be given: it is {}.',
    '{}; did you mean {}?',
    'is  a second time.',
    'a day as YYYY-MM-DD.',
    'of the type {}.',
  ].map((what) => `input.field ${what}`),
);

/** A text as it may be when it runs. */
function filledIn(text: string): string {
  return text.replace('exactly: {}', 'exactly: deeper than 64 levels').replaceAll('{}', '5');
}

/** Texts that come together from several places, each as it is said. */
const IN_PARTS = ['of the type number', 'a day as YYYY-MM-DD'].map(
  (type) => `input.changes.amount must be ${type}.`,
);

describe('every fault that the code writes out is said in Russian too:', () => {
  it('none of them stays English', () => {
    const found = codeBelow('src').flatMap(({ path, text }) =>
      faultTextsOf(text).map((fault) => `${path}\t${fault}`),
    );
    const english = found.filter((line) => {
      const [, text = ''] = line.split('\t');
      return !PARTS.has(text) && russian(filledIn(text)) === undefined;
    });
    expect(english).toEqual([]);
    expect(found.length).toBeGreaterThan(250);
  });

  it.each([
    ...IN_PARTS,
    'input.name cannot be kept exactly: the number 1e400 cannot be sealed exactly.',
    'input.schema cannot be used: it cannot be recorded exactly: deeper than 64 levels.',
    'input.schema cannot be used: strict mode: unknown keyword: "x".',
    'input.value cannot be judged: it took longer than 50 ms.',
    'input.template, line 3: tag "include" not found.',
    'metadata.blueprint_run cannot be given: it is the id of the run, by which usage names it.',
    'input.target must be gw:auto, a model of GET /v1/models or route:<policy key>.',
    'text or tokens are needed.',
    'input.arguments must have at most 32 levels; it has 40.',
  ])('%s', (message) => {
    expect(russian(message)).toMatch(/[а-яё]{4}/);
  });
});
