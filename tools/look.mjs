// `npm run look`: looks at every page in a real browser, and leaves the pictures in .cache/look. It
// fails where there is no browser; `npm test` looks too where there is one.
import { findChromium, NO_CHROMIUM } from './chromium.mjs';
import { install } from './install.mjs';
import { main, run } from './project.mjs';

await main(async () => {
  await install();
  if (findChromium() === undefined) throw new Error(NO_CHROMIUM);
  return run('vitest', ['run', 'test/app/pages/pages.look.test.ts', ...process.argv.slice(2)]);
});
