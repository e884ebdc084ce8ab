import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newKey, newPolicy, outcome } from '../../journeys/people.js';
import { graphql, newCustomer, rest } from '../../support/app.js';
import type { ProvidedApp } from '../../support/provided-app.js';
import {
  type Asker,
  ask,
  BROKEN,
  bodyOf,
  EMBED_INSIDE,
  EMBED_OUTSIDE,
  INSIDE,
  OUTSIDE,
  PLAIN,
  startWorld,
  stream,
  WAYS,
  WAYS_OF_EMBEDDINGS,
} from './world.js';

let app: ProvidedApp;
beforeAll(async () => {
  app = await startWorld();
  app.double.script('broken', { status: 500 });
});
afterAll(() => app?.stop());

const outside = () => app.double.received('outside').length;
const PHONE = 'Мой телефон +7 912 345-67-89.';

/** The asker of a way, and of another organization in which nobody states anything. */
async function both(way: string, dataClass: 'C1' | 'C2' | 'C3' | 'C4' = 'C4') {
  const asker = await WAYS[way]?.(app, dataClass);
  if (!asker) throw new Error(way);
  const customer = await newCustomer(app, 500);
  return { asker, stranger: { customer, key: customer.key } satisfies Asker };
}

async function embed(asker: Asker, model: string) {
  const { key: credential, headers = {}, metadata } = asker;
  const body = { model, input: PLAIN, ...(metadata && { metadata }) };
  return rest(app, 'POST', '/v1/embeddings', { credential, headers, body });
}

async function typed(asker: Asker, model = 'gw:auto') {
  const { metadata = {} } = asker;
  const { data_class: dataClass, prompt_key: key } = metadata as Record<string, string>;
  const input = {
    model,
    maxTokens: 50,
    messages: [{ role: 'user', content: PLAIN }],
    ...(dataClass && { metadata: { dataClass } }),
    ...(key && { prompt: { key } }),
  };
  const answer = await rest<{
    data: { chatComplete: { gwRouting: object; gwFirewall: object } } | null;
    errors?: readonly { readonly extensions: { readonly code: string } }[];
  }>(app, 'POST', '/graphql', {
    credential: asker.key,
    headers: asker.headers ?? {},
    body: {
      query: `mutation($input: ChatInput!) { chatComplete(input: $input) {
        gwRouting { model dataClass }
        gwFirewall { dataClass dataClassSources { source dataClass } } } }`,
      variables: { input },
    },
  });
  return answer.body;
}

describe.each(Object.keys(WAYS))('data that the %s states as C4', (source) => {
  it('stays in Russia in both voices, whole and streamed, and every receipt says why', async () => {
    const { asker, stranger } = await both(source);
    const sources = [
      { source, data_class: 'C4' },
      { source: 'firewall', data_class: 'C0' },
    ];
    const before = outside();
    const whole = await ask(app, asker);
    expect([whole.status, whole.body.model]).toEqual([200, INSIDE]);
    for (const { gw_routing, gw_firewall } of [whole.body, await stream(app, asker)]) {
      expect([gw_routing.model, gw_routing.data_class]).toEqual([INSIDE, 'C4']);
      expect(gw_firewall).toMatchObject({ data_class: 'C4', data_class_sources: sources });
    }
    expect((await typed(asker)).data?.chatComplete).toEqual({
      gwRouting: { model: INSIDE, dataClass: 'C4' },
      gwFirewall: {
        dataClass: 'C4',
        dataClassSources: sources.map((each) => ({
          source: each.source,
          dataClass: each.data_class,
        })),
      },
    });
    expect(outside()).toBe(before);
    expect((await ask(app, stranger)).body.model).toBe(OUTSIDE);
  });

  it('refuses a model abroad by name before it is called, and falls back to none', async () => {
    const { asker } = await both(source);
    const before = outside();
    const named = await ask(app, asker, { model: OUTSIDE });
    expect(outcome(named)).toBe('403 data_route_forbidden');
    expect(named.body.error.message).toContain(`class C4 (${source})`);
    expect(await stream(app, asker, { model: OUTSIDE })).toMatchObject({
      error: { code: 'data_route_forbidden' },
    });
    const { errors } = await typed(asker, OUTSIDE);
    expect(errors?.[0]?.extensions.code).toBe('data_route_forbidden');
    const failed = await ask(app, asker, { model: BROKEN });
    expect(outcome(failed)).toMatch(/^50\d upstream_/);
    expect(outside()).toBe(before);
  });

  it('is a row of usage of that class, which names its sources', async () => {
    const { asker } = await both(source);
    expect((await ask(app, asker)).status).toBe(200);
    const { rows } = await app.owner.pool.query(
      `SELECT data_class, metadata -> 'gw_data_class' AS sources,
         metadata -> 'gw_routing' -> 'features' ->> 'data_class' AS decided
       FROM usage_event WHERE tenant_id = $1`,
      [asker.customer.tenantId],
    );
    expect(rows).toEqual([
      {
        data_class: 'C4',
        sources: [
          { source, data_class: 'C4' },
          { source: 'firewall', data_class: 'C0' },
        ],
        decided: 'C4',
      },
    ]);
  });
});

it('a fallback abroad stands in for what nobody states a class of', async () => {
  const { stranger } = await both('request');
  const answer = await ask(app, stranger, { model: BROKEN });
  expect([answer.status, answer.body.model]).toEqual([200, OUTSIDE]);
});

describe.each(WAYS_OF_EMBEDDINGS)('embeddings of data that the %s states as C3', (source) => {
  it('are made in Russia alone', async () => {
    const { asker, stranger } = await both(source, 'C3');
    const before = outside();
    expect(await embed(asker, 'gw:auto')).toMatchObject({
      status: 200,
      body: {
        model: EMBED_INSIDE,
        gw_routing: { data_class: 'C3' },
        gw_firewall: { data_class: 'C3', data_class_sources: [{ source }, { source: 'firewall' }] },
      },
    });
    expect(outcome(await embed(asker, EMBED_OUTSIDE))).toBe('403 data_route_forbidden');
    expect(outside()).toBe(before);
    expect((await embed(stranger, 'gw:auto')).body).toMatchObject({ model: EMBED_OUTSIDE });
  });
});

describe('several sources', () => {
  it('are all named, and the highest of them holds', async () => {
    const { asker } = await both('project_policy', 'C2');
    const keyed = { ...asker, metadata: { data_class: 'C1' } };
    const low = await ask(app, keyed);
    expect([low.body.model, low.body.gw_firewall]).toMatchObject([
      OUTSIDE,
      {
        data_class: 'C2',
        data_class_sources: [
          { source: 'request', data_class: 'C1' },
          { source: 'project_policy', data_class: 'C2' },
          { source: 'firewall', data_class: 'C0' },
        ],
      },
    ]);
  });

  it('cannot be lowered by a request that states less, nor by a key of the key', async () => {
    const { asker } = await both('key');
    expect((await ask(app, { ...asker, metadata: { data_class: 'C0' } })).body.model).toBe(INSIDE);
    const child = await newKey(app, asker.key, 'standard');
    const made = await ask(app, { ...asker, key: child.key });
    expect(made.body.gw_firewall.data_class_sources[0]).toEqual({
      source: 'key',
      data_class: 'C4',
    });
  });

  it('are raised by the firewall, which lowers nothing', async () => {
    const { asker } = await both('request', 'C1');
    expect((await ask(app, asker)).body.model).toBe(OUTSIDE);
    const raised = await ask(app, asker, {}, PHONE);
    expect([raised.body.model, raised.body.gw_firewall]).toMatchObject([
      INSIDE,
      {
        data_class: 'C3',
        data_class_sources: [
          { source: 'request', data_class: 'C1' },
          { source: 'firewall', data_class: 'C3' },
        ],
      },
    ]);
  });

  it('keep a stated class where a policy no longer counts what was masked', async () => {
    const customer = await newCustomer(app, 500);
    await newPolicy(app, customer.token, { hybrid: 'any', firewall: { phone: 'mask' } });
    const asker: Asker = { customer, key: customer.key };
    const masked = await ask(app, asker, {}, PHONE);
    expect([masked.body.model, masked.body.gw_routing.data_class]).toEqual([OUTSIDE, 'C0']);
    expect(masked.body.gw_firewall.data_class).toBe('C3');
    const stated = await ask(app, { ...asker, metadata: { data_class: 'C3' } }, {}, PHONE);
    expect([stated.body.model, stated.body.gw_routing.data_class]).toEqual([INSIDE, 'C3']);
  });

  it('say nothing of the firewall where a policy lets it look for nothing', async () => {
    const customer = await newCustomer(app, 500);
    const { body } = await rest<{ data: readonly { code: string }[] }>(
      app,
      'GET',
      '/v1/gw/policies?limit=1',
      { credential: customer.token },
    );
    expect(body.data).toEqual([]);
    const { FINDING_CLASSES } = await import('../../../src/kernel/firewall/vocabulary.js');
    const firewall = Object.fromEntries(FINDING_CLASSES.map(({ code }) => [code, 'off']));
    await newPolicy(app, customer.token, { firewall });
    const asker: Asker = { customer, key: customer.key };
    const { gw_firewall } = (await ask(app, asker)).body;
    expect([gw_firewall.data_class, gw_firewall.data_class_sources]).toEqual(['C0', []]);
  });
});

describe('what a request states', () => {
  it('is refused with its place where it is no class, everywhere', async () => {
    const customer = await newCustomer(app, 100);
    const asker: Asker = { customer, key: customer.key };
    const before = app.double.log.length;
    for (const metadata of [
      { data_class: 'C5' },
      { data_class: 'c4' },
      { data_class: '' },
      { data_class: 4 },
      { data_class: ['C4'] },
      { writes: 'yes' },
      { writes: 1 },
    ]) {
      const path = `metadata.${Object.keys(metadata)[0]}`;
      const fault = { error: { code: 'invalid_request', faults: [{ path }] } };
      expect(await ask(app, asker, { metadata })).toMatchObject({ status: 400, body: fault });
      expect(await stream(app, asker, { metadata })).toMatchObject(fault);
      expect(await embed({ ...asker, metadata }, EMBED_INSIDE)).toMatchObject({
        status: 400,
        body: fault,
      });
      const input = bodyOf(asker, { metadata });
      const { errors } = await graphql(
        app,
        'mutation($input: ChatCompletionRequest!) { chatCompletionCreate(input: $input) }',
        { input },
        customer.key,
      );
      expect(errors?.[0]?.extensions.code).toBe('invalid_request');
    }
    expect(app.double.log.length).toBe(before);
  });

  it('names two faults at once, and null states nothing', async () => {
    const customer = await newCustomer(app, 100);
    const asker: Asker = { customer, key: customer.key };
    const both = await ask(app, asker, { metadata: { data_class: 'X', writes: 'maybe' } });
    expect(both.body.error.faults?.map(({ path }) => path)).toEqual([
      'metadata.data_class',
      'metadata.writes',
    ]);
    const nothing = await ask(app, asker, { metadata: { data_class: null, writes: null } });
    expect(nothing.body.gw_firewall.data_class_sources).toEqual([
      { source: 'firewall', data_class: 'C0' },
    ]);
  });
});
