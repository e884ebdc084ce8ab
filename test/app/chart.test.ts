import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { projectRoot } from '../../src/platform/database/project-root.js';
import {
  chartFile,
  type Manifest,
  renderChart,
  renderNotes,
  TEMPLATES,
  VALUES,
  VALUES_SCHEMA,
  type Values,
} from '../support/helm-chart.js';
import { manifestFaults } from '../support/kubernetes-schemas.js';
import { DASHBOARD_FILE, RULES_FILE } from '../support/operator-views.js';

const DEPLOY = join(projectRoot(), 'deploy');
const read = (path: string) => readFileSync(join(projectRoot(), path), 'utf8');

const EMBEDDED = { replicas: 1, database: { embedded: true } };
const PROXIES = { GW_TRUSTED_PROXIES: '10.0.0.0/8' };
const INGRESS = {
  ingress: { enabled: true, className: 'nginx', host: 'gw.example.com', tlsSecret: 'gw-tls' },
  settings: PROXIES,
};

/** Parts that can be chosen one by one. */
const CHOICES: readonly Values[] = [
  { storage: { persistent: false, className: 'fast' }, deregisterSeconds: 0 },
  { autoscaling: { enabled: true } },
  INGRESS,
  { monitoring: { serviceMonitor: true, rules: true, dashboard: true, labels: { for: 'all' } } },
  {
    networkPolicy: { enabled: true, from: [{ podSelector: { matchLabels: { app: 'door' } } }] },
    serviceAccount: { create: false },
    disruptionBudget: { enabled: false },
  },
  {
    fullnameOverride: 'other',
    image: { repository: 'images.example.com/gw', tag: '2' },
    imagePullSecrets: [{ name: 'pull' }],
    providers: 'providers:\n  - id: mine\n',
    environment: { YANDEX_BASE_URL: 'https://models.example.com' },
    podAnnotations: { note: 'one' },
    nodeSelector: { disk: 'fast' },
    tolerations: [{ key: 'gateways', operator: 'Exists' }],
    affinity: { nodeAffinity: {} },
    topologyKeys: [],
    service: { type: 'LoadBalancer', annotations: { note: 'two' } },
  },
];

/** Every choice of them together. */
const COMBINATIONS: readonly Values[] = Array.from({ length: 2 ** CHOICES.length }, (_, chosen) =>
  Object.assign({}, ...CHOICES.filter((_each, at) => chosen & (1 << at))),
);

function named(manifests: readonly Manifest[]): string[] {
  return manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort();
}

function only(manifests: readonly Manifest[], kind: string): Manifest {
  const found = manifests.filter((each) => each.kind === kind);
  expect(found).toHaveLength(1);
  return found[0] as Manifest;
}

describe('what the chart makes', () => {
  const faults = manifestFaults();
  /** Of the operator of Prometheus; each is held whole below. */
  const isForeign = ({ apiVersion }: Manifest) => apiVersion === 'monitoring.coreos.com/v1';

  it('is what Kubernetes knows, each object once, for every choice of its parts', () => {
    for (const values of [...COMBINATIONS, EMBEDDED, { replicas: 1 }]) {
      const manifests = renderChart(values);
      expect(manifests.filter((each) => !isForeign(each)).flatMap(faults)).toEqual([]);
      expect(new Set(named(manifests)).size).toBe(manifests.length);
      expect(renderNotes(values)).toContain('/readyz');
    }
  });

  it('would be found to be wrong, were a member misspelt, missing or of another kind', () => {
    const [service, others] = renderChart().filter(({ kind }) => kind === 'Service');
    expect(others && faults(others)).toEqual([]);
    expect(faults({ ...(service as Manifest), spec: { sessionAfinity: 'None' } })).toHaveLength(1);
    expect(faults({ ...(service as Manifest), spec: { ports: [{}] } })).toHaveLength(1);
    expect(faults({ ...(service as Manifest), spec: { ports: 80 } })).toHaveLength(1);
    expect(faults({ ...(service as Manifest), apiVersion: 'v2' })).toHaveLength(1);
  });

  it('is two gateways with volumes of their own, and nothing else without being asked', () => {
    expect(named(renderChart())).toEqual([
      'ConfigMap gw',
      'PodDisruptionBudget gw',
      'Service gw',
      'Service gw-nodes',
      'ServiceAccount gw',
      'StatefulSet gw',
    ]);
  });

  it('is one gateway with its database, where that is embedded', () => {
    expect(named(renderChart(EMBEDDED))).toEqual([
      'ConfigMap gw',
      'Service gw',
      'Service gw-nodes',
      'ServiceAccount gw',
      'StatefulSet gw',
    ]);
    expect(only(renderChart(EMBEDDED), 'StatefulSet').spec).toMatchObject({
      replicas: 1,
      volumeClaimTemplates: [
        {
          metadata: { name: 'data' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '10Gi' } } },
        },
      ],
    });
  });

  it('takes no gateway away before the next one serves, where none has a volume', () => {
    const manifests = renderChart({ storage: { persistent: false } });
    expect(named(manifests)).toContain('Deployment gw');
    expect(named(manifests)).not.toContain('StatefulSet gw');
    expect(only(manifests, 'Deployment').spec).toMatchObject({
      replicas: 2,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
    });
  });

  it('leaves the number of gateways to the autoscaler', () => {
    for (const [persistent, kind] of [
      [true, 'StatefulSet'],
      [false, 'Deployment'],
    ] as const) {
      const manifests = renderChart({ storage: { persistent }, autoscaling: { enabled: true } });
      expect(only(manifests, kind).spec).not.toHaveProperty('replicas');
      expect(only(manifests, 'HorizontalPodAutoscaler').spec).toMatchObject({
        scaleTargetRef: { apiVersion: 'apps/v1', kind, name: 'gw' },
        minReplicas: 2,
        maxReplicas: 6,
      });
    }
  });

  it('never holds a secret, and asks the cluster for no right', () => {
    const kinds = COMBINATIONS.flatMap((values) => renderChart(values).map(({ kind }) => kind));
    expect([...new Set(kinds)].sort()).toEqual([
      'ConfigMap',
      'Deployment',
      'HorizontalPodAutoscaler',
      'Ingress',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'PrometheusRule',
      'Service',
      'ServiceAccount',
      'ServiceMonitor',
      'StatefulSet',
    ]);
  });

  it('passes streams on through an ingress as the balancer of the compose file does', () => {
    const balancer = readFileSync(join(DEPLOY, 'nginx.conf'), 'utf8');
    const asked = (name: string) => new RegExp(`${name} (\\w+?)s?;`).exec(balancer)?.[1];
    const { metadata, spec } = only(renderChart(INGRESS), 'Ingress');
    expect(metadata).toMatchObject({
      annotations: {
        'nginx.ingress.kubernetes.io/proxy-body-size': asked('client_max_body_size'),
        'nginx.ingress.kubernetes.io/proxy-buffering': asked('proxy_buffering'),
        'nginx.ingress.kubernetes.io/proxy-request-buffering': asked('proxy_request_buffering'),
        'nginx.ingress.kubernetes.io/proxy-read-timeout': asked('proxy_read_timeout'),
      },
    });
    expect(spec).toMatchObject({
      ingressClassName: 'nginx',
      tls: [{ hosts: ['gw.example.com'], secretName: 'gw-tls' }],
    });
  });
});

describe('what does not go together', () => {
  it.each([
    [{ database: { embedded: true } }, /^database.embedded keeps the books .* set replicas to 1/],
    [{ ...EMBEDDED, autoscaling: { enabled: true } }, /^database.embedded keeps .* one gateway/],
    [{ ...EMBEDDED, storage: { persistent: false } }, /^database.embedded .* lose the books/],
    [{ ingress: { enabled: true }, settings: PROXIES }, /^ingress.enabled needs ingress.host/],
    [{ ingress: INGRESS.ingress }, /^ingress.enabled needs settings.GW_TRUSTED_PROXIES/],
    [{ autoscaling: { enabled: true, maxReplicas: 1 } }, /^autoscaling.minReplicas is more/],
    [{ replcas: 3 }, /"additionalProperty":"replcas"/],
    [{ storage: { sise: '1Gi' } }, /\/storage .*"additionalProperty":"sise"/],
    [{ replicas: 0 }, /\/replicas must be >= 1/],
    [{ replicas: '2' }, /\/replicas must be integer/],
    [{ settings: { GW_SANDBX: 'off' } }, /\/settings .*"additionalProperty":"GW_SANDBX"/],
    [{ settings: { GW_SECRET: 'x' } }, /\/settings .*"additionalProperty":"GW_SECRET"/],
    [{ settings: { GW_SANDBOX: false } }, /\/settings\/GW_SANDBOX must be string/],
    [{ environment: { LOG_LEVEL: 'info' } }, /"propertyName":"LOG_LEVEL"/],
  ] satisfies [Values, RegExp][])('%j is refused and said why', (values, message) => {
    expect(() => renderChart(values)).toThrow(message);
  });
});

describe('the files of the chart', () => {
  it('tell what Helm demands, and the version that package.json has', () => {
    expect(parse(chartFile('Chart.yaml'))).toMatchObject({
      apiVersion: 'v2',
      name: 'gw',
      type: 'application',
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      appVersion: JSON.parse(read('package.json')).version,
      kubeVersion: expect.stringMatching(/^>=1\.\d+\.0-0$/),
    });
    expect(TEMPLATES.filter((name) => !/^(_\w+\.tpl|\w+\.yaml|NOTES\.txt)$/.test(name))).toEqual(
      [],
    );
  });

  it('document every value, and have no default that the schema does not name', () => {
    const lines = chartFile('values.yaml').split('\n');
    const isValue = (line: string) => /^( {2})?\w+:/.test(line);
    const isDocumented = (at: number) => /^ *# \S/.test(lines[at - 1] ?? '');
    expect(lines.filter((line, at) => isValue(line) && !isDocumented(at))).toEqual([]);
    const { global: _ofHelm, ...properties } = VALUES_SCHEMA.properties;
    expect(Object.keys(VALUES)).toEqual(Object.keys(properties));
    expect(VALUES_SCHEMA.required).toEqual(Object.keys(properties));
    for (const [name, { additionalProperties, properties: below }] of Object.entries<Values>(
      properties,
    )) {
      if (!below || name === 'settings') continue;
      expect(additionalProperties).toBe(false);
      expect(Object.keys(VALUES[name] as Values)).toEqual(Object.keys(below));
    }
  });

  it('hand on the alerts and the dashboard just as the files are', () => {
    const manifests = renderChart({
      monitoring: { serviceMonitor: true, rules: true, dashboard: true },
    });
    const rules = parse(readFileSync(RULES_FILE, 'utf8'));
    expect(only(manifests, 'PrometheusRule').spec).toEqual(rules);
    const boards = manifests.filter(({ metadata }) => metadata.labels?.grafana_dashboard === '1');
    expect(boards.map(({ data }) => JSON.parse(data?.['gw.json'] ?? ''))).toEqual([
      JSON.parse(readFileSync(DASHBOARD_FILE, 'utf8')),
    ]);
  });
});
