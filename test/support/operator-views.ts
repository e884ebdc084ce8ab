import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { projectRoot } from '../../src/platform/database/project-root.js';

/** The rules as Prometheus reads them. */
export const RULES_FILE = join(projectRoot(), 'deploy/chart/files/prometheus-rules.yaml');
export const DASHBOARD_FILE = join(projectRoot(), 'deploy/chart/files/grafana-dashboard.json');

/** An alert of the rules. */
export interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

interface Panel {
  readonly title: string;
  readonly type: string;
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

/** All alerts, in the order of the file. */
export function alerts(): readonly Alert[] {
  const file: { groups: readonly { rules: readonly Alert[] }[] } = parse(
    readFileSync(RULES_FILE, 'utf8'),
  );
  return file.groups.flatMap(({ rules }) => rules);
}

/** What the dashboard draws, with the queries that fill the choices at its head. */
export function dashboard() {
  const file: {
    readonly panels: readonly Panel[];
    readonly templating: { readonly list: readonly { name: string; definition?: string }[] };
  } = JSON.parse(readFileSync(DASHBOARD_FILE, 'utf8'));
  const drawn = file.panels.flatMap(({ title, targets = [] }) =>
    targets.map((target) => ({ title, ...target })),
  );
  return { drawn, panels: file.panels, choices: file.templating.list };
}
