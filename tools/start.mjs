// `npm start`: makes the tree runnable and becomes the server. The server runs in this very
// process, so signals, the exit code and a kill -9 are the server's own.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compile } from './compile.mjs';
import { main, ROOT } from './project.mjs';

await main(compile);
if (process.exitCode !== 0) process.exit();
process.setSourceMapsEnabled(true);
await import(pathToFileURL(join(ROOT, 'dist', 'src', 'app', 'main.js')).href);
