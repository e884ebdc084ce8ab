import { BASE_URL_PLACE, fullText, shortText } from './agent-texts.js';

/** What documents are made from. */
export interface DocumentSources {
  /** The description of the REST paths, as text. */
  openapi(): { readonly json: string; readonly yaml: string };
  /** The schema, as text. */
  schemaSdl(): string;
}

/** A document for programs, which the start page leads to. */
export interface PublishedDocument {
  readonly path: string;
  readonly type: string;
  readonly name: string;
  readonly about: string;
  readonly text: (sources: DocumentSources) => string;
  /** Made once, and sent with the address of the caller in the place of BASE_URL_PLACE. */
  readonly addressed?: boolean;
}

/** Every document for programs: what is served and what the start page lists are this one table. */
export const DOCUMENTS: readonly PublishedDocument[] = [
  {
    path: '/openapi.json',
    type: 'application/json',
    name: 'OpenAPI 3.1',
    about: 'Every REST path for programs.',
    text: (sources) => sources.openapi().json,
  },
  {
    path: '/openapi.yaml',
    type: 'application/yaml',
    name: 'OpenAPI as YAML',
    about: 'The same description in YAML.',
    text: (sources) => sources.openapi().yaml,
  },
  {
    path: '/schema.graphql',
    type: 'text/plain',
    name: 'GraphQL schema',
    about: 'The schema as text.',
    text: (sources) => sources.schemaSdl(),
  },
  {
    path: '/llms.txt',
    type: 'text/plain',
    name: 'llms.txt',
    about: 'The short index for language models.',
    text: (sources) => shortText(sources.openapi().json),
    addressed: true,
  },
  {
    path: '/llms-full.txt',
    type: 'text/plain',
    name: 'llms-full.txt',
    about: 'All operations and the schema as text.',
    text: (sources) => fullText(sources.openapi().json, sources.schemaSdl()),
    addressed: true,
  },
];

/** An addressed text as a caller gets it. */
export function atAddress(text: string, baseUrl: string): string {
  return text.replaceAll(BASE_URL_PLACE, () => baseUrl);
}
