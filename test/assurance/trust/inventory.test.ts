import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type OwnFacts,
  writeDocument,
} from '../../../src/assurance/procurement/documents.rules.js';
import { CONTENT_LINES, contentSentence } from '../../../src/assurance/trust/contents.rules.js';
import { CONTENTS, strictestUnread, UNREAD_KINDS } from '../../../src/kernel/firewall/contents.js';
import { rest, startApp, type TestApp } from '../../support/app.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const UNREAD_BY_DEFAULT = strictestUnread([]);

/** Sentences that promise more than the inventory, in both languages. */
const BEYOND = new RegExp(
  [
    'кажд(?:ая|ый|ое|ую)\\s+(?:строк|текст|слов|запрос)\\S*(?:\\s+\\S+){0,4}\\s+(?:проверя|чита)',
    'все\\s+(?:данные|тексты)\\s+проверя',
    'every\\s+(?:text|string|line)[^.]{0,40}\\b(?:is|are)\\s+(?:read|inspected|checked|scanned)',
    'персональные\\s+данные\\s+не\\s+покидают',
    '(?<!unmasked\\s)data\\s+of\\s+class\\s+C3\\s+and\\s+above\\s+(?:is\\s+)?(?:never|cannot)\\b',
    'personal\\s+data\\s+(?:\\S+\\s+){0,6}?(?:never\\s+leaves|cannot\\s+leave|stays\\s+inside)',
  ].join('|'),
  'i',
);

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((each) => {
    const path = join(folder, each.name);
    if (each.isDirectory()) return filesUnder(path);
    return /\.(?:ts|yaml|md|graphql)$/.test(each.name) ? [path] : [];
  });
}

describe('what is told of the firewall', () => {
  it('promises nothing beyond the inventory, in pages, documents and descriptions', () => {
    const files = [
      ...['src/assurance', 'src/app/pages', 'src/inference', 'src/access/policies', 'docs'].flatMap(
        filesUnder,
      ),
      ...['README.md', 'SECURITY.md', 'ARCHITECTURE.md', 'OPERATIONS.md', 'CHANGELOG.md'],
      'schema.graphql',
    ];
    expect(files.filter((path) => BEYOND.test(readFileSync(path, 'utf8')))).toEqual([]);
    expect('Каждая строка запроса и ответа проверяется').toMatch(BEYOND);
    expect('Every text of a request is read').toMatch(BEYOND);
    for (const promise of [
      'Найденные персональные данные не покидают Россию',
      'Data of class C3 and above never leaves Russia',
      'data of class C3\n  and above is never sent to them',
      'Personal data of class C3 and above cannot leave Russia',
    ]) {
      expect(promise).toMatch(BEYOND);
    }
    expect('Unmasked data of class C3 and above never leaves Russia.').not.toMatch(BEYOND);
  });
});

interface Pack {
  readonly overview: {
    readonly contents: readonly { readonly code: string }[];
    readonly controls: readonly { readonly code: string; readonly statement: string }[];
  };
  readonly questionnaire: {
    readonly questions: readonly {
      readonly code: string;
      readonly answer: string;
      readonly explanation: string;
    }[];
  };
}

describe('the vendor pack', () => {
  it('lists all of the inventory, and its controls and answers name what is not read', async () => {
    const { body } = await rest<Pack>(app, 'GET', '/v1/gw/trust/vendor-pack', {});
    expect(body.overview.contents.map(({ code }) => code)).toEqual(CONTENTS.codes);
    const statement = (code: string) =>
      body.overview.controls.find((one) => one.code === code)?.statement;
    for (const { title } of UNREAD_KINDS) expect(statement('unread_held')).toContain(title);
    for (const { title, carrier } of CONTENTS.rows) {
      if (carrier === 'answer') expect(statement('firewall')).toContain(title);
    }
    const asked = (code: string) => body.questionnaire.questions.find((one) => one.code === code);
    for (const code of ['data_location', 'personal_data_found']) {
      expect(asked(code)).toMatchObject({ answer: 'partly' });
      expect(asked(code)?.explanation).toContain('изображения');
    }
  });

  it('of a purchase lists it in its security document and holds to it in the others', () => {
    const project = { name: 'a', hybrid: 'hybrid', firewall: {}, unread: UNREAD_BY_DEFAULT };
    const own = {
      projects: [project, { ...project, unread: { ...UNREAD_BY_DEFAULT, image: 'allow' } }],
      routes: [],
      kept: {},
      trust: { settings: {}, providers: [] },
    } as unknown as OwnFacts;
    const pack = { legalName: null, inn: null, answered: new Set<string>() };
    const text = (type: 'security' | 'rf_only' | 'data_routing') =>
      writeDocument(type, own, pack).paragraphs.join('\n');
    for (const line of CONTENT_LINES) expect(text('security')).toContain(contentSentence(line));
    for (const type of ['rf_only', 'data_routing'] as const) {
      for (const { title } of UNREAD_KINDS) expect(text(type)).toContain(title);
      expect(text(type)).toContain(
        'Непрочитанное: изображения: политика разрешает любые маршруты.',
      );
    }
  });

  it('says of each kind in a sentence who reads it', () => {
    const sentences = CONTENT_LINES.map((line) => contentSentence(line));
    expect(sentences).toContain('запрос, изображения: не читается; только маршруты в России.');
    expect(new Set(sentences).size).toBe(CONTENTS.codes.length);
  });
});
