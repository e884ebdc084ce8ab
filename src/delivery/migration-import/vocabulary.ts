import { type CodeOf, vocabulary } from '../../kernel/vocabulary.js';

const KIB = 1024;

/** Texts a minute that are read for one address: parsing takes more of a node than it costs. */
export const IMPORTS_PER_MINUTE = 60;

const ANY = { syntax: 'any', bytesMax: 256 * KIB } as const;
const JSON_TEXT = { ...ANY, syntax: 'json' } as const;
/** YAML takes its parser longer than any other syntax. */
const YAML_TEXT = { syntax: 'yaml', bytesMax: 32 * KIB } as const;

/**
 * What can be read. `bytesMax` bounds the text, `syntax` says how it is read: `code` is Python or
 * TypeScript, whichever fits, and what is read as YAML may be JSON.
 */
export const IMPORT_KINDS = vocabulary('MigrationImportKind', 'What kind of text is imported.', [
  { code: 'auto', description: 'The kind is found by the text itself.', ...ANY },
  { code: 'env', description: 'A file of environment variables.', ...ANY, syntax: 'env' },
  {
    code: 'python',
    description: 'Python code that uses a client library.',
    ...ANY,
    syntax: 'python',
  },
  {
    code: 'node',
    description: 'JavaScript or TypeScript code that uses a client library.',
    ...ANY,
    syntax: 'javascript',
  },
  {
    code: 'langchain',
    description: 'LangChain code, in Python or TypeScript.',
    ...ANY,
    syntax: 'code',
  },
  {
    code: 'litellm',
    description: 'The configuration of a LiteLLM proxy, YAML or JSON.',
    ...YAML_TEXT,
  },
  {
    code: 'docker_compose',
    description: 'A compose file of Docker: environment, build arguments and commands.',
    ...YAML_TEXT,
  },
  { code: 'n8n', description: 'An exported n8n workflow.', ...JSON_TEXT },
  { code: 'make', description: 'An exported Make scenario.', ...JSON_TEXT },
  { code: 'flowise', description: 'An exported Flowise flow.', ...JSON_TEXT },
  { code: 'langflow', description: 'An exported Langflow flow.', ...JSON_TEXT },
  { code: 'curl', description: 'Shell commands that call curl.', ...ANY, syntax: 'shell' },
]);

/** A kind of text that can be read. */
export type ImportKind = CodeOf<typeof IMPORT_KINDS>;

/** A kind after `auto` has been resolved. */
export type KnownKind = Exclude<ImportKind, 'auto'>;

/** How a text is read, after `code` has been resolved. */
export type Syntax = Exclude<(typeof IMPORT_KINDS)['rows'][number]['syntax'], 'any' | 'code'>;

/** What a finding is about. */
export const FINDING_TYPES = vocabulary('MigrationImportFindingType', 'What a finding is about.', [
  { code: 'provider', description: 'Something that names the provider in use.' },
  { code: 'base_url', description: 'The address that the client calls.' },
  { code: 'model', description: 'A model that the client asks for.' },
  { code: 'capability', description: 'A capability that the client uses.' },
  { code: 'api_key', description: 'A place where a key is given; never the key.' },
]);

/** What a finding is about. */
export type FindingType = CodeOf<typeof FINDING_TYPES>;

/** Levels of nesting that are read; a deeper text has a fault there. */
export const DEPTH_MAX = 64;
/** Places of a text that are looked at, and findings that are shown. */
export const OBSERVATIONS_MAX = 10_000;
export const FINDINGS_MAX = 200;
/** Faults that are named; the first one says where reading became unreliable. */
export const FAULTS_MAX = 20;
/** Characters of a line that are shown, and of a value. */
export const LINE_LENGTH_MAX = 200;
export const VALUE_LENGTH_MAX = 200;
/** What stands in the place of a secret. */
export const REDACTED = '[redacted]';
