import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONNECTORS, VERBS } from '../../../src/actions/tools/vocabulary.js';
import { newKey, newMember, outcome } from '../../journeys/people.js';
import {
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../../support/app.js';
import { DESK, execute, register, tools } from './world.js';

let app: TestApp;
let customer: Customer;
beforeAll(async () => {
  app = await startApp();
  customer = await newCustomer(app);
});
afterAll(() => app?.stop());

const ENDPOINT = 'https://hooks.example.com/tools';

/** A body of exactly the fields that the specification names. */
const NAMED = {
  tool_key: 'named',
  verbs: ['read', 'delete'],
  risk: 'high',
  destructive: true,
  requires_approval: true,
  endpoint_url: ENDPOINT,
};

describe('registering a tool', () => {
  it('works with exactly the fields that the specification names', async () => {
    const { status, body } = await register(app, customer, NAMED);
    const verb = {
      origin: 'published',
      risk: 'high',
      destructive: true,
      requires_approval: true,
      compensating_verb: null,
      arguments_schema: null,
      amount_field: null,
      records_field: null,
    };
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        tool_key: 'named',
        version: 1,
        name: null,
        description: null,
        verbs: [
          { verb: 'read', read_only: true, ...verb },
          { verb: 'delete', read_only: false, ...verb },
        ],
        risk: 'high',
        destructive: true,
        requires_approval: true,
        connector: 'http_webhook',
        endpoint_url: ENDPOINT,
        timeout_ms: 10_000,
        approval_expires_seconds: 86_400,
        amount_rub_max_auto: null,
        registered_by: customer.userId,
        registered_at: expect.any(String),
        signing_secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
        already_registered: false,
      },
    });
  });

  it('again with the same contract adds no version, with another one the next', async () => {
    const first = await register(app, customer, { tool_key: 'again', verbs: ['read'] });
    const same = await register(app, customer, { tool_key: 'again', verbs: ['read'] });
    expect(same.body).toEqual({ ...first.body, already_registered: true });
    const other = await register(app, customer, { tool_key: 'again', verbs: ['read', 'list'] });
    expect(other.body).toMatchObject({ version: 2, already_registered: false });
  });

  it('by many at once adds one version', async () => {
    const body = { tool_key: 'raced', verbs: ['read'] };
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => register(app, customer, body)),
    );
    expect(answers.map(({ body: { version } }) => version)).toEqual(Array(12).fill(1));
    expect(new Set(answers.map(({ body: { id } }) => id)).size).toBe(1);
  });

  it('names every fault at once, and writes nothing', async () => {
    const answer = await rest<{ error: { faults: { path: string }[] } }>(
      app,
      'POST',
      '/v1/gw/tools/register',
      {
        credential: customer.token,
        body: {
          tool_key: 'Bad Key',
          verbs: ['raed', { verb: 'pay', amount_field: 'x' }],
          timeout_ms: 5,
          endpoint_url: 'http://169.254.169.254/latest',
        },
      },
    );
    expect(answer.status).toBe(400);
    const paths = answer.body.error.faults.map(({ path }) => path);
    expect([...new Set(paths)]).toEqual([
      'timeout_ms',
      'tool_key',
      'verbs.0.verb',
      'verbs.1.amount_field',
      'endpoint_url',
    ]);
    const missing = await register(app, customer, {});
    expect(missing.body).toMatchObject({ error: { param: 'tool_key' } });
  });

  it.each(CONNECTORS.rows.filter(({ status }) => status === 'roadmap'))(
    'with the connector $code of the roadmap is answered with 501',
    async ({ code }) => {
      const contract = { tool_key: `roadmap-${code}`, verbs: ['read'], connector: code };
      const answer = await register(app, customer, contract);
      expect(outcome(answer)).toBe('501 capability_roadmap');
      expect(outcome(await execute(app, customer.token, contract))).toMatch(/^4/);
    },
  );

  it('is refused to an agent key and to a viewer', async () => {
    const agent = await newKey(app, customer.token, 'agent');
    const viewer = await newMember(app, customer.token, 'viewer');
    for (const token of [agent.key, viewer.token]) {
      expect(outcome(await register(app, { token }, NAMED))).toBe('403 permission_denied');
    }
  });
});

describe('a verb that is registered again', () => {
  const PURGE = { verb: 'purge', risk: 'critical', requires_approval: true };
  const again = (token: string, key: string, verbs: readonly unknown[]) =>
    register(app, { token }, { tool_key: key, verbs });

  it.each<[string, readonly unknown[]]>([
    ['lower risk', [{ ...PURGE, risk: 'low' }]],
    ['word that it changes nothing', [{ ...PURGE, read_only: true }]],
    ['call without an approval', [{ ...PURGE, requires_approval: false }]],
  ])('with a %s is refused to those who may not approve its calls', async (what, loose) => {
    const key = what.replaceAll(' ', '-');
    const developer = await newMember(app, customer.token, 'developer');
    const standard = await newKey(app, customer.token, 'standard');
    expect((await again(developer.token, key, [PURGE])).status).toBe(200);
    for (const token of [developer.token, standard.key]) {
      expect(outcome(await again(token, key, loose))).toBe('403 permission_denied');
    }
    // Leaving the verb out for a version loosens nothing.
    expect((await again(developer.token, key, ['read'])).status).toBe(200);
    expect(outcome(await again(developer.token, key, loose))).toBe('403 permission_denied');
    const stranger = await newCustomer(app);
    expect((await again(stranger.token, key, loose)).status).toBe(200);
    expect((await again(customer.token, key, loose)).body.version).toBe(3);
  });
});

describe('the signing secret', () => {
  it('is another one for every tenant and tool, and the same for later versions', async () => {
    const secretOf = async (owner: Customer, change: object) =>
      (await register(app, owner, { ...NAMED, tool_key: 'signed', ...change })).body.signing_secret;
    const own = await secretOf(customer, {});
    expect(await secretOf(customer, { verbs: ['read'] })).toBe(own);
    const others = [
      await secretOf(await newCustomer(app), {}),
      await secretOf(customer, { tool_key: 'signed.too' }),
    ];
    expect(new Set([own, ...others]).size).toBe(3);
  });

  it('is shown by registering and rotating alone', async () => {
    const { body } = await register(app, customer, { ...NAMED, tool_key: 'hidden' });
    const lists = await Promise.all(
      ['', '/calls', '/approvals'].map((path) => tools(app, customer.token, 'GET', path)),
    );
    expect(JSON.stringify(lists.map((list) => list.body))).not.toContain('whsec_');
    const rows = await app.owner.pool.query('SELECT body FROM contract_version');
    expect(JSON.stringify(rows.rows)).not.toContain(body.signing_secret);
  });

  const ROTATE = `mutation($toolKey: String!) { toolSigningSecretRotate(toolKey: $toolKey) {
    toolKey version signingSecret alreadyRegistered
  } }`;
  const rotate = (toolKey: string, token = customer.token) =>
    graphql<{ toolSigningSecretRotate: Record<string, unknown> }>(app, ROTATE, { toolKey }, token);

  it('changes by rotation, as a new version, and stays so for the versions after', async () => {
    const contract = { ...NAMED, tool_key: 'rotated' };
    const { body: first } = await register(app, customer, contract);
    const { data } = await rotate('rotated');
    const { signingSecret } = data.toolSigningSecretRotate;
    expect(data.toolSigningSecretRotate).toEqual({
      toolKey: 'rotated',
      version: 2,
      signingSecret: expect.stringMatching(/^whsec_/),
      alreadyRegistered: false,
    });
    expect(signingSecret).not.toBe(first.signing_secret);
    const { body: same } = await register(app, customer, contract);
    expect(same).toMatchObject({ version: 2, already_registered: true });
    expect(same.signing_secret).toBe(signingSecret);
  });

  it('of a tool without an endpoint, or of another tenant, is not rotated', async () => {
    await register(app, customer, DESK);
    const codes = await Promise.all([
      rotate('desk'),
      rotate('no.such.tool'),
      rotate('desk', (await newCustomer(app)).token),
    ]);
    expect(codes.map(({ errors }) => errors?.[0]?.extensions.code)).toEqual([
      'tool_without_endpoint',
      'not_found',
      'not_found',
    ]);
  });
});

describe('the list of tools', () => {
  it('pages through each tool once, the last new one first, while versions are added', async () => {
    const owner = await newCustomer(app);
    const keys = ['a', 'b', 'c', 'd', 'e'];
    for (const key of keys) await register(app, owner, { tool_key: key, verbs: ['read'] });
    const seen: string[] = [];
    let cursor = '';
    for (;;) {
      const { body } = await tools<{
        data: { tool_key: string; version: number }[];
        has_more: boolean;
        next_cursor: string;
      }>(app, owner.token, 'GET', `?limit=2${cursor && `&cursor=${cursor}`}`);
      seen.push(...body.data.map(({ tool_key: key, version }) => `${key}${version}`));
      await register(app, owner, { tool_key: 'b', verbs: ['read', 'list'] });
      await register(app, owner, { tool_key: `new-${seen.length}`, verbs: ['read'] });
      if (!body.has_more) break;
      cursor = body.next_cursor;
    }
    expect(seen).toEqual(['e1', 'd1', 'c1', 'b2', 'a1']);
  });

  it('reads backwards what it reads forwards', async () => {
    const owner = await newCustomer(app);
    for (const key of ['a', 'b', 'c']) {
      await register(app, owner, { tool_key: key, verbs: ['read'] });
    }
    const page = async (args: string) => {
      const query = `{ tools(${args}) { nodes { toolKey } pageInfo { startCursor endCursor } } }`;
      const { data } = await graphql<{
        tools: { nodes: { toolKey: string }[]; pageInfo: { startCursor: string } };
      }>(app, query, {}, owner.token);
      return data.tools;
    };
    const last = await page('last: 1');
    expect(last.nodes).toEqual([{ toolKey: 'a' }]);
    const before = await page(`last: 2, before: "${last.pageInfo.startCursor}"`);
    expect(before.nodes).toEqual([{ toolKey: 'c' }, { toolKey: 'b' }]);
  });

  it('refuses cursors that it has not given out', async () => {
    const answer = await tools(app, customer.token, 'GET', '?cursor=nonsense');
    expect(outcome(answer)).toBe('400 invalid_cursor');
  });

  it('shows nothing of another tenant', async () => {
    const other = await newCustomer(app);
    expect((await tools(app, other.token, 'GET', '')).body).toMatchObject({ data: [] });
    const foreign = await execute(app, other.token, { tool_key: 'named', verb: 'read' });
    const unknown = await execute(app, other.token, { tool_key: 'nameless', verb: 'read' });
    const text = (answer: object, key: string) =>
      JSON.stringify(answer)
        .replaceAll(key, '<key>')
        .replace(/"request_id":"[^"]+"/, '');
    expect(foreign.status).toBe(404);
    expect(text(foreign.body, 'named')).toBe(text(unknown.body, 'nameless'));
  });
});

describe('the public reference', () => {
  it('lists verbs, risks, statuses and connectors as the rules read them', async () => {
    const { status, body } = await rest<Record<string, { code: string }[]>>(
      app,
      'GET',
      '/v1/gw/tools/registry-reference',
    );
    const codes = Object.fromEntries(
      Object.entries(body).map(([name, rows]) => [name, rows.map(({ code }) => code)]),
    );
    expect(status).toBe(200);
    expect(body.verbs).toEqual(VERBS.rows);
    expect(body.connectors).toEqual(CONNECTORS.rows);
    expect(codes).toMatchObject({
      risk_levels: ['low', 'medium', 'high', 'critical'],
      approval_statuses: ['not_required', 'pending', 'approved', 'rejected', 'expired'],
      decisions: ['allow', 'needs_approval', 'block'],
      caller_limits: ['member', 'standard', 'service', 'agent'],
    });
    expect(codes.decision_table?.at(-1)).toBe('within_limits');
  });

  it('is readable as lists by name, numbers of any size included', async () => {
    const query = `{
      references(module: "tools") {
        name
        entries { code description facts { name text number flag texts facts { name } } }
      }
    }`;
    interface Entry {
      readonly code: string;
      readonly facts: readonly object[];
    }
    const { data, errors } = await graphql<{
      references: { name: string; entries: readonly Entry[] }[];
    }>(app, query);
    expect(errors).toBeUndefined();
    expect(data.references.map(({ name }) => name)).toEqual([
      'tools.approval_status',
      'tools.call_status',
      'tools.caller_limit',
      'tools.connector',
      'tools.decision',
      'tools.decision_rule',
      'tools.failure',
      'tools.figure_basis',
      'tools.risk',
      'tools.verb',
      'tools.verb_origin',
    ]);
    const none = { text: null, number: null, flag: null, texts: null, facts: null };
    const verbs = data.references.find(({ name }) => name === 'tools.verb');
    const read = verbs?.entries.find(({ code }) => code === 'read');
    expect(read?.facts).toEqual([
      { ...none, name: 'risk', text: 'low' },
      { ...none, name: 'destructive', flag: false },
      { ...none, name: 'scope', text: VERBS.find('read')?.scope },
      { ...none, name: 'money', flag: false },
    ]);
  });
});
