import { parentPort } from 'node:worker_threads';
import { GatewayError } from '../../../kernel/errors/fail.js';
import type { Answered } from './scan-thread.js';
import { perform, ScanLost, type Work } from './work.js';

/**
 * Scans what is too much for the thread that serves requests, one piece of work after the other.
 * The build bundles this module as a file of its own.
 */
function answered(work: Work): Answered {
  try {
    return { kind: 'done', result: perform(work) };
  } catch (thrown) {
    if (thrown instanceof GatewayError) {
      const { code, details } = thrown;
      return { kind: 'refused', code, details };
    }
    if (thrown instanceof ScanLost) return { kind: 'lost' };
    const { stack = String(thrown) } = thrown as Error;
    return { kind: 'failed', isRange: thrown instanceof RangeError, stack };
  }
}

parentPort?.on('message', (work: Work) => parentPort?.postMessage(answered(work)));
