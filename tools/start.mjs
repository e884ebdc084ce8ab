// `npm start`: makes the tree runnable and becomes the server, in this very
// process.
import { compile } from './compile.mjs';
import { main } from './project.mjs';

/** How often the start looks whether npm is still there, in milliseconds. */
const LOOK_EVERY_MS = 500;

await main(compile);
if (process.exitCode !== 0) process.exit();
if (process.env.npm_lifecycle_event === 'start') {
  // npm dies of a SIGTERM without passing it on; what it started must not outlive it.
  const npm = process.ppid;
  setInterval(() => {
    if (process.ppid !== npm) process.kill(process.pid, 'SIGTERM');
  }, LOOK_EVERY_MS).unref();
}
await import('./serve.mjs');
