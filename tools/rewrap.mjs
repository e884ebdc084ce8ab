// `npm run rewrap`: seals all anew under GW_SECRET, as src/app/cli.ts says.
import { compile } from './compile.mjs';
import { main, run } from './project.mjs';

await main(async () => {
  await compile();
  return run(process.execPath, ['tools/command.mjs', 'rewrap', ...process.argv.slice(2)]);
});
