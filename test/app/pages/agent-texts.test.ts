import { describe, expect, it } from 'vitest';
import { fullText, shortText } from '../../../src/app/pages/agent-texts.js';
import { OpenApiView } from '../../../src/app/pages/openapi-view.js';
import { readingOf } from '../../../src/app/pages/reading.js';
import { OPENAPI, servePages } from './served.js';

const ENGLISH = readingOf({ query: {}, headers: {} });
const RUSSIAN = readingOf({ query: {}, headers: { 'accept-language': 'ru' } });

function views(description: object = OPENAPI) {
  return OpenApiView.inLanguages(JSON.stringify(description));
}

/** The part of a text that begins with a heading, to the next one of its level or above. */
function partOf(text: string, heading: string): string {
  const from = text.indexOf(`${heading}\n`);
  const level = heading.indexOf(' ');
  const next = new RegExp(`\\n#{1,${level}} `, 'g');
  next.lastIndex = from + heading.length;
  return text.slice(from, next.exec(text)?.index ?? text.length).trim();
}

describe('llms.txt', () => {
  it('has one line for each operation', () => {
    expect(partOf(shortText(views().en, ENGLISH), '## things')).toBe(
      [
        '## things',
        '',
        '- `POST /things/{id}`: Changes a thing.',
        '- `GET /open` (public): Reads what is open.',
      ].join('\n'),
    );
  });
});

describe('llms-full.txt', () => {
  it('says of an operation what OpenAPI says of it', () => {
    expect(partOf(fullText(views().en, 'type Query', ENGLISH), '### POST /things/{id}')).toBe(
      [
        '### POST /things/{id}',
        '',
        'Changes a thing.',
        '',
        'Twice the same is once.',
        '',
        'Access: a bearer credential.',
        '',
        'Parameters:',
        '',
        '- `id` (path, string, required)',
        '',
        'Body:',
        '',
        '- `size` (one of small, large, required): How large.',
        '- `parts` (array of object)',
        '  - `name` (string or null)',
        '- `spare` (object or null)',
        '  - `name` (string or null)',
        '',
        'Example body:',
        '',
        '```json',
        '{\n  "size": "small"\n}',
        '```',
        '',
        'Answer 200 (application/json):',
        '',
        '- `name` (string or null)',
      ].join('\n'),
    );
  });

  it('says the same in Russian around what the description says', () => {
    expect(partOf(fullText(views().ru, 'type Query', RUSSIAN), '### POST /things/{id}')).toBe(
      [
        '### POST /things/{id}',
        '',
        'Changes a thing.',
        '',
        'Twice the same is once.',
        '',
        'Доступ: по ключу или токену (Bearer).',
        '',
        'Параметры:',
        '',
        '- `id` (path, string, обязательно)',
        '',
        'Тело запроса:',
        '',
        '- `size` (одно из: small, large, обязательно): How large.',
        '- `parts` (список из object)',
        '  - `name` (string или null)',
        '- `spare` (object или null)',
        '  - `name` (string или null)',
        '',
        'Пример тела:',
        '',
        '```json',
        '{\n  "size": "small"\n}',
        '```',
        '',
        'Ответ 200 (application/json):',
        '',
        '- `name` (string или null)',
      ].join('\n'),
    );
  });

  it('ends with the GraphQL schema', () => {
    const text = fullText(views().en, 'type Query {\n  a: Int\n}\n', ENGLISH);
    expect(partOf(text, '# GraphQL schema')).toBe(
      '# GraphQL schema\n\n```graphql\ntype Query {\n  a: Int\n}\n```',
    );
  });

  it('ends also where a schema refers to itself', () => {
    const Node = { type: 'object', properties: { next: { $ref: '#/components/schemas/Node' } } };
    const content = { 'application/json': { schema: { $ref: '#/components/schemas/Node' } } };
    const made = { tags: ['things'], summary: 'Loops.', security: [], responses: {} };
    const post = { ...made, requestBody: { content } };
    const loop = { ...OPENAPI, paths: { '/loop': { post } }, components: { schemas: { Node } } };
    expect(partOf(fullText(views(loop).en, '', ENGLISH), '### POST /loop')).toContain(
      '- `next` (object)\n  - `next` (object)\n    - `next` (object)',
    );
  });
});

describe('both texts', () => {
  it('name the address that the caller used, and never another one', async () => {
    const pages = await servePages();
    for (const path of ['/llms.txt', '/llms-full.txt']) {
      const text = await (await pages.get(path)).text();
      expect(text).toContain(
        `- Base address: ${pages.baseUrl}; of SDK clients: ${pages.baseUrl}/v1`,
      );
      expect(text).not.toContain('{base_url}');
    }
    await pages.close();
  });
});
