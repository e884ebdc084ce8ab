// `npm run books`: reads the books of all organizations whole, as src/app/cli.ts says.
import { compile } from './compile.mjs';
import { main, run } from './project.mjs';

await main(async () => {
  await compile();
  return run(process.execPath, ['tools/command.mjs', 'books', ...process.argv.slice(2)]);
});
