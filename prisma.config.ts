import { fileURLToPath } from 'node:url';
import { defineConfig } from 'prisma/config';

// The command line tool talks to the WASM build of its own schema engine: nothing is downloaded.
process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= fileURLToPath(
  new URL('./tools/schema-engine.mjs', import.meta.url),
);
process.env.PRISMA_HIDE_UPDATE_MESSAGE ??= '1';

export default defineConfig({
  schema: 'prisma/schema',
  migrations: { path: 'prisma/migrations' },
  datasource: { url: process.env.DATABASE_URL ?? 'postgresql://postgres@localhost:5432/postgres' },
});
