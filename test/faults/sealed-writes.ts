import { randomUUID } from 'node:crypto';
import { type Customer, rest } from '../support/app.js';
import type { GatewayProcess } from '../support/gateway-process.js';

/** A write of what is sealed, with text that stands in it and nowhere else. */
export interface SealedWrite {
  readonly kind: string;
  readonly mark: string;
  /** Whether all that the write consists of was answered. */
  readonly isDone: boolean;
  /** What was answered last; status 0 when no answer came. */
  readonly status: number;
  readonly code: string | undefined;
}

/** Where a customer writes: the tool and the prompt that it has. */
export interface SealedWorld {
  readonly customer: Customer;
  readonly promptId: string;
}

interface Reached {
  readonly status: number;
  readonly body: Body;
}

interface Body {
  readonly id?: string;
  readonly preview_id?: string;
  readonly error?: { readonly code: string };
  readonly data?: unknown;
  readonly errors?: readonly { readonly extensions: { readonly code: string } }[];
}

type Gateway = Pick<GatewayProcess, 'url'>;
type Send = (path: string, body: object) => Promise<Reached>;

/** Makes the tool and the prompt of a customer, and with them its data key. */
export async function newSealedWorld(gateway: Gateway, customer: Customer): Promise<SealedWorld> {
  const { token: credential } = customer;
  const post = (path: string, body: object) =>
    rest<{ id: string }>(gateway, 'POST', path, { credential, body });
  await post('/v1/gw/tools/register', {
    tool_key: 'desk',
    verbs: ['close', { verb: 'refund', amount_field: '/amount_rub', compensating_verb: 'close' }],
  });
  const { body } = await post('/v1/gw/prompts', { prompt_key: 'letters', use_case: 'a test' });
  const world = { customer, promptId: body.id };
  await writeSealed(gateway, world, 'prompt version');
  return world;
}

const CALL = `mutation($input: ToolActionInput!) { toolCallExecute(input: $input) { id } }`;

const WRITES: Readonly<
  Record<string, (send: Send, mark: string, world: SealedWorld) => Promise<Reached>>
> = {
  'tool call': (send, mark) =>
    send('/v1/gw/tools/execute', { tool_key: 'desk', verb: 'close', arguments: { id: mark } }),
  'approval by GraphQL': (send, mark) => {
    const input = { toolKey: 'desk', verb: 'refund', arguments: { amount_rub: '9.00', why: mark } };
    return send('/graphql', { query: CALL, variables: { input } });
  },
  integration: async (send, mark) => {
    const previewed = await send('/v1/gw/integrations/actions/preview', {
      connector: 'bitrix24',
      action: 'contact.update',
      record_id: `contact ${randomUUID()}`,
      record: { company: mark },
      changes: { company: `${mark}!` },
    });
    const { preview_id: previewId } = previewed.body;
    if (previewId === undefined) return previewed;
    return send('/v1/gw/integrations/actions/execute', { preview_id: previewId });
  },
  'prompt version': (send, mark, { promptId }) =>
    send(`/v1/gw/prompts/${promptId}/versions`, {
      template: 'Hello, {{ name }}',
      variables: [{ name: 'name', trusted: true }],
      sample_variables: { name: mark },
    }),
};

/** Every kind of write that is made here. */
export const SEALED_WRITES = Object.keys(WRITES);

/** Writes once, never rejecting. */
export async function writeSealed(
  { url }: Gateway,
  world: SealedWorld,
  kind: string,
): Promise<SealedWrite> {
  const mark = `Ivan Petrov ${randomUUID()}`;
  let last: Reached = { status: 0, body: {} };
  const send: Send = async (path, body) => {
    last = { status: 0, body: {} };
    last = await rest<Body>({ url }, 'POST', path, { credential: world.customer.token, body });
    return last;
  };
  try {
    await WRITES[kind]?.(send, mark, world);
  } catch {
    // The gateway is gone; what was answered before stands.
  }
  const { status, body } = last;
  const code = body.error?.code ?? body.errors?.[0]?.extensions.code;
  return { kind, mark, isDone: status === 200 && code === undefined, status, code };
}

/** Writers of every kind, so many of each, until they are ended. @returns what all have written */
export function steadyWriters(
  gateway: Gateway,
  world: SealedWorld,
  ofEach = 1,
): { end(): Promise<SealedWrite[]> } {
  let ended = false;
  const written: SealedWrite[] = [];
  const writers = Array.from({ length: ofEach }, () => SEALED_WRITES)
    .flat()
    .map(async (kind) => {
      while (!ended) {
        const one = await writeSealed(gateway, world, kind);
        written.push(one);
        if (one.status === 0) return;
      }
    });
  return {
    async end() {
      ended = true;
      await Promise.all(writers);
      return written;
    },
  };
}
