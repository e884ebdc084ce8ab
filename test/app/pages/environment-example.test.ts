import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CATALOGUE } from '../../../src/catalog/providers/catalogue.js';
import { describeConfig, readConfig } from '../../../src/platform/config.js';
import { projectRoot } from '../../../src/platform/database/project-root.js';

const TEXT = readFileSync(join(projectRoot(), '.env.example'), 'utf8');

/** The settings of the file, which are all commented, with what stands behind `=`. */
const SHOWN = new Map(
  [...TEXT.matchAll(/^#([A-Z][A-Z0-9_]*)=(.*)$/gm)].map((match) => [
    match[1] ?? '',
    match[2] ?? '',
  ]),
);

/** Settings without a default, whose value in the file is an example. */
const EXAMPLES = [
  'GW_PUBLIC_URL',
  'GW_SECURITY_CONTACT',
  'GW_SMTP_URL',
  'GW_SMTP_FROM',
  'DATABASE_URL',
  'DATABASE_MIGRATION_URL',
  'REDIS_URL',
  'GW_NODE_ID',
  'GW_PROVIDERS_FILE',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
] as const;

const SECRET = { GW_SECRET: 'x'.repeat(32) };

function configOf(environment: Readonly<Record<string, string>>) {
  return describeConfig(readConfig({ ...environment, ...SECRET }));
}

/** Every variable that a connection names, needed or not: the values of its `…_env` members. */
function variablesIn(entry: object): string[] {
  return Object.entries(entry).flatMap(([name, value]) => {
    if (name.endsWith('_env')) return value === undefined ? [] : [String(value)];
    return typeof value === 'object' && value !== null ? variablesIn(value) : [];
  });
}

describe('.env.example', () => {
  it('shows every setting once, and otherwise only variables of providers', () => {
    const settings = configOf({}).map((line) => line.slice(0, line.indexOf('=')));
    const ofProviders = CATALOGUE.filter(({ models }) => models.length > 0).flatMap((provider) => [
      provider.apiKeyEnv,
      provider.baseUrlEnv,
      ...(provider.requiredEnv ?? []),
      ...variablesIn(provider.connection ?? {}),
    ]);
    const known = [...settings, ...ofProviders.filter((name) => name !== undefined)];
    expect([...SHOWN.keys()].sort()).toEqual([...new Set(known)].sort());
    expect(TEXT.match(/^#[A-Z][A-Z0-9_]*=/gm)).toHaveLength(SHOWN.size);
  });

  it('shows the defaults that are in force', () => {
    const shown = Object.fromEntries(
      [...SHOWN].filter(([name]) => !EXAMPLES.some((example) => example === name)),
    );
    expect(configOf(shown)).toEqual(configOf({}));
  });

  it('shows examples that are accepted', () => {
    const shown = Object.fromEntries(EXAMPLES.map((name) => [name, SHOWN.get(name) ?? '']));
    const accepted = configOf(shown);
    for (const name of EXAMPLES) {
      expect(accepted.find((line) => line.startsWith(`${name}=`))).not.toBe(`${name}=`);
    }
  });

  it('sets nothing by itself', () => {
    const lines = TEXT.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    expect(lines).toEqual([]);
  });

  it('explains every setting, or the group that it stands in', () => {
    const groups = TEXT.split(/\n\n+/).filter((group) => /^#[A-Z][A-Z0-9_]*=/m.test(group));
    const silent = groups.filter((group) => !/^# \S/m.test(group));
    expect(silent.map((group) => group.split('\n')[0])).toEqual([]);
  });
});
