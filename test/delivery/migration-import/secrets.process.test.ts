import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { IMPORTS_PER_MINUTE } from '../../../src/delivery/migration-import/vocabulary.js';
import { type Books, openBooks } from '../../faults/books.js';
import { type Folder, newFolder } from '../../faults/providers.js';
import { type Customer, graphql, newCustomer, rest } from '../../support/app.js';
import { freshDatabase, type TestDatabase } from '../../support/database.js';
import { type GatewayProcess, killGateways, startGateway } from '../../support/gateway-process.js';
import { PLANTINGS, piecesOf } from './planted.js';

const TEST_MS_MAX = 120_000;
const PATH = '/v1/gw/migration/import-config';

let folder: Folder;
let database: TestDatabase;
let books: Books;
let gateway: GatewayProcess;
let customer: Customer;

beforeAll(async () => {
  folder = newFolder();
  database = await freshDatabase();
  books = openBooks(database.connection);
  gateway = await startGateway({
    LOG_LEVEL: 'debug',
    GW_DATA_DIR: folder.path,
    DATABASE_URL: database.databaseUrl,
  });
  customer = await newCustomer(gateway, 500);
}, TEST_MS_MAX);
afterAll(async () => {
  await killGateways();
  await books.close();
  await database.drop();
  folder.remove();
});

/** Every row of every table as text. */
async function dump(): Promise<string> {
  const { rows: tables } = await books.pool.query<{ name: string }>(
    "SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'",
  );
  const parts: string[] = [];
  for (const { name } of tables) {
    const { rows } = await books.pool.query<{ line: string }>(
      `SELECT t::text AS line FROM ${name} t`,
    );
    parts.push(...rows.map(({ line }) => line));
  }
  return parts.join('\n');
}

/** The share of an address is two texts for each planting. */
const EVERY = Math.ceil((PLANTINGS.length * 2) / (IMPORTS_PER_MINUTE - 4));

const QUERY =
  'query($content: String!, $kind: MigrationImportKind!) { migrationConfigImport' +
  '(kind: $kind, content: $content) { migrated warnings apiKeyNames detectedModels ' +
  'detectedBaseUrl findings { value text } parseFaults { message } } }';

describe('an imported text', () => {
  it(
    'leaves no piece of its secret in an answer, a row or the log, over REST and GraphQL',
    async () => {
      const secret = randomBytes(24).toString('base64url');
      const plantings = PLANTINGS.filter((_planting, at) => at % EVERY === 0);
      const answers: string[] = [];
      for (const { kind, plant } of plantings) {
        const content = plant(secret);
        const answer = await rest(gateway, 'POST', PATH, { body: { kind, content } });
        expect(answer.status).toBe(200);
        const data = await graphql(gateway, QUERY, { kind, content }, customer.key);
        answers.push(JSON.stringify(answer.body), JSON.stringify(data));
      }
      const wrong = { kind: secret, content: `OPENAI_API_KEY=${secret}` };
      expect((await rest(gateway, 'POST', PATH, { body: wrong })).status).toBe(400);
      const places = { answers: answers.join('\n'), log: gateway.logs(), rows: await dump() };
      expect(places.rows).toContain(customer.tenantId);
      expect(places.log.length).toBeGreaterThan(0);
      const found = Object.entries(places).flatMap(([place, text]) =>
        piecesOf(secret).flatMap((piece) => (text.includes(piece) ? [`${place}: ${piece}`] : [])),
      );
      expect(found).toEqual([]);
    },
    TEST_MS_MAX,
  );
});
