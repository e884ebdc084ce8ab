/**
 * What a production set-up has. Each item is read from the tenant's own rows, and an open one
 * names the call that closes it.
 */
export const READINESS_ITEMS = [
  {
    code: 'first_request',
    title: 'A chat request was answered by a real model.',
    closedBy: 'POST /v1/chat/completions',
  },
  {
    code: 'streaming',
    title: 'A streamed answer of a real model was read.',
    closedBy: 'POST /v1/chat/completions with "stream": true',
  },
  {
    code: 'embeddings',
    title: 'Embeddings were made by a real model.',
    closedBy: 'POST /v1/embeddings',
  },
  {
    code: 'budget_limit',
    title: 'A budget caps spending.',
    closedBy: 'POST /v1/gw/policies with budgets',
  },
  { code: 'policy', title: 'A policy is in force.', closedBy: 'POST /v1/gw/policies' },
  {
    code: 'service_account',
    title: 'A service key is active.',
    closedBy: 'POST /api-keys with "keyType": "service"',
  },
  {
    code: 'webhook',
    title: 'A tool with a webhook is registered.',
    closedBy: 'POST /v1/gw/tools/register with endpoint_url',
  },
] as const;

/** An item of the readiness list. */
export type ReadinessItem = (typeof READINESS_ITEMS)[number];
