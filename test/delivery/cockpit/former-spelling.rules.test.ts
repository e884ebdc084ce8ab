import { describe, expect, it } from 'vitest';
import { shownRun } from '../../../src/delivery/cockpit/kept.rules.js';
import type { MigrationCheckRun } from '../../../src/generated/prisma/client.js';

const OLD = {
  code: 'chat',
  status: 'pass',
  message: 'a/chat answered.',
  fix: null,
  latencyMs: 17,
  statusCode: 200,
  requestId: 'r',
  evidence: { model: 'a/chat', costMicro: '1' },
  simulated: true,
  costMicro: '1250000',
};

function checksOf(checks: readonly object[]) {
  return shownRun({ status: 'passed', checks } as unknown as MigrationCheckRun);
}

describe('a run that was kept under earlier names', () => {
  it('is read under those of today, and what was seen keeps its own names', () => {
    const { checks, simulated } = checksOf([OLD]);
    expect(checks).toEqual([{ ...OLD, costMicro: 1_250_000n }]);
    expect(simulated).toBe(true);
  });

  it('may lack a cost that nobody knows, and whether a model was simulated', () => {
    const { simulated: _none, ...before } = OLD;
    const { checks, simulated } = checksOf([{ ...before, costMicro: null, latencyMs: null }]);
    expect(checks).toEqual([{ ...OLD, simulated: false, costMicro: null, latencyMs: null }]);
    expect(simulated).toBe(false);
  });
});
