import { fieldTable, text } from '../../kernel/fields/field.js';

/** A document for programs, agents among them. */
export interface MachineDocument {
  readonly path: string;
  readonly name: string;
  readonly about: string;
}

/** Every document for programs, once: the start page, the texts and the quickstarts list these. */
export const MACHINE_DOCUMENTS: readonly MachineDocument[] = [
  {
    path: '/agents.md',
    name: 'Instructions for agents',
    about: 'How an agent uses this gateway: credentials, rules, and what to read next.',
  },
  { path: '/llms.txt', name: 'llms.txt', about: 'The short index for language models.' },
  {
    path: '/llms-full.txt',
    name: 'llms-full.txt',
    about: 'All operations and the schema as one text.',
  },
  {
    path: '/docs/operations.md',
    name: 'Operations',
    about: 'Every REST operation, each with a page of its own.',
  },
  {
    path: '/docs/errors.md',
    name: 'Errors as text',
    about: 'Every error code, each with a page of cause and fix.',
  },
  {
    path: '/docs/quickstart.md',
    name: 'Quickstarts',
    about: 'The first request in each stack, with code that is checked by tests.',
  },
  {
    path: '/openapi.json',
    name: 'OpenAPI 3.1',
    about: 'Every REST path for programs, with examples that work; also as YAML.',
  },
  {
    path: '/postman.json',
    name: 'Postman',
    about: 'A collection with a request for each REST path.',
  },
  {
    path: '/schema.graphql',
    name: 'GraphQL schema',
    about: 'Every type of the schema with its description.',
  },
];

/** A document as an answer names it. */
export const DOCUMENT_LINK = fieldTable(
  'DocumentLink',
  'A document for programs and agents, at the address that the caller used.',
  {
    name: text('What the document is called.'),
    url: text('Where it is read.'),
    about: text('What is found in it.'),
  },
);
