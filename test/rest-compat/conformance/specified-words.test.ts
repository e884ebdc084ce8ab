import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadRestTable } from '../../../src/app/rest.js';
import { GatewayError } from '../../../src/kernel/errors/fail.js';
import { startApp, type TestApp } from '../../support/app.js';
import { backdateTenants, ExampleRun, inRunningOrder, type RanExample } from './examples.js';
import {
  answerHas,
  requestWith,
  rowOf,
  type SpecifiedWord,
  specifiedWords,
} from './specified-words.js';

const { rows } = await loadRestTable();
const words = specifiedWords();
const sent = words.filter(({ side, value }) => side === 'in' && value !== '');
const told = ({ method, path, word, value }: SpecifiedWord) => `${method} ${path} ${word} ${value}`;

describe('the table of words', () => {
  it('has every row of the specification, in its order', () => {
    const file = new URL('../../../rest-compat/documented.tsv', import.meta.url);
    const [, ...lines] = readFileSync(fileURLToPath(file), 'utf8').trimEnd().split('\n');
    const documented = lines.map((line) => line.split('\t').slice(1, 3).join(' '));
    const listed = words.map(({ method, path }) => `${method} ${path}`);
    expect([...new Set(listed)]).toEqual(documented);
    expect(documented).toHaveLength(256);
  });

  it('names for each word a member that its row takes, or a refusal', () => {
    const wrong = sent.flatMap((word) => {
      const found = bindingOf(word);
      if (word.member === '') return found.refused ? [] : [`${told(word)} is taken`];
      const isRefused = found.refused && !word.answer.startsWith('invalid_request');
      return found.ignored || isRefused ? [`${told(word)}: ${found.message}`] : [];
    });
    expect(wrong).toEqual([]);
  });

  it('names for each word of an answer a member that the row selects', () => {
    const wrong = words
      .filter(({ side }) => side === 'out')
      .filter((word) => !answerHas(rowOf(rows, word), word.member));
    expect(wrong.map(({ path, word, member }) => `${path} ${word} ${member}`)).toEqual([]);
  });
});

/** What the binding of a row makes of a word: whether it names it, and whether it ignores it. */
function bindingOf(word: SpecifiedWord) {
  const row = rowOf(rows, word);
  const name = word.word.replace('?', '');
  try {
    const { ignored } = row.bind(requestWith(row, word));
    return { refused: false, ignored: ignored.includes(name), message: 'is ignored' };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const named = error.details.faults?.some(({ path }) => path === name) ?? false;
    return { refused: named, ignored: !named, message: error.message };
  }
}

interface Refusal {
  readonly error: { readonly code: string; readonly faults?: readonly { readonly path: string }[] };
}

describe('every word of the specification, sent in the example of its row,', () => {
  const answers: (readonly [SpecifiedWord, RanExample])[] = [];
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp();
    const run = new ExampleRun(app, rows);
    for (const row of inRunningOrder(rows)) {
      // What only reads leaves nothing to the rows behind it.
      if (row.operationKind === 'mutation') await run.run(row);
      if (row.name === 'RegisterTenant') await backdateTenants(app);
      for (const word of sent) {
        if (rowOf(rows, word) !== row) continue;
        answers.push([word, await run.run(row, requestWith(row, word))]);
      }
    }
  }, 300_000);
  afterAll(() => app?.stop());

  it('is accepted, or refused by its name', () => {
    const wrong = answers.flatMap(([word, { status, body }]) => {
      const { code = '', faults = [] } = (body as Refusal | null)?.error ?? {};
      const paths = faults.map(({ path }) => path);
      const [wanted, field] = word.answer.split(':');
      const isRefusal = word.member === '' && status === 400 && paths.includes(word.word);
      const isKnown = word.member !== '' && (status < 300 || code === wanted);
      const isNamed = field === undefined || paths.includes(field);
      return isRefusal || (isKnown && isNamed)
        ? []
        : [[told(word), status, JSON.stringify(body).slice(0, 300)]];
    });
    expect(wrong).toEqual([]);
    expect(answers).toHaveLength(sent.length);
  });
});
