// The words of the command line.
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

const text = (value) => ({ type: 'string', default: value });
const flag = { type: 'boolean', default: false };

const OPTIONS = {
  targets: { type: 'string', multiple: true, default: [] },
  only: { type: 'string' },
  baseline: text('node-undici'),
  phases: text('requests,large,rate,burst,paced'),
  concurrency: text('1,16,64,256'),
  rounds: text('3'),
  seconds: text('4'),
  starts: text('3'),
  retries: text('2'),
  patience: text('60'),
  rate: text('100'),
  events: text('50'),
  'gap-ms': text('20'),
  'large-kb': text('200'),
  work: text(join(tmpdir(), 'gateway-bench')),
  out: { type: 'string' },
  'no-pin': flag,
  quick: flag,
  check: flag,
  help: { ...flag, short: 'h' },
};

/** One short round, to see that all works. */
const QUICK = { rounds: '1', seconds: '2', concurrency: '1,64', starts: '1', retries: '0' };

/** Reads the command line. @throws TypeError for an option that does not exist */
export function readOptions(words) {
  const { values, tokens } = parseArgs({ args: words, options: OPTIONS, tokens: true });
  const named = new Set(tokens.map((token) => token.name));
  if (values.quick) {
    for (const [name, value] of Object.entries(QUICK)) if (!named.has(name)) values[name] = value;
  }
  const work = resolve(values.work);
  return {
    targetFiles: values.targets.map((file) => resolve(file)),
    only: values.only?.split(','),
    baseline: values.baseline,
    phases: new Set(values.phases.split(',')),
    concurrency: values.concurrency.split(',').map(Number),
    rounds: values.check ? 1 : Number(values.rounds),
    seconds: Number(values.seconds),
    starts: values.check ? 1 : Number(values.starts),
    retries: Number(values.retries),
    patienceMs: Number(values.patience) * 1_000,
    rate: Number(values.rate),
    events: Number(values.events),
    gapMs: Number(values['gap-ms']),
    largeBytes: Number(values['large-kb']) * 1_024,
    work,
    out: resolve(values.out ?? join(work, 'out')),
    pin: !values['no-pin'],
    check: values.check,
    help: values.help,
  };
}
