// Makes a client from a description: `node make-client.mjs <description> <folder>`.
import { register } from 'node:module';

// The generator writes by the programming interface of TypeScript 5, which TypeScript 7 lacks.
register(new URL('./typescript-five.mjs', import.meta.url));

const [, , input, path] = process.argv;
const { createClient } = await import('@hey-api/openapi-ts');
await createClient({
  input,
  output: { path, postProcess: [] },
  plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
  logs: { level: 'silent', file: false },
});
