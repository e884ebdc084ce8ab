import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONTROL_ROWS } from '../../../src/assurance/trust/controls.rules.js';
import { STAGES } from '../../../src/inference/stages/stages.js';
import { projectRoot } from '../../../src/platform/database/project-root.js';
import {
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../../support/app.js';
import { bytesAt, readPdf } from '../../support/pdf.js';
import { startUpstreamDouble, type UpstreamDouble } from '../../support/upstream-double.mjs';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const read = async (path: string) => (await rest(app, 'GET', `/v1/gw/trust/${path}`)).body;

describe('a control', () => {
  it('names files that are there, where it is held and where it is shown', () => {
    const named = CONTROL_ROWS.flatMap(({ enforced_in, proven_by }) => [
      ...enforced_in,
      ...proven_by,
    ]);
    expect(named.filter((path) => !existsSync(join(projectRoot(), path)))).toEqual([]);
    const bare = CONTROL_ROWS.filter(
      ({ roadmap, enforced_in, proven_by }) => !roadmap && !(enforced_in[0] && proven_by[0]),
    );
    expect(bare).toEqual([]);
  });
});
