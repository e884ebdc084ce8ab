import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../../../src/platform/database/project-root.js';
import { freshDatabase, type TestDatabase } from '../../support/database.js';

const FOLDER = join(projectRoot(), 'prisma', 'functions');

/** Each function whole: its text, whose it is, and who may call it. */
const DEFINITIONS = `
  SELECT p.proname AS name, trim(trailing E'\\n' FROM pg_get_functiondef(p.oid)) || E';\\n'
    || format(E'ALTER ROUTINE %s OWNER TO %s;\\n', p.oid::regprocedure, p.proowner::regrole)
    || coalesce((
      SELECT format(E'GRANT EXECUTE ON ROUTINE %s TO %s;\\n', p.oid::regprocedure,
        string_agg(CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END, ', '
          ORDER BY grantee::regrole::text))
      FROM aclexplode(p.proacl) WHERE grantee <> p.proowner AND privilege_type = 'EXECUTE'
      HAVING count(*) > 0), '') AS text
  FROM pg_proc p
  WHERE p.pronamespace = 'public'::regnamespace AND p.prokind IN ('f', 'p')
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
  ORDER BY 1`;

interface Definition {
  readonly name: string;
  readonly text: string;
}

let database: TestDatabase;
let definitions: readonly Definition[] = [];

beforeAll(async () => {
  database = await freshDatabase();
  const client = new pg.Client(database.connection);
  await client.connect();
  ({ rows: definitions } = await client.query<Definition>(DEFINITIONS));
  await client.end();
});

afterAll(() => database.drop());

/** The comment that a file begins with, which the database does not keep. */
function commentOf(path: string): string {
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
  const end = lines.findIndex((line) => !line.startsWith('--'));
  return lines
    .slice(0, end)
    .map((line) => `${line}\n`)
    .join('');
}

describe('the functions of the database', () => {
  it('stand whole in a file each, as the migrations leave them', async () => {
    expect(definitions.length).toBeGreaterThan(20);
    for (const { name, text } of definitions) {
      const path = join(FOLDER, `${name}.sql`);
      await expect(commentOf(path) + text).toMatchFileSnapshot(path);
    }
  });

  it('are all that the files name', () => {
    const files = readdirSync(FOLDER).map((file) => file.replace(/\.sql$/, ''));
    expect(files.sort()).toEqual(definitions.map(({ name }) => name).sort());
  });

  it('that run with the rights of their owner have a search path of their own', () => {
    const loose = definitions.filter(
      ({ text }) =>
        text.includes('SECURITY DEFINER') &&
        !text.includes("SET search_path TO 'pg_catalog', 'public', 'pg_temp'"),
    );
    expect(loose).toEqual([]);
  });

  it('may be called by nobody who is not named', () => {
    expect(definitions.filter(({ text }) => /TO .*\bPUBLIC\b.*;\n$/.test(text))).toEqual([]);
  });
});
