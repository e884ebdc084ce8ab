// `npm run retention`: exports and drops months of usage and events, as src/app/cli.ts says.
import { compile } from './compile.mjs';
import { main, run } from './project.mjs';

await main(async () => {
  await compile();
  return run(process.execPath, ['tools/command.mjs', 'retention', ...process.argv.slice(2)]);
});
