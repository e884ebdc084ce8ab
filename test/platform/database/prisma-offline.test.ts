import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { migrate } from '../../../src/platform/database/migrate.js';
import { projectRoot } from '../../../src/platform/database/project-root.js';
import { type EmptyDatabase, emptyDatabase } from './empty.js';

const run = promisify(execFile);

let folder: string;
let database: EmptyDatabase;

const SCHEMA = `
generator client {
  provider = "prisma-client"
  output   = "../../generated"
}

datasource db {
  provider = "postgresql"
}

model Letter {
  id   String @id
  text String
}
`;

const CREATE_LETTER = `CREATE TABLE "Letter" (
  "id" TEXT NOT NULL,
  "text" TEXT NOT NULL,
  CONSTRAINT "Letter_pkey" PRIMARY KEY ("id")
);
CREATE FUNCTION one() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN 1; END; $$;`;

beforeEach(async () => {
  // Inside the project, so that the configuration finds the installed packages.
  mkdirSync(join(projectRoot(), '.cache'), { recursive: true });
  folder = mkdtempSync(join(projectRoot(), '.cache', 'prisma-'));
  database = await emptyDatabase();
  mkdirSync(join(folder, 'prisma', 'schema'), { recursive: true });
  writeFileSync(join(folder, 'prisma', 'schema', 'letter.prisma'), SCHEMA);
  mkdirSync(join(folder, 'prisma', 'migrations', '1_letter'), { recursive: true });
  const lock = 'provider = "postgresql"\n';
  writeFileSync(join(folder, 'prisma', 'migrations', 'migration_lock.toml'), lock);
  writeFileSync(
    join(folder, 'prisma', 'migrations', '1_letter', 'migration.sql'),
    `${CREATE_LETTER}\n`,
  );
  writeFileSync(
    join(folder, 'prisma.config.ts'),
    `import { defineConfig } from 'prisma/config';
export default defineConfig({
  schema: 'prisma/schema',
  migrations: { path: 'prisma/migrations' },
  datasource: { url: ${JSON.stringify(database.databaseUrl)} },
});`,
  );
});

afterEach(async () => {
  rmSync(folder, { recursive: true, force: true });
  await database.drop();
});

/** Without a network: a download would be refused by the proxy that is not there. */
async function prisma(...words: string[]): Promise<{ code: number; output: string }> {
  const closed = 'http://127.0.0.1:1';
  const env = {
    ...process.env,
    PRISMA_SCHEMA_ENGINE_BINARY: join(projectRoot(), 'tools', 'schema-engine.mjs'),
    PRISMA_HIDE_UPDATE_MESSAGE: '1',
    CHECKPOINT_DISABLE: '1',
    HTTP_PROXY: closed,
    HTTPS_PROXY: closed,
    NO_COLOR: '1',
  };
  const program = join(projectRoot(), 'node_modules', '.bin', 'prisma');
  try {
    const { stdout, stderr } = await run(program, words, { cwd: folder, env });
    return { code: 0, output: stdout + stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, output: stdout + stderr };
  }
}

describe('the Prisma command line without its downloaded engine', () => {
  it('validates a schema and generates its client', async () => {
    // To generate is to validate first.
    const generated = await prisma('generate');
    expect(generated.code).toBe(0);
    expect(existsSync(join(folder, 'generated', 'client.ts'))).toBe(true);
  });

  it('names the fault of a schema', async () => {
    const faulty = SCHEMA.replace('text String', 'text Strin');
    writeFileSync(join(folder, 'prisma', 'schema', 'letter.prisma'), faulty);
    const { code, output } = await prisma('validate');
    expect(code).toBe(1);
    expect(output).toContain('Type "Strin" is neither a built-in type');
  });

  it('finds the database in order that the gateway migrated at its start', async () => {
    await migrate(database.connection, join(folder, 'prisma', 'migrations'));
    const status = await prisma('migrate', 'status');
    const deployed = await prisma('migrate', 'deploy');
    expect([status.code, deployed.code]).toEqual([0, 0]);
    expect(status.output).toContain('Database schema is up to date!');
    expect(deployed.output).toContain('No pending migrations to apply.');
  });

  it('migrates a database that the gateway then finds in order', async () => {
    const deployed = await prisma('migrate', 'deploy');
    const applied = await migrate(database.connection, join(folder, 'prisma', 'migrations'));
    expect(deployed.code).toBe(0);
    expect(applied).toEqual([]);
    expect(await database.query('SELECT one()')).toEqual([{ one: 1 }]);
  });

  it('sees by replaying the migrations when the schema has gone ahead of them', async () => {
    const compare = ['--from-migrations', 'prisma/migrations', '--to-schema', 'prisma/schema'];
    const same = await prisma('migrate', 'diff', ...compare, '--exit-code');
    const ahead = SCHEMA.replace('text String', 'text String\n  sent DateTime');
    writeFileSync(join(folder, 'prisma', 'schema', 'letter.prisma'), ahead);
    const different = await prisma('migrate', 'diff', ...compare, '--script', '--exit-code');
    expect(same.code).toBe(0);
    expect(different.code).toBe(2);
    expect(different.output).toContain('ADD COLUMN     "sent" TIMESTAMP(3) NOT NULL');
  });
});
