// Makes a client from a description: `node make-client.mjs <description> <folder>`.
import { createRequire, register } from 'node:module';
import { pathToFileURL } from 'node:url';

// The generator writes by the programming interface of TypeScript 5, which TypeScript 7 lacks: it
// is given the one that another tool of the tests brings.
const tool = createRequire(import.meta.url).resolve('ts-json-schema-generator');
const five = JSON.stringify(pathToFileURL(createRequire(tool).resolve('typescript')).href);
const hook = `export const resolve = (name, context, next) =>
  name === 'typescript' ? { url: ${five}, shortCircuit: true } : next(name, context);`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);

const [, , input, path] = process.argv;
const { createClient } = await import('@hey-api/openapi-ts');
await createClient({
  input,
  output: { path, postProcess: [] },
  plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
  logs: { level: 'silent', file: false },
});
