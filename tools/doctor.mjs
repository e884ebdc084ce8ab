// `npm run doctor`: the diagnosis of src/app/cli.ts, with the arguments passed on.
import { join } from 'node:path';
import { compile } from './compile.mjs';
import { main, ROOT, run } from './project.mjs';

const cli = join(ROOT, 'dist', 'src', 'app', 'cli.js');

await main(async () => {
  await compile();
  return run(process.execPath, [cli, 'doctor', ...process.argv.slice(2)]);
});
