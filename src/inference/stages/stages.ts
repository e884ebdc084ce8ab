/** A stage of the request path, in the words of the documents. */
export interface Stage {
  readonly name: string;
  readonly file: string;
  readonly description: string;
}

/**
 * What every chat and embeddings request passes, in this order. The data-flow diagram and the
 * documents are made from this list, and a test holds it against the files beside it.
 */
export const STAGES: readonly Stage[] = [
  {
    name: 'authenticate',
    file: 'authenticate.ts',
    description: 'The bearer key or token becomes a caller with a project, an account and rights.',
  },
  {
    name: 'prompt',
    file: 'prompt.ts',
    description: 'A prompt that the request asks for is rendered and fills the request.',
  },
  {
    name: 'admit',
    file: 'admit.ts',
    description: 'Policy of the project: allow-list, requests and tokens a minute, concurrency.',
  },
  {
    name: 'firewall_in',
    file: 'firewall-in.ts',
    description: 'Personal data, secrets and injection markers are found, masked or blocked.',
  },
  {
    name: 'route',
    file: 'route.ts',
    description: 'A model is chosen among those that policy, data route and capabilities allow.',
  },
  {
    name: 'hold',
    file: 'hold.ts',
    description: 'The upper estimate is reserved; key, budgets and funds are checked with it.',
  },
  {
    name: 'call',
    file: 'call.ts',
    description: 'The provider is called, with deadlines, retries, fallbacks and circuit breakers.',
  },
  {
    name: 'firewall_out',
    file: 'firewall-out.ts',
    description: 'Masked values return to the client; new findings in the answer are handled.',
  },
  {
    name: 'settle',
    file: 'settle.ts',
    description: 'The exact cost is charged and the usage row written in one transaction.',
  },
  {
    name: 'receipts',
    file: 'receipts.ts',
    description: 'gw_routing, gw_slo, gw_firewall and gw_prompt are attached to the answer.',
  },
];
