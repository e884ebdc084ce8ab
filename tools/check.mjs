// `npm run check`: everything that can be judged without running a test. All steps are run, so
// that one look shows all that falls short.
import { areEndpointsFresh } from './endpoints-text.mjs';
import { install } from './install.mjs';
import { main, run } from './project.mjs';
import { isSchemaRegular } from './schema-lint.mjs';
import { isSchemaFresh } from './schema-text.mjs';

const STEPS = [
  ['format and lint', async () => (await run('biome', ['check', '.'])) === 0],
  ['types', async () => (await run('tsc', ['-p', 'tsconfig.test.json'])) === 0],
  ['schema.graphql is fresh (else: npm run schema)', isSchemaFresh],
  ['docs/endpoints.md is fresh (else: npm run schema)', areEndpointsFresh],
  ['schema.graphql keeps the rules of schemas', isSchemaRegular],
];

async function holds(step) {
  try {
    return await step();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return false;
  }
}

await main(async () => {
  await install();
  let code = 0;
  for (const [name, step] of STEPS) {
    const held = await holds(step);
    console.log(`${held ? 'ok  ' : 'FAIL'}  ${name}`);
    if (!held) code = 1;
  }
  return code;
});
