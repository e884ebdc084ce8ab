import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { projectRoot } from '../../src/platform/database/project-root.js';
import { GoTemplates, isTrue, type TemplateFunction } from './go-template.js';

const FOLDER = join(projectRoot(), 'deploy/chart');

export type Values = Readonly<Record<string, unknown>>;

/** What a template made: an object of Kubernetes. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  readonly spec?: unknown;
  readonly data?: Readonly<Record<string, string>>;
}

/** A file of the chart, by its path in it. Links are followed, as Helm does. */
export function chartFile(path: string): string {
  return readFileSync(join(FOLDER, path), 'utf8');
}

/** The names of the files in the chart's folder of templates. */
export const TEMPLATES: readonly string[] = readdirSync(join(FOLDER, 'templates'));

const CHART = parse(chartFile('Chart.yaml'));

/** The defaults of the chart. */
export const VALUES: Values = parse(chartFile('values.yaml'));

/** What may be given to the chart, as a JSON schema. */
export const VALUES_SCHEMA = JSON.parse(chartFile('values.schema.json'));

const VALIDATE = new Ajv({ allErrors: true }).compile(VALUES_SCHEMA);

/** The manifests that the chart makes of these values, each kind and name once. */
export function renderChart(given: Values = {}): readonly Manifest[] {
  return Object.entries(renderedFiles(given))
    .filter(([name]) => name.endsWith('.yaml'))
    .flatMap(([name, text]) => documentsIn(name, text));
}

/** What is told after an installation with these values. */
export function renderNotes(given: Values = {}): string {
  return renderedFiles(given)['NOTES.txt'] ?? '';
}

/** Helm's steps: defaults and what is given in one, the schema, then every template. */
function renderedFiles(given: Values): Record<string, string> {
  const values = merged(VALUES, given);
  if (!VALIDATE(values)) {
    const faults = VALIDATE.errors?.map(({ instancePath, message, params }) =>
      [instancePath, message, JSON.stringify(params)].join(' '),
    );
    throw new Error(`values: ${faults?.join('; ')}`);
  }
  const data = {
    Values: values,
    Chart: { Name: CHART.name, Version: CHART.version, AppVersion: CHART.appVersion },
    Release: { Name: 'gw', Namespace: 'apart', Service: 'Helm' },
    Files: { Get: (path: unknown) => chartFile(String(path)) },
  };
  const files = TEMPLATES.map((name) => [name, chartFile(`templates/${name}`)] as const);
  const templates: GoTemplates = new GoTemplates(Object.fromEntries(files), {
    ...FUNCTIONS,
    include: (name, of) => templates.include(String(name), of),
  });
  const shown = files.map(([name]) => name).filter((name) => !name.startsWith('_'));
  return Object.fromEntries(shown.map((name) => [name, templates.execute(name, data)]));
}

/** Maps are merged key by key, lists and all else are replaced, and null takes a key away. */
function merged(under: Values, over: Values): Values {
  const both: Record<string, unknown> = { ...under };
  for (const [key, value] of Object.entries(over)) {
    const below = both[key];
    if (value === null) delete both[key];
    else both[key] = isMap(value) && isMap(below) ? merged(below, value) : value;
  }
  return both;
}

function isMap(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Strict: a key that stands twice, which Kubernetes would take the last of, is a fault. */
function documentsIn(name: string, text: string): Manifest[] {
  return [...parseAllDocuments(text, { uniqueKeys: true })].flatMap((document) => {
    const [fault] = [...document.errors, ...document.warnings];
    if (fault) throw new Error(`${name}: ${fault.message}`);
    const found = document.toJS();
    return found === null ? [] : [found as Manifest];
  });
}

const indented = (text: string, spaces: number) => text.replace(/^/gm, ' '.repeat(spaces));

/** Those of Go and of Sprig that the templates call; another one is refused when it is called. */
const FUNCTIONS: Readonly<Record<string, TemplateFunction>> = {
  and: (...given) => given.find((each) => !isTrue(each)) ?? given.at(-1),
  or: (...given) => given.find((each) => isTrue(each)) ?? given.at(-1),
  not: (value) => !isTrue(value),
  gt: (one, other) => Number(one) > Number(other),
  int: (value) => Math.trunc(Number(value)),
  add: (...given) => given.reduce<number>((sum, each) => sum + Number(each), 0),
  mul: (...given) => given.reduce<number>((product, each) => product * Number(each), 1),
  default: (fallback, value) => (isTrue(value) ? value : fallback),
  quote: (value) => JSON.stringify(String(value)),
  printf: (form, ...given) => String(form).replaceAll('%s', () => String(given.shift())),
  trunc: (length, text) => String(text).slice(0, Number(length)),
  trimSuffix: (suffix, text) =>
    String(text).endsWith(String(suffix))
      ? String(text).slice(0, String(text).length - String(suffix).length)
      : text,
  indent: (spaces, text) => indented(String(text), Number(spaces)),
  nindent: (spaces, text) => `\n${indented(String(text), Number(spaces))}`,
  sha256sum: (text) => createHash('sha256').update(String(text)).digest('hex'),
  toYaml: (value) => stringify(value, { version: '1.1', lineWidth: 0 }).trimEnd(),
  fail: (message) => {
    throw new Error(String(message));
  },
};
