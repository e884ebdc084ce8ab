import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../src/kernel/errors/fail.js';
import { outageOf, warnUnlessAway } from '../../../src/platform/database/outage.js';
import { createLog } from '../../../src/platform/log.js';

function newLog() {
  const lines: Record<string, unknown>[] = [];
  const log = createLog('warn', {
    write(line: string) {
      const { level: _level, time: _time, ...told } = JSON.parse(line);
      lines.push(told);
    },
  });
  return { log, lines };
}

const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
const renamed = new GatewayError('ledger_unavailable', { cause: refused });

function stateOf(code: string): pg.DatabaseError {
  return Object.assign(new pg.DatabaseError('said', 4, 'error'), { code });
}

describe('the log of a process whose database is away', () => {
  it('tells of it once when it goes and once when it is back, without frames', () => {
    const { log, lines } = newLog();
    const outage = outageOf(log);
    expect([refused, renamed, stateOf('57P01')].map((each) => outage.explains(each, 100))).toEqual([
      true,
      true,
      true,
    ]);
    expect(outage.explains(renamed, 9_000)).toBe(true);
    outage.answered(10_999);
    outage.answered(11_000);
    outage.answered(12_000);
    expect(lines).toEqual([
      {
        reason: { type: 'Error', message: 'connect ECONNREFUSED', code: 'ECONNREFUSED' },
        msg: 'the database is away; all is tried again',
      },
      { away_ms: 10_900, msg: 'the database answers again' },
    ]);
    outage.explains(refused, 13_000);
    expect(lines).toHaveLength(3);
  });

  it('tells every other failure as it is', () => {
    const { log, lines } = newLog();
    for (const error of [new TypeError('a fault'), stateOf('42P01'), stateOf('57014')]) {
      warnUnlessAway(log, error, 'a look failed', { feed: 'usage' });
    }
    expect(lines.map(({ msg, feed }) => ({ msg, feed }))).toEqual(
      Array(3).fill({ msg: 'a look failed', feed: 'usage' }),
    );
  });
});
