import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { describeConfig, readConfig } from '../../src/platform/config.js';
import { projectRoot } from '../../src/platform/database/project-root.js';

const FOLDER = join(projectRoot(), 'deploy');
const DOCKERFILE = readFileSync(join(FOLDER, 'Dockerfile'), 'utf8');
const BALANCER = readFileSync(join(FOLDER, 'nginx.conf'), 'utf8');

interface Service {
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly depends_on?: readonly string[] | object;
  readonly build?: { readonly context: string; readonly dockerfile: string };
}

const COMPOSE: {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
} = parse(readFileSync(join(FOLDER, 'compose.yaml'), 'utf8'), { merge: true });

const SETTINGS = new Set(
  describeConfig(readConfig({ GW_SECRET: 'x'.repeat(32) })).map((line) => line.split('=')[0]),
);
const GATEWAYS = Object.entries(COMPOSE.services).filter(([, { build }]) => build);

/** The value with what compose takes from its own environment. */
function filled(value: string): string {
  const stated: Record<string, string> = { GW_SECRET: 'x'.repeat(32), POSTGRES_PASSWORD: 'word' };
  return value.replace(
    /\$\{(\w+)(?::([-?])([^}]*))?\}/g,
    (_place, name: string, kind?: string, rest?: string) =>
      stated[name] ?? (kind === '-' ? (rest ?? '') : ''),
  );
}

describe('the compose file', () => {
  it('runs two gateways with settings that are there and fit', () => {
    expect(GATEWAYS.map(([name]) => name)).toEqual(['gateway-1', 'gateway-2']);
    for (const [name, { environment = {} }] of GATEWAYS) {
      expect(Object.keys(environment).filter((each) => !SETTINGS.has(each))).toEqual([]);
      const values = Object.entries(environment).map(([key, value]) => [key, filled(value)]);
      const config = readConfig(Object.fromEntries(values));
      expect(config.nodeId).toBe(name);
      expect(Object.keys(COMPOSE.services)).toEqual(
        expect.arrayContaining([
          new URL(config.DATABASE_URL ?? '').hostname,
          new URL(config.REDIS_URL ?? '').hostname,
        ]),
      );
    }
  });

  it('gives each gateway a journal of its own, in the folder that it is told', () => {
    const mounts = GATEWAYS.flatMap(([, { volumes = [] }]) => volumes);
    expect(mounts).toEqual(['gateway-1:/data', 'gateway-2:/data']);
    expect(GATEWAYS.map(([, { environment }]) => environment?.GW_DATA_DIR)).toEqual([
      '/data',
      '/data',
    ]);
  });

  it('names volumes, files and services that are there', () => {
    const mounts = Object.values(COMPOSE.services).flatMap(({ volumes = [] }) => volumes);
    const sources = mounts.map((mount) => mount.split(':')[0] ?? '');
    const missing = sources.filter((source) =>
      source.startsWith('.') ? !existsSync(join(FOLDER, source)) : !(source in COMPOSE.volumes),
    );
    expect(missing).toEqual([]);
    for (const { build, depends_on: needed = [] } of Object.values(COMPOSE.services)) {
      if (build) expect(existsSync(join(FOLDER, build.context, build.dockerfile))).toBe(true);
      const names = Array.isArray(needed) ? needed : Object.keys(needed);
      expect(names.filter((name) => !(name in COMPOSE.services))).toEqual([]);
    }
  });

  it('lets the balancer alone be reached, which asks every gateway at its port', () => {
    const open = Object.entries(COMPOSE.services).filter(([, { ports }]) => ports);
    expect(open.map(([name]) => name)).toEqual(['balancer']);
    const asked = [...BALANCER.matchAll(/^ *server ([\w-]+:\d+)/gm)].map(([, place]) => place);
    expect(asked).toEqual(
      GATEWAYS.map(([name, { environment }]) => `${name}:${environment?.PORT}`),
    );
    expect(BALANCER).toContain('listen 8080;');
    expect(open[0]?.[1].ports).toEqual(['8080:8080']);
  });
});

describe('the container file', () => {
  const linesOf = (word: string) =>
    [...DOCKERFILE.matchAll(new RegExp(`^${word} (.*)$`, 'gm'))].map(([, rest]) => rest ?? '');

  it('is built on a Node that the product runs on, and runs without rights', () => {
    const bases = linesOf('FROM').map((base) => /^node:(\d+)-/.exec(base)?.[1]);
    expect(bases).toEqual(['20', '20']);
    expect(linesOf('USER')).toEqual(['node']);
    // As process 1 it could not end itself when it has hung.
    expect(linesOf('ENTRYPOINT')).toEqual(['["/usr/bin/tini", "--"]']);
  });

  it('copies and runs files that are there', () => {
    const copied = linesOf('COPY')
      .filter((words) => !words.startsWith('--from'))
      .flatMap((words) => words.split(' ').slice(0, -1));
    expect(copied.filter((path) => !existsSync(join(projectRoot(), path)))).toEqual([]);
    const words: string[] = JSON.parse(linesOf('CMD').at(-1) ?? '[]');
    expect(words[0]).toBe('node');
    expect(existsSync(join(projectRoot(), words[1] ?? ''))).toBe(true);
  });

  it('sets settings that are there, keeps data in its volume and is asked at its port', () => {
    const pairs = linesOf('ENV').flatMap((line) => line.split(' '));
    const settings = Object.fromEntries(pairs.map((pair) => pair.split('=')));
    const foreign = Object.keys(settings).filter((name) => !SETTINGS.has(name));
    expect(foreign).toEqual(['MALLOC_ARENA_MAX']);
    expect(linesOf('VOLUME')).toEqual([settings.GW_DATA_DIR]);
    expect(linesOf('EXPOSE')).toEqual([settings.PORT]);
    expect(DOCKERFILE).toMatch(/^HEALTHCHECK [\s\S]*?\/livez/m);
  });
});
