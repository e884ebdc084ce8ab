import { STAGES } from '../../inference/stages/stages.js';
import type { CodeOf } from '../../kernel/vocabulary.js';
import type { TrustFacts } from './facts.js';
import type { FLOW_KINDS, FLOW_STATUSES } from './vocabulary.js';

/** A place where data is. */
export interface FlowNode {
  readonly id: string;
  readonly kind: CodeOf<typeof FLOW_KINDS>;
  readonly label: string;
  readonly description: string;
}

/** A way that data takes. */
export interface FlowEdge {
  readonly from: string;
  readonly to: string;
  readonly data: string;
  readonly status: CodeOf<typeof FLOW_STATUSES>;
}

/** The data flow of a request. */
export interface Flow {
  readonly nodes: readonly FlowNode[];
  readonly edges: readonly FlowEdge[];
}

const CLIENT: FlowNode = {
  id: 'client',
  kind: 'client',
  label: 'Клиент',
  description: 'The application of the customer, which sends a request and reads the answer.',
};

/** What the stages exchange with, beside the client. */
const AROUND = [
  {
    id: 'route_rf',
    kind: 'route_rf',
    label: 'Поставщики в РФ',
    description: 'Models inside Russia: every class of data may be sent to them.',
    data: 'запрос после firewall: C0–C4',
  },
  {
    id: 'route_outside',
    kind: 'route_outside',
    label: 'Поставщики вне РФ',
    description:
      'Models outside Russia: what is found or stated as C3 and above, and not masked under a ' +
      'policy that counts masking, is never sent to them.',
    data: 'запрос после firewall: только C0–C2',
  },
  {
    id: 'sandbox',
    kind: 'sandbox',
    label: 'Песочница',
    description: 'The simulated provider, which answers inside the process.',
    data: 'запрос остаётся в процессе',
  },
] as const;

const STORE: FlowNode = {
  id: 'ledger',
  kind: 'store',
  label: 'Учёт и журнал',
  description: 'Holds, charges and usage rows: metadata without the texts of a request.',
};

/**
 * The data flow of the request path: its very list of stages, and what they exchange with. An edge
 * to a side where no provider can be called is closed.
 */
export function flowOf({ providers }: Pick<TrustFacts, 'providers'>): Flow {
  const callable = providers.filter(({ status }) => status === 'configured');
  const serves = (where: 'rf' | 'outside') =>
    callable.some(
      ({ simulated, models }) =>
        !simulated && models.some(({ jurisdiction }) => jurisdiction === where),
    );
  const open: Readonly<Record<string, boolean>> = {
    route_rf: serves('rf'),
    route_outside: serves('outside'),
    sandbox: callable.some(({ simulated }) => simulated),
  };
  const status = (id: string) => (open[id] ? 'open' : 'closed');
  const stages = STAGES.map(({ name, description }): FlowNode => {
    return { id: name, kind: 'stage', label: name, description };
  });
  const path = [CLIENT, ...stages, CLIENT].map(({ id }) => id);
  return {
    nodes: [CLIENT, ...stages, ...AROUND.map(({ data: _, ...node }) => node), STORE],
    edges: [
      ...path.slice(1).map((to, index) => stageEdge(path[index] ?? '', to)),
      ...AROUND.flatMap(({ id, data }): FlowEdge[] => [
        { from: 'call', to: id, data, status: status(id) },
        { from: id, to: 'call', data: 'ответ модели', status: status(id) },
      ]),
      { from: 'hold', to: STORE.id, data: 'удержание: метаданные', status: 'open' },
      { from: 'settle', to: STORE.id, data: 'списание и метаданные', status: 'open' },
    ],
  };
}

/** Up to the call it is the request that passes on, and from there on the answer. */
function stageEdge(from: string, to: string): FlowEdge {
  const at = STAGES.findIndex(({ name }) => name === from);
  const call = STAGES.findIndex(({ name }) => name === 'call');
  return { from, to, data: at < call ? 'запрос' : 'ответ', status: 'open' };
}
