import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { THREAD_MIB_MAX, THREADS } from '../../src/inference/firewall/apart/apart.js';
import { type Config, describeConfig, readConfig } from '../../src/platform/config.js';
import { projectRoot } from '../../src/platform/database/project-root.js';
import { startApp, type TestApp } from '../support/app.js';
import { type Manifest, renderChart, VALUES_SCHEMA, type Values } from '../support/helm-chart.js';

interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly secretKeyRef?: { readonly name: string; readonly key: string };
    readonly fieldRef?: { readonly fieldPath: string };
  };
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
  readonly periodSeconds: number;
  readonly timeoutSeconds: number;
  readonly failureThreshold: number;
}

interface Container {
  readonly image: string;
  readonly securityContext: object;
  readonly ports: readonly object[];
  readonly env: readonly Variable[];
  readonly envFrom: readonly { readonly configMapRef?: { readonly name: string } }[];
  readonly startupProbe: Probe;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
  readonly lifecycle: { readonly preStop: { readonly exec: { readonly command: string[] } } };
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
}

interface Pod {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  readonly spec: {
    readonly containers: readonly [Container];
    readonly volumes: readonly { readonly name: string }[];
    readonly securityContext: object;
    readonly terminationGracePeriodSeconds: number;
    readonly enableServiceLinks: boolean;
  };
}

interface Selecting {
  readonly selector?: Readonly<Record<string, unknown>>;
  readonly podSelector?: Readonly<Record<string, unknown>>;
  readonly ports?: readonly { readonly targetPort: string }[];
}

const MIB = 1_048_576;
const VALUES = readFileSync(join(projectRoot(), 'deploy/chart/values.yaml'), 'utf8');
const EMBEDDED = { replicas: 1, database: { embedded: true } };
const WITHOUT_VOLUMES = { storage: { persistent: false } };
const SETTINGS = describeConfig(readConfig({ GW_SECRET: 'x'.repeat(32) })).map(
  (line) => line.split('=')[0] ?? '',
);

/** What the documents ask of the secret, by the key that is the setting. */
const SECRETS: Readonly<Record<string, string>> = {
  GW_SECRET: 's'.repeat(32),
  DATABASE_URL: 'postgresql://gw:word@database.example.com/gw',
  DATABASE_MIGRATION_URL: 'postgresql://root:word@database.example.com/gw',
  REDIS_URL: 'redis://redis.example.com:6379',
  GW_OPERATOR_TOKEN: 'o'.repeat(16),
  OTEL_EXPORTER_OTLP_HEADERS: 'tenant=gw',
};

function podOf(manifests: readonly Manifest[]): Pod {
  const workload = manifests.find(({ kind }) => kind === 'StatefulSet' || kind === 'Deployment');
  const { template } = (workload?.spec ?? {}) as { readonly template?: Pod };
  if (!template) throw new Error('there is no workload');
  return template;
}

function containerOf(values: Values = {}): Container {
  return podOf(renderChart(values)).spec.containers[0];
}

/** The configuration of a pod that finds these keys in its secret, as the cluster would set it. */
function configOf(values: Values, secret: Readonly<Record<string, string>>): Config {
  const manifests = renderChart(values);
  const [container] = podOf(manifests).spec.containers;
  const maps = container.envFrom.flatMap(({ configMapRef }) => {
    const found = manifests.find(
      ({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === configMapRef?.name,
    );
    return found?.data ? [found.data] : [];
  });
  const own = container.env.map(({ name, value, valueFrom }) => {
    const key = valueFrom?.secretKeyRef?.key;
    if (key !== undefined && secret[key] === undefined) throw new Error(`${key} is missing`);
    return [name, key === undefined ? (value ?? 'gw-0') : secret[key]];
  });
  return readConfig(Object.assign({}, secret, ...maps, Object.fromEntries(own)));
}

describe('the settings of the chart', () => {
  it('are all that the product has: of the values, of the secret, or of the chart alone', () => {
    const own = ['NODE_ENV', 'PORT', 'HOST', 'GW_DATA_DIR', 'GW_NODE_ID', 'GW_DRAIN_TIMEOUT_MS'];
    const named = Object.keys(VALUES_SCHEMA.properties.settings.properties);
    const optional = ['GW_SECRET_NEXT', 'GW_SECRET_PREVIOUS', 'GW_SMTP_URL', 'GW_PROVIDERS_FILE'];
    const all = [...named, ...Object.keys(SECRETS), ...optional, ...own];
    expect(all.sort()).toEqual([...SETTINGS].sort());
    const { propertyNames } = VALUES_SCHEMA.properties.environment;
    expect([...propertyNames.not.enum].sort()).toEqual([...SETTINGS].sort());
  });

  it('start two gateways in production on the server that the secret names', () => {
    expect(configOf({}, SECRETS)).toMatchObject({
      NODE_ENV: 'production',
      HOST: '0.0.0.0',
      PORT: 8080,
      dataDir: '/data',
      nodeId: 'gw-0',
      secret: SECRETS.GW_SECRET,
      DATABASE_URL: SECRETS.DATABASE_URL,
      REDIS_URL: SECRETS.REDIS_URL,
      GW_SANDBOX: false,
    });
  });

  it('start no gateway without what it needs of the secret', () => {
    const without = (name: string) => ({ ...SECRETS, [name]: undefined }) as typeof SECRETS;
    const watched = { monitoring: { serviceMonitor: true } };
    expect(() => configOf({}, without('GW_SECRET'))).toThrow('GW_SECRET is missing');
    expect(() => configOf({}, without('DATABASE_URL'))).toThrow('DATABASE_URL is missing');
    expect(() => configOf({}, without('REDIS_URL'))).toThrow('REDIS_URL is missing');
    expect(() => configOf(watched, without('GW_OPERATOR_TOKEN'))).toThrow(
      'GW_OPERATOR_TOKEN is missing',
    );
    expect(configOf({ replicas: 1 }, without('REDIS_URL')).REDIS_URL).toBeUndefined();
  });

  it('start the embedded database where it is chosen, whatever the secret holds', () => {
    expect(configOf(EMBEDDED, SECRETS).DATABASE_URL).toBeUndefined();
  });

  it('name the address and the proxies of an ingress', () => {
    const ingress = { enabled: true, host: 'gw.example.com', tlsSecret: 'gw-tls' };
    const settings = { GW_TRUSTED_PROXIES: '1' };
    expect(configOf({ ingress, settings }, SECRETS)).toMatchObject({
      GW_PUBLIC_URL: 'https://gw.example.com',
      GW_TRUSTED_PROXIES: '1',
    });
    const elsewhere = { ...settings, GW_PUBLIC_URL: 'https://other.example.com' };
    expect(configOf({ ingress, settings: elsewhere }, SECRETS).GW_PUBLIC_URL).toBe(
      'https://other.example.com',
    );
  });

  it('name the file of providers where it is mounted', () => {
    const values = { providers: 'providers: []\n' };
    const { volumeMounts } = containerOf(values);
    const folder = volumeMounts.find(({ name }) => name === 'providers')?.mountPath ?? '';
    const file = configOf(values, SECRETS).GW_PROVIDERS_FILE ?? '';
    expect(file).toBe(`${folder}/providers.yaml`);
    const maps = renderChart(values).filter(({ metadata }) => metadata.name === 'gw-providers');
    expect(maps.map(({ data }) => data)).toEqual([{ 'providers.yaml': 'providers: []\n' }]);
  });
});

describe('a pod of the chart', () => {
  it('may take the memory of a flooded node and of all threads that scan', () => {
    const [, gibibytes = 0] = /memory: (\d+)Gi\n\n/.exec(VALUES) ?? [];
    const flooded = 0.9e9;
    // A thread takes its objects and some 100 MiB around them.
    const threads = Object.keys(THREADS).length * (THREAD_MIB_MAX + 100) * MIB;
    expect(Number(gibibytes) * 1_024 * MIB).toBeGreaterThanOrEqual(flooded + threads);
  });

  it.each([
    [5, 30],
    [0, 1],
    [20, 600],
  ])('that goes on for %d s and drains for %d s is killed 15 s later', (waits, drains) => {
    const values = { deregisterSeconds: waits, drainSeconds: drains };
    const { spec } = podOf(renderChart(values));
    expect(spec.containers[0].lifecycle.preStop.exec.command).toEqual(['sleep', String(waits)]);
    expect(configOf(values, SECRETS).GW_DRAIN_TIMEOUT_MS).toBe(drains * 1_000);
    expect(spec.terminationGracePeriodSeconds).toBe(waits + drains + 15);
  });

  it('has time to end itself when it has hung before the probe of its life has it ended', () => {
    const { livenessProbe } = containerOf({});
    const probedMs = livenessProbe.periodSeconds * livenessProbe.failureThreshold * 1_000;
    expect(probedMs).toBeGreaterThan(2 * configOf({}, SECRETS).GW_HANG_TIMEOUT_MS);
    // A probe that is answered late by a busy gateway is not one that fails.
    expect(livenessProbe.timeoutSeconds).toBeGreaterThanOrEqual(5);
  });

  it('has no rights and writes only where the product does', () => {
    for (const values of [{}, EMBEDDED, WITHOUT_VOLUMES]) {
      const { spec } = podOf(renderChart(values));
      expect(spec.securityContext).toMatchObject({
        runAsNonRoot: true,
        runAsUser: 1000,
        fsGroup: 1000,
        fsGroupChangePolicy: 'OnRootMismatch',
        seccompProfile: { type: 'RuntimeDefault' },
      });
      expect(spec).toMatchObject({
        automountServiceAccountToken: false,
        enableServiceLinks: false,
      });
      const [container] = spec.containers;
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(container.volumeMounts.map(({ mountPath }) => mountPath)).toEqual([
        configOf(values, SECRETS).dataDir,
        '/tmp',
      ]);
    }
  });

  it('is found by its service, its policy and its budget, at the port that it opens', () => {
    const dockerfile = readFileSync(join(projectRoot(), 'deploy/Dockerfile'), 'utf8');
    const manifests = renderChart({ networkPolicy: { enabled: true } });
    const { metadata, spec } = podOf(manifests);
    expect(spec.containers[0].ports).toEqual([{ name: 'http', containerPort: 8080 }]);
    expect(dockerfile).toContain('EXPOSE 8080');
    const chosen = manifests.flatMap(({ kind, spec: of }) => {
      const { selector, podSelector, ports = [] } = (of ?? {}) as Selecting;
      const labels = podSelector?.matchLabels ?? selector?.matchLabels ?? selector;
      if (!labels) return [];
      expect(metadata.labels).toMatchObject(labels);
      return [`${kind} ${ports.map(({ targetPort }) => targetPort).join()}`];
    });
    expect(chosen.sort()).toEqual([
      'NetworkPolicy ',
      'PodDisruptionBudget ',
      'Service http',
      'Service http',
      'StatefulSet ',
    ]);
  });

  it('is scraped once, with the token of the operator, as the job that the alerts ask for', () => {
    const manifests = renderChart({ monitoring: { serviceMonitor: true } });
    const { spec } = manifests.find(({ kind }) => kind === 'ServiceMonitor') as Manifest;
    const labels = {
      'app.kubernetes.io/name': 'gw',
      'app.kubernetes.io/instance': 'gw',
      'app.kubernetes.io/component': 'gateway',
    };
    expect(spec).toEqual({
      selector: { matchLabels: labels },
      endpoints: [
        {
          port: 'http',
          path: '/metrics',
          authorization: { credentials: { name: 'gw', key: 'GW_OPERATOR_TOKEN' } },
          relabelings: [{ targetLabel: 'job', replacement: 'gw' }],
        },
      ],
    });
    const services = manifests.filter(({ kind }) => kind === 'Service');
    const chosen = services.filter(({ metadata }) =>
      Object.entries(labels).every(([name, value]) => metadata.labels?.[name] === value),
    );
    expect(chosen.map(({ metadata }) => metadata.name)).toEqual(['gw']);
    const rules = readFileSync(
      join(projectRoot(), 'deploy/chart/files/prometheus-rules.yaml'),
      'utf8',
    );
    expect(new Set(rules.match(/job="[^"]*"/g))).toEqual(new Set(['job="gw"']));
  });
});

describe('a gateway', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp({ GW_OPERATOR_TOKEN: SECRETS.GW_OPERATOR_TOKEN });
  });
  afterAll(() => app.stop());

  it('answers what the chart asks of it', async () => {
    const { startupProbe, livenessProbe, readinessProbe } = containerOf();
    const asked = [startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet);
    expect(asked).toEqual([
      { path: '/livez', port: 'http' },
      { path: '/livez', port: 'http' },
      { path: '/readyz', port: 'http' },
    ]);
    const paths = [...asked.map(({ path }) => path), '/metrics'];
    const headers = { authorization: `Bearer ${SECRETS.GW_OPERATOR_TOKEN}` };
    const answers = await Promise.all(paths.map((path) => fetch(app.url + path, { headers })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });
});
