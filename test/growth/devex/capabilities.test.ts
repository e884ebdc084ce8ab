import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Provider, ProviderModel } from '../../../src/catalog/providers/model.js';
import { CAPABILITIES } from '../../../src/catalog/providers/vocabulary.js';
import { graphql, rest, startApp, type TestApp } from '../../support/app.js';

interface Row {
  readonly id: string;
  readonly subject: string;
  readonly model: string;
  readonly status: string;
  readonly status_reason: string | null;
  readonly routes: readonly string[];
  readonly [flag: string]: unknown;
}

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app?.stop());

async function matrix(query = ''): Promise<readonly Row[]> {
  const { status, body } = await rest<{ data: Row[] }>(
    app,
    'GET',
    `/v1/gw/devex/model-capabilities${query}`,
  );
  expect(status).toBe(200);
  return body.data;
}

const one = (id: string) => rest<Row>(app, 'GET', `/v1/gw/devex/model-capabilities/${id}`);

describe('the capability matrix', () => {
  it('is the catalogue: every route with exactly the flags that the catalogue has', async () => {
    const { providers } = app.server.services.registry;
    const rows = await matrix();
    expect(rows.map(({ id }) => id)).toEqual(
      providers.flatMap(({ id, models }) => models.map((model) => `${id}:${model.id}`)),
    );
    const known = new Map<string, { provider: Provider; model: ProviderModel }>(
      providers.flatMap((provider) =>
        provider.models.map(
          (model) => [`${provider.id}:${model.id}`, { provider, model }] as const,
        ),
      ),
    );
    for (const row of rows) {
      const { provider, model } = known.get(row.id) ?? {};
      expect(CAPABILITIES.codes.filter((code) => row[code] === true)).toEqual(
        CAPABILITIES.codes.filter((code) => model?.capabilities.includes(code)),
      );
      expect(row).toMatchObject({
        subject: 'route',
        provenance: 'declared',
        status: provider?.status,
        russian_quality: model?.russianQuality,
        latency: model?.latency,
        context_window: model?.contextWindow,
        simulated: provider?.simulated,
      });
      expect(row.status_reason === null).toBe(row.status === 'configured');
    }
  });

  it('is narrowed to routes that have all of some capabilities and can be called', async () => {
    const rows = await matrix('?capability=tools,vision&callable=true');
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) {
      expect([row.tools, row.vision, row.status]).toEqual([true, true, 'configured']);
    }
    const all = await matrix();
    const others = await matrix('?callable=false');
    expect(others).toEqual(all.filter(({ status }) => status === 'adapter_ready'));
  });

  it('refuses a capability that there is not', async () => {
    const path = '/v1/gw/devex/model-capabilities?capability=visoin';
    expect((await rest(app, 'GET', path)).status).toBe(400);
  });
});

describe('one entry', () => {
  it('is found by its route, by its model, and for gw:auto', async () => {
    const [route] = await matrix('?capability=tools&callable=true');
    expect((await one(route?.id ?? '')).body).toEqual(route);
    const { body: model } = await one(route?.model ?? '');
    expect(model).toMatchObject({ id: route?.model, subject: 'model', tools: true });
    expect(model.routes).toContain(route?.id);
    const { body: alias } = await one('gw:auto');
    expect(alias).toMatchObject({ subject: 'alias', text: true, quality: null, embeddings: false });
  });

  it('tells of a model that cannot be called what would change that', async () => {
    const [row] = await matrix('?callable=false');
    const { body } = await one(row?.model ?? '');
    expect(body).toMatchObject({ subject: 'model', status: 'adapter_ready' });
    expect(body.status_reason).toEqual(expect.stringMatching(/\w/));
  });

  it.each(['nope', 'sandbox:nope', 'constructor', 'gw:route/mine', 'x'.repeat(300)])(
    'that is not there is 404: %s',
    async (id) => {
      const { status, body } = await one(id);
      expect([status, (body.error as { code: string }).code]).toEqual([404, 'not_found']);
    },
  );

  it('is the same in GraphQL', async () => {
    const query = `{ modelCapabilities(id: "gw:auto") { id subject text contextWindow } }`;
    const { data } = await graphql<{ modelCapabilities: Row }>(app, query);
    const { body } = await one('gw:auto');
    expect(data.modelCapabilities).toEqual({
      id: 'gw:auto',
      subject: 'alias',
      text: true,
      contextWindow: body.context_window,
    });
  });
});

describe('the reference', () => {
  it('lists stacks, use cases that are served, and what is to be known', async () => {
    const { body } = await rest<Record<string, { code: string; operations?: string[] }[]>>(
      app,
      'GET',
      '/v1/gw/devex/reference',
    );
    expect(body.stacks?.map(({ code }) => code)).toEqual([
      'python',
      'node',
      'curl',
      'go',
      'java',
      'php',
      'langchain',
      'vercel-ai-sdk',
      'n8n',
    ]);
    expect(body.capability_notes?.length).toBeGreaterThan(0);
    const { paths } = (await (await fetch(`${app.url}/openapi.json`)).json()) as {
      paths: Record<string, Record<string, unknown>>;
    };
    for (const { operations = [] } of body.use_cases ?? []) {
      for (const operation of operations) {
        const [method = '', path = ''] = operation.split(' ');
        expect([operation, paths[path]?.[method.toLowerCase()]]).not.toContain(undefined);
      }
    }
  });
});
