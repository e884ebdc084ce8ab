// `npm test`: makes the tree runnable and runs vitest with the arguments passed on. The last line
// is the count, alone: `N passed, N failed, N skipped`. With CI=true nothing may be skipped.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { install } from './install.mjs';
import { main, run } from './project.mjs';

function skippedOf(report) {
  return report.numPendingTests + report.numTodoTests;
}

/** A file that could not be loaded has no tests in the report, and counts as one failure. */
function countOf(report) {
  const broken = report.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.length === 0,
  );
  const failed = report.numFailedTests + broken.length;
  return `${report.numPassedTests} passed, ${failed} failed, ${skippedOf(report)} skipped`;
}

await main(async () => {
  await install();
  const folder = mkdtempSync(join(tmpdir(), 'gw-report-'));
  const file = join(folder, 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  try {
    const words = ['run', ...reporters, ...process.argv.slice(2)];
    const code = await run('vitest', words);
    if (!existsSync(file)) throw new Error('vitest ended before it had run any test');
    const report = JSON.parse(readFileSync(file, 'utf8'));
    console.log(countOf(report));
    return code || (process.env.CI === 'true' && skippedOf(report) > 0 ? 1 : 0);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
