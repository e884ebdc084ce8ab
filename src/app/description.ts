import { join } from 'node:path';
import { readAnswers } from '../../rest-compat/answers.js';
import type { ServedDocument } from '../../rest-compat/hooks.js';
import { buildOpenApi, openApiDocuments } from '../../rest-compat/openapi.js';
import { buildPostman } from '../../rest-compat/postman.js';
import type { RestTable } from '../../rest-compat/row.js';
import { once, servedAt } from '../../rest-compat/served.js';
import { projectRoot } from '../platform/database/project-root.js';
import { codesOfRow } from './row-errors.js';

/** What the examples of the rows were answered. */
export const ANSWERS_FILE = join(projectRoot(), 'rest-compat', 'answers.jsonl');

/** The documents that are made of the rows, each when it is first asked for. */
export function documents(table: RestTable): ReadonlyMap<string, ServedDocument> {
  const openApi = once(() => {
    const answers = () => readAnswers(ANSWERS_FILE);
    return buildOpenApi(table, INFO, { codesOf: codesOfRow(table.schema), answers });
  });
  const postman = once(() => JSON.stringify(buildPostman(table, INFO)));
  return new Map([
    ...openApiDocuments(openApi),
    ['/postman.json', servedAt('application/json; charset=utf-8', postman)],
  ]);
}

const INFO = {
  title: 'LLM gateway',
  version: '1.0.0',
  description:
    'Chat, embeddings and models on the chat-completions wire, billed in rubles, with the ' +
    'management API around them. Every operation is a GraphQL operation too: /graphql. Messages ' +
    'of errors are English, or Russian where the header `Accept-Language` prefers it; codes ' +
    'never change.',
  license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
} as const;
