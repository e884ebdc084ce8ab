import { afterAll, beforeAll, expect, it } from 'vitest';
import { newCustomer, startApp, type TestApp } from '../../support/app.js';

/** The part of the scanner's report that is judged. The package brings no types of its own. */
interface Report {
  readonly compatible: boolean;
  readonly score: number;
  readonly results: readonly { readonly id: string; readonly status: string; summary: string }[];
}

interface Scanner {
  scanEndpoint(options: {
    readonly baseUrl: string;
    readonly model: string;
    readonly apiKey: string;
    readonly profile: 'chat' | 'modern';
  }): Promise<Report>;
}

const scannerPackage: string = 'compatcanary';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app?.stop());

it.each(['sandbox/gw-mini', 'sandbox/gw-pro'])(
  'the scanner of compatible endpoints passes on %s',
  async (model) => {
    const { key } = await newCustomer(app, 100);
    const { scanEndpoint } = (await import(scannerPackage)) as Scanner;
    const options = { baseUrl: `${app.url}/v1`, model, apiKey: key, profile: 'chat' as const };
    const report = await scanEndpoint(options);
    expect(report.results.filter(({ status }) => status !== 'pass')).toEqual([]);
    expect(report).toMatchObject({ compatible: true, score: 100 });
    expect(report.results.map(({ id }) => id)).toEqual([
      'models.list',
      'chat.basic',
      'chat.streaming',
      'chat.tool_call',
      'chat.structured_output',
    ]);
  },
);
