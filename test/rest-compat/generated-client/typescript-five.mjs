// Gives TypeScript 5 to whoever imports TypeScript: the one that another tool of the tests brings.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const tool = createRequire(import.meta.url).resolve('ts-json-schema-generator');
const five = pathToFileURL(createRequire(tool).resolve('typescript')).href;

/** @type {import('node:module').ResolveHook} */
export async function resolve(specifier, context, next) {
  return specifier === 'typescript' ? { url: five, shortCircuit: true } : next(specifier, context);
}
