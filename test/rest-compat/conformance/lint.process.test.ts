import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import spectralCore, { type RulesetDefinition } from '@stoplight/spectral-core';
import spectralRules from '@stoplight/spectral-rulesets';
import { beforeAll, describe, expect, it } from 'vitest';
import { documents } from '../../../src/app/description.js';
import { loadRestTable } from '../../../src/app/rest.js';
import { projectRoot } from '../../../src/platform/database/project-root.js';

const run = promisify(execFile);
const LONG_MS = 180_000;

/** A finding of a tool: its rule, and where it is. */
interface Finding {
  readonly rule: string;
  readonly place: string;
  readonly message: string;
}

/** What is known and stays, each with its reason; one that nothing needs is a fault too. */
const EXCEPTIONS = [
  {
    rule: 'no-ambiguous-paths',
    place: /deployments|runs|deliveries|certification|signals/,
    why: 'the specification has these paths; a fixed segment wins over a parameter',
  },
  {
    rule: 'oas3-valid-schema-example',
    place: /\.examples?\./,
    why: 'the rule takes a member of an example that is called `default` for that of a schema',
  },
] as const;

let text = '';
beforeAll(async () => {
  const json = documents(await loadRestTable()).get('/openapi.json');
  text = json?.text('https://gw.romashka.test') ?? '';
});

function fallsShort(findings: readonly Finding[]): readonly Finding[] {
  return findings.filter(
    ({ rule, place }) =>
      !EXCEPTIONS.some((known) => known.rule === rule && known.place.test(place)),
  );
}

function needless(findings: readonly Finding[], rules: readonly string[]): readonly string[] {
  return rules.filter((rule) => !findings.some((finding) => finding.rule === rule));
}

describe('the OpenAPI description', () => {
  it(
    'keeps the recommended rules of redocly',
    async () => {
      const findings = await redocly(text);
      expect(fallsShort(findings)).toEqual([]);
      expect(needless(findings, ['no-ambiguous-paths'])).toEqual([]);
    },
    LONG_MS,
  );

  it(
    'keeps the recommended rules of spectral',
    async () => {
      const findings = await spectral(text);
      expect(fallsShort(findings)).toEqual([]);
      expect(needless(findings, ['oas3-valid-schema-example'])).toEqual([]);
    },
    LONG_MS,
  );

  it(
    'is judged by both: what breaks a rule is found',
    async () => {
      const broken = JSON.stringify({
        ...JSON.parse(text),
        paths: { '/a': { get: { tags: ['no'] } } },
      });
      expect((await redocly(broken)).map(({ rule }) => rule)).toContain('operation-summary');
      expect((await spectral(broken)).map(({ rule }) => rule)).toContain('operation-tag-defined');
    },
    LONG_MS,
  );
});

async function spectral(description: string): Promise<readonly Finding[]> {
  const judge = new spectralCore.Spectral();
  const rules = spectralRules.oas as unknown as RulesetDefinition;
  judge.setRuleset({ extends: [[rules, 'recommended']] });
  const found = await judge.run(JSON.parse(description));
  return found.map(({ code, path, message }) => {
    return { rule: String(code), place: path.join('.'), message };
  });
}

interface Problem {
  readonly ruleId: string;
  readonly message: string;
  readonly location: readonly { readonly pointer: string }[];
}

const BYTES_MAX = 16 * 1024 * 1024;

async function redocly(description: string): Promise<readonly Finding[]> {
  const folder = join(projectRoot(), '.cache');
  await mkdir(folder, { recursive: true });
  const file = join(folder, `openapi-${process.pid}.json`);
  await writeFile(file, description);
  const require = createRequire(import.meta.url);
  const { bin } = require('@redocly/cli/package.json') as { bin: { redocly: string } };
  const program = join(require.resolve('@redocly/cli/package.json'), '..', bin.redocly);
  const args = [program, 'lint', '--extends', 'recommended', '--format', 'json', file];
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  // What it finds makes it end with a code; what it has found is printed all the same.
  const told = await run(process.execPath, args, { env, maxBuffer: BYTES_MAX }).catch(
    (error: { readonly stdout: string }) => error,
  );
  const { problems } = JSON.parse(told.stdout) as { readonly problems: readonly Problem[] };
  return problems.map(({ ruleId, message, location }) => {
    return { rule: ruleId, place: location[0]?.pointer ?? '', message };
  });
}
