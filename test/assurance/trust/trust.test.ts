import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONTROL_ROWS } from '../../../src/assurance/trust/controls.rules.js';
import { shownHost } from '../../../src/assurance/trust/facts.js';
import { STAGES } from '../../../src/inference/stages/stages.js';
import { projectRoot } from '../../../src/platform/database/project-root.js';
import { startWireWorld, type WireWorld } from '../../inference/wire/world.js';
import { graphql, newCustomer, rest, startApp, type TestApp } from '../../support/app.js';
import { bytesAt, faultsOfLayout, readPdf } from '../../support/pdf.js';

/** As it starts by itself, and in front of real providers with the settings of a deployment. */
let plain: TestApp;
let world: WireWorld;
beforeAll(async () => {
  plain = await startApp();
  world = await startWireWorld();
});
afterAll(async () => {
  await plain.stop();
  await world.stop();
});

type Body = Record<string, unknown>;

async function read<T = Body>(app: TestApp, path: string): Promise<T> {
  const { status, body } = await rest<T>(app, 'GET', `/v1/gw/trust/${path}`);
  expect([path, status]).toEqual([path, 200]);
  return body;
}

interface Control {
  readonly code: string;
  readonly status: string;
}

async function statuses(app: TestApp): Promise<Readonly<Record<string, string>>> {
  const { controls } = await read<{ controls: Control[] }>(app, 'overview');
  return Object.fromEntries(controls.map(({ code, status }) => [code, status]));
}

describe('a control', () => {
  it('names files that are there, where it is held and where it is shown', () => {
    const named = CONTROL_ROWS.flatMap((row) => [...row.enforced_in, ...row.proven_by]);
    expect(named.filter((path) => !existsSync(join(projectRoot(), path)))).toEqual([]);
    const bare = CONTROL_ROWS.filter(
      ({ roadmap, enforced_in, proven_by }) => !roadmap && !(enforced_in[0] && proven_by[0]),
    );
    expect(bare).toEqual([]);
  });

  it('that rests on a setting holds only where the setting is made', async () => {
    expect(await statuses(plain)).toMatchObject({
      rf_route_wall: 'enforced',
      transport_encryption: 'not_in_force',
      incident_contact: 'not_in_force',
      metrics_closed: 'not_in_force',
      metadata_kept_back: 'in_force',
      secrets_given: 'in_force',
      edo_push: 'roadmap',
    });
    // One of the providers of this gateway is told `metadata`.
    expect((await statuses(world)).metadata_kept_back).toBe('not_in_force');
    const set = await startApp({
      GW_PUBLIC_URL: 'https://gw.example.com',
      GW_SECURITY_CONTACT: 'security@example.com',
      GW_OPERATOR_TOKEN: 'a token of the operator',
    });
    try {
      expect(await statuses(set)).toMatchObject({
        transport_encryption: 'in_force',
        incident_contact: 'in_force',
        metrics_closed: 'in_force',
      });
      const { incidents } = await read<{ incidents: Body }>(set, 'overview');
      expect(incidents.contact).toBe('security@example.com');
      const text = JSON.stringify(await read(set, 'vendor-pack'));
      expect(text).not.toMatch(/a token of the operator|a secret for tests/);
    } finally {
      await set.stop();
    }
  });

  it('that is planned is named as planned and in no answer of yes', async () => {
    const { roadmap } = await read<{ roadmap: string[] }>(plain, 'overview');
    expect(roadmap).toEqual([
      'production_shadow',
      'native_adapters',
      'edo_push',
      'tool_connectors',
    ]);
    const { questions } = await read<{ questions: { controls: string[]; answer: string }[] }>(
      plain,
      'questionnaire',
    );
    const planned = questions.filter(({ controls }) =>
      controls.some((one) => roadmap.includes(one)),
    );
    expect(planned.map(({ answer }) => answer)).toEqual(['no']);
  });
});

describe('the register of sub-processors', () => {
  interface Register {
    readonly subprocessors: {
      readonly id: string;
      readonly status: string;
      readonly observed: boolean;
      readonly gets_metadata: boolean;
      readonly retention: string;
      readonly routes: { jurisdiction: string; data_classes: string[]; observed_hosts: string[] }[];
    }[];
  }

  it('names whom this node has really contacted, and hides hosts of the inside', async () => {
    const of = async (id: string) => {
      const { subprocessors } = await read<Register>(world, 'subprocessors');
      return subprocessors.find((each) => each.id === id);
    };
    expect(await of('main')).toMatchObject({ status: 'configured', observed: false });
    const customer = await newCustomer(world, 1_000);
    await rest(world, 'POST', '/v1/chat/completions', {
      credential: customer.key,
      body: { model: 'main/chat', messages: [{ role: 'user', content: 'привет' }] },
    });
    expect(await of('main')).toMatchObject({
      observed: true,
      gets_metadata: false,
      retention: 'missing',
      routes: [
        {
          jurisdiction: 'rf',
          data_classes: ['C0', 'C1', 'C2', 'C3', 'C4'],
          observed_hosts: ['internal'],
        },
      ],
    });
    expect(await of('told')).toMatchObject({ observed: false, gets_metadata: true });
    const text = JSON.stringify(await read(world, 'vendor-pack'));
    for (const own of [customer.tenantId, customer.email, '127.0.0.1', '"requests"']) {
      expect(text).not.toContain(own);
    }
  });

  it('names whom any node has contacted, also when it is gone, and counts once', async () => {
    const seen = async (node: TestApp) => {
      const { subprocessors } = await read<Register>(node, 'subprocessors');
      return subprocessors.filter(({ observed }) => observed).map(({ id }) => id);
    };
    const counted = async () => {
      const { rows } = await world.owner.pool.query(
        'SELECT provider_id AS id, requests FROM egress_host ORDER BY 1',
      );
      return rows;
    };
    const first = await startApp({ ...world.environment, GW_NODE_ID: 'first' });
    const customer = await newCustomer(first, 1_000);
    const { status } = await rest(first, 'POST', '/v1/chat/completions', {
      credential: customer.key,
      body: { model: 'told/chat', messages: [{ role: 'user', content: 'привет' }] },
    });
    expect(status).toBe(200);
    expect(await seen(first)).toContain('told');
    const { egressLog } = first.server.services;
    await Promise.all([egressLog.write(), egressLog.write(), egressLog.write()]);
    await first.stop();
    const told = (await counted()).find(({ id }) => id === 'told');
    expect(told).toEqual({ id: 'told', requests: 1n });
    const later = await startApp({ ...world.environment, GW_NODE_ID: 'later' });
    try {
      expect(await seen(later)).toContain('told');
      const { observed_since: since } = await read<{ observed_since: string }>(
        later,
        'subprocessors',
      );
      expect(Date.parse(since)).toBeLessThanOrEqual(Date.now());
      const old = "UPDATE egress_host SET last_seen_at = clock_timestamp() - interval '367 days'";
      await world.owner.pool.query(old);
      await later.server.services.egressLog.forgetOld();
      expect(await counted()).toEqual([]);
    } finally {
      await later.stop();
    }
  });

  it('gives no class above C2 to a route outside', async () => {
    const { subprocessors } = await read<Register>(plain, 'subprocessors');
    const outside = subprocessors
      .flatMap(({ routes }) => routes)
      .filter(({ jurisdiction }) => jurisdiction === 'outside');
    expect(outside.length).toBeGreaterThan(0);
    expect(new Set(outside.map((each) => each.data_classes.join()))).toEqual(new Set(['C0,C1,C2']));
  });

  it.each([
    ['llm.api.cloud.yandex.net:443', 'llm.api.cloud.yandex.net'],
    ['10.0.0.5:8000', 'internal'],
    ['[::1]:80', 'internal'],
    ['vllm', 'internal'],
    ['models.corp.local', 'internal'],
    ['8.8.8.8', '8.8.8.8'],
  ])('shows %s as %s', (host, shown) => {
    expect(shownHost(host)).toBe(shown);
  });
});

describe('the data flow', () => {
  interface Flow {
    readonly nodes: { id: string; kind: string; description: string }[];
    readonly edges: { from: string; to: string; status: string }[];
  }

  it('is the very list of stages, each reached from the one before', async () => {
    const { nodes, edges } = await read<Flow>(plain, 'data-flow');
    const stages = nodes.filter(({ kind }) => kind === 'stage');
    expect(stages.map(({ id, description }) => ({ name: id, description }))).toEqual(STAGES);
    const path = ['client', ...STAGES.map(({ name }) => name), 'client'];
    const steps = path.slice(1).map((to, index) => ({ from: path[index], to }));
    expect(edges.map(({ from, to }) => ({ from, to })).slice(0, steps.length)).toEqual(steps);
    const ids = new Set(nodes.map(({ id }) => id));
    expect(edges.filter(({ from, to }) => !ids.has(from) || !ids.has(to))).toEqual([]);
  });

  it('says which sides are closed, because nobody can be called there', async () => {
    const sides = async (app: TestApp) => {
      const { edges } = await read<Flow>(app, 'data-flow');
      const out = edges.filter(({ from, to }) => from === 'call' && /route|sandbox/.test(to));
      return out.map(({ to, status }) => `${to} ${status}`);
    };
    expect(await sides(plain)).toEqual(['route_rf closed', 'route_outside closed', 'sandbox open']);
    expect(await sides(world)).toEqual(['route_rf open', 'route_outside closed', 'sandbox closed']);
  });

  it('is drawn as a picture of every node, by query and by Accept, that runs nothing', async () => {
    const url = `${plain.url}/v1/gw/trust/data-flow`;
    const drawn = [
      await bytesAt(`${url}?format=svg`),
      await bytesAt(url, { accept: 'image/svg+xml' }),
    ];
    for (const { status, headers, bytes } of drawn) {
      expect([status, headers.get('content-type')]).toEqual([200, 'image/svg+xml; charset=utf-8']);
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
      const svg = bytes.toString('utf8');
      for (const { name } of STAGES) expect(svg).toContain(`>${name}</text>`);
      expect(svg).toContain('Поставщики в РФ');
      expect(svg).not.toMatch(/<script|href|on\w+=|undefined|NaN/);
    }
    const all = await bytesAt(url, { accept: '*/*' });
    expect(all.headers.get('content-type')).toContain('application/json');
    const { data } = await graphql<Body>(plain, '{ trustDataFlowDiagram }');
    expect(data.trustDataFlowDiagram).toBe(drawn[0]?.bytes.toString('utf8'));
  });
});

describe('the questionnaire', () => {
  it('answers from the controls that hold, and names what cannot be shown', async () => {
    interface Questionnaire {
      readonly questions: { code: string; answer: string; explanation: string }[];
      readonly missing_evidence: { code: string; needed: string }[];
    }
    const { questions, missing_evidence: gaps } = await read<Questionnaire>(plain, 'questionnaire');
    const answers = Object.fromEntries(questions.map(({ code, answer }) => [code, answer]));
    expect(answers).toMatchObject({
      data_location: 'partly',
      credential_storage: 'partly',
      encryption_in_transit: 'no',
      node_outage: 'yes',
      iso_27001: 'unknown',
      edo_integration: 'no',
    });
    const open = questions.filter(({ answer }) => answer === 'unknown').map(({ code }) => code);
    expect(gaps.map(({ code }) => code)).toEqual([
      ...open,
      'transport_encryption',
      'metrics_closed',
      'shared_limits',
      'incident_contact',
    ]);
    expect(questions.filter(({ explanation }) => explanation === '')).toEqual([]);
  });
});

describe('the vendor pack', () => {
  it('is all of it in one answer, the same in both voices', async () => {
    const pack = await read<Body>(plain, 'vendor-pack');
    expect(Object.keys(pack)).toEqual([
      'overview',
      'subprocessors',
      'data_flow',
      'artifacts',
      'questionnaire',
    ]);
    const { data } = await graphql<{ trustVendorPack: { artifacts: Body[] } }>(
      plain,
      '{ trustVendorPack { artifacts { code visibility status path } } }',
    );
    const { data: artifacts } = await read<{ data: Body[] }>(plain, 'artifacts');
    expect(data.trustVendorPack.artifacts).toEqual(
      artifacts.map(({ code, visibility, status, path }) => ({ code, visibility, status, path })),
    );
  });

  it('lists documents that can really be had where it says so', async () => {
    const { data } = await read<{ data: { path: string | null; visibility: string }[] }>(
      plain,
      'artifacts',
    );
    const customer = await newCustomer(plain);
    for (const { path, visibility } of data.filter((each) => each.path)) {
      const authorization = `Bearer ${customer.key}`;
      const headers = visibility === 'public' ? {} : { authorization };
      const { status } = await bytesAt(plain.url + path, headers as Record<string, string>);
      expect([path, status]).toEqual([path, 200]);
    }
  });

  it('is one PDF with Cyrillic and its diagram, read back by another library', async () => {
    const { headers, bytes } = await bytesAt(`${plain.url}/v1/gw/trust/vendor-pack?format=pdf`);
    expect(headers.get('content-type')).toBe('application/pdf');
    expect(headers.get('content-disposition')).toMatch(/vendor-pack-\d{4}-\d\d-\d\d\.pdf/);
    const { title, text, pages } = await readPdf(bytes);
    expect(title).toBe('Пакет доверия к LLM-шлюзу');
    for (const words of [
      'Незамаскированные данные, отнесённые к классу C3 и выше, не покидают Россию — действует',
      'Отправка документов операторам ЭДО — план',
      'firewall_out',
      'Недостающие доказательства',
      'Копия сертификата оператора.',
    ]) {
      expect(text).toContain(words);
    }
    pages.forEach((page, index) => {
      expect(page).toContain(`${index + 1} / ${pages.length}`);
    });
    const drawn = pages.findIndex((page) => page.includes('firewall_out'));
    expect(pages[drawn]).toContain('Потоки данных');
    // Everybody may ask: the document of the last minute serves.
    const again = await bytesAt(`${plain.url}/v1/gw/trust/vendor-pack`, {
      accept: 'application/pdf',
    });
    expect(again.bytes.equals(bytes)).toBe(true);
  });

  it('is a PDF whose pages hold all that they show, with fonts of its own', async () => {
    for (const { url } of [plain, world]) {
      const { bytes } = await bytesAt(`${url}/v1/gw/trust/vendor-pack?format=pdf`);
      expect(await faultsOfLayout(bytes)).toEqual([]);
    }
  });
});
