// Holds schema.graphql against the published rules for schemas.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './project.mjs';
import { EXCEPTIONS, FREE_NAMES, OFF, OPTIONS } from './schema-rules.mjs';

const PREFIX = '@graphql-eslint/';
const FILE = 'schema.graphql';

/** True when the schema keeps the rules; names every place that does not. */
export async function isSchemaRegular() {
  // Loaded late: the tools start before anything is installed.
  const { Linter } = await import('eslint');
  const { default: plugin } = await import('@graphql-eslint/eslint-plugin');
  const text = readFileSync(join(ROOT, FILE), 'utf8');
  const lines = text.split('\n');
  const messages = new Linter({ configType: 'flat' }).verify(text, [configOf(plugin, text)], FILE);
  const found = messages.map((fault) => ({ ...fault, place: placeOf(lines, fault.line) }));
  const faults = found
    .filter((fault) => !EXCEPTIONS.some((exception) => isMeant(exception, fault)))
    .map(({ line, place, ruleId, message }) => `${FILE}:${line} ${place}: ${message} (${ruleId})`);
  const needless = EXCEPTIONS.filter(
    (exception) => !found.some((each) => isMeant(exception, each)),
  ).map(({ rule, place }) => `${place} needs no exception from ${rule}`);
  for (const line of [...faults, ...needless]) console.error(line);
  return faults.length + needless.length === 0;
}

/** The type, or the field of a type, that a line is part of. */
function placeOf(lines, line) {
  const before = lines.slice(0, line);
  const at = before.findLastIndex((each) => /^\w/.test(each));
  const field = before.slice(at + 1).findLast((each) => FIELD.test(each));
  const names = [/^\w+ (\w+)/.exec(before[at] ?? ''), FIELD.exec(field ?? '')];
  return names.flatMap((match) => match?.[1] ?? []).join('.');
}

const FIELD = /^ {2}(\w+)(?:\(|: )/;

function isMeant({ rule, place }, fault) {
  const [type] = fault.place.split('.');
  return fault.ruleId === PREFIX + rule && (place === fault.place || place === type);
}

function configOf(plugin, text) {
  const { 'flat/schema-all': all, 'flat/schema-relay': relay } = plugin.configs;
  const own = Object.entries(OPTIONS).map(([rule, options]) => [PREFIX + rule, options]);
  const off = Object.keys(OFF).map((rule) => [PREFIX + rule, 'off']);
  return {
    files: [`**/${FILE}`],
    plugins: { '@graphql-eslint': plugin },
    languageOptions: {
      parser: plugin.parser,
      parserOptions: { graphQLConfig: { schema: text } },
    },
    rules: {
      ...all.rules,
      ...relay.rules,
      ...Object.fromEntries([...own, ...off]),
      ...naming(all),
    },
  };
}

/** The naming rule as published, without the kinds of names that are free. */
function naming({ rules }) {
  const rule = `${PREFIX}naming-convention`;
  const [severity, options] = rules[rule];
  const kept = Object.entries(options).filter(([kind]) => !FREE_NAMES.includes(kind));
  return { [rule]: [severity, Object.fromEntries(kept)] };
}
