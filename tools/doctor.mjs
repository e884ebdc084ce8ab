// `npm run doctor`: the diagnosis of src/app/cli.ts, with the arguments passed on.
import { compile } from './compile.mjs';
import { main, run } from './project.mjs';

await main(async () => {
  await compile();
  return run(process.execPath, ['tools/command.mjs', 'doctor', ...process.argv.slice(2)]);
});
