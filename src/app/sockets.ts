import type { Server } from 'node:http';
import type { ExecutionArgs, ExecutionResult, GraphQLError } from 'graphql';
import type { Context, SubscribePayload } from 'graphql-ws';
import { type Extra, useServer } from 'graphql-ws/use/ws';
import { WebSocketServer } from 'ws';
import type { Services } from '../graph/ctx.js';
import { GRAPHQL_PATH, type Yoga } from './graphql.js';
import type { LiveCredentials } from './live-credentials.js';

const INIT_WITHIN_MS = 3_000;
const PAYLOAD_BYTES_MAX = 64 * 1024;
const OPERATIONS_MAX = 20;
const CLOSED_BY_CREDENTIAL = 4403;
const TOO_MANY_OPERATIONS = 4429;

type SocketContext = Context<Record<string, unknown>, Extra>;
type Started = ExecutionArgs | readonly GraphQLError[];

/** What an operation is run by: the functions of the envelope that prepared it. */
interface Runner {
  execute(args: unknown): Promise<ExecutionResult>;
  subscribe(args: unknown): Promise<AsyncIterable<ExecutionResult> | ExecutionResult>;
}

/** Serves graphql-ws on the same port. @returns a function that closes every socket */
export function serveSockets(
  server: Server,
  yoga: Yoga,
  services: Services,
  live: LiveCredentials,
): () => Promise<void> {
  const sockets = new WebSocketServer({
    server,
    path: GRAPHQL_PATH,
    maxPayload: PAYLOAD_BYTES_MAX,
  });
  const protocol = new SocketProtocol(yoga, services, live);
  const served = useServer(
    {
      connectionInitWaitTimeout: INIT_WITHIN_MS,
      execute: (args) => runnerOf(args).execute(args),
      subscribe: (args) => runnerOf(args).subscribe(args),
      onConnect: (context: SocketContext) => protocol.connect(context),
      onSubscribe: (context: SocketContext, id, payload) => protocol.begin(context, id, payload),
      onComplete: (context: SocketContext, id) => protocol.end(context, id),
      onDisconnect: (context: SocketContext) => protocol.leave(context),
    },
    sockets,
  );
  return async () => {
    await served.dispose();
  };
}

function runnerOf(args: { rootValue?: unknown }): Runner {
  return args.rootValue as Runner;
}

interface SocketState {
  readonly authorization: string | undefined;
  readonly forget: (() => void) | undefined;
  operations: number;
  /** What waits for the last byte of an operation, by its id. */
  readonly waiting: Map<string, (() => void)[]>;
}

/** The life of sockets: who is behind one, how much runs on it, and when it must close. */
class SocketProtocol {
  private readonly states = new WeakMap<object, SocketState>();

  constructor(
    private readonly yoga: Yoga,
    private readonly services: Services,
    private readonly live: LiveCredentials,
  ) {}

  /** Admits a socket without a credential, for public fields, or with a valid one. */
  async connect({ connectionParams, extra }: SocketContext): Promise<boolean> {
    const shown = connectionParams?.authorization ?? connectionParams?.Authorization;
    const authorization = typeof shown === 'string' ? shown : extra.request.headers.authorization;
    const { authenticator } = this.services;
    const { who, whoFailure, expiresAtMs } = await authenticator.identify(authorization, true);
    if (whoFailure) return false;
    const lease = who &&
      authorization !== undefined && {
        authorization,
        tenantId: who.tenantId,
        expiresAtMs,
        isFeed: false,
        end: () => extra.socket.close(CLOSED_BY_CREDENTIAL, 'Forbidden'),
      };
    const forget = lease ? this.live.add(lease) : undefined;
    this.states.set(extra.socket, { authorization, forget, operations: 0, waiting: new Map() });
    return true;
  }

  /** Prepares an operation, or names what is wrong with it. */
  async begin({ extra }: SocketContext, id: string, payload: SubscribePayload): Promise<Started> {
    const state = this.states.get(extra.socket);
    if (state) state.operations += 1;
    if (!state || state.operations > OPERATIONS_MAX) {
      extra.socket.close(TOO_MANY_OPERATIONS, 'Too many operations');
      return [];
    }
    const waiting: (() => void)[] = [];
    state.waiting.set(id, waiting);
    const init = {
      socketRequest: extra.request,
      authorization: state.authorization,
      onFinished(callback: () => void) {
        if (state.waiting.get(id) === waiting) waiting.push(callback);
        else callback();
      },
    };
    const envelope = this.yoga.getEnveloped({ ...init, params: payload } as never);
    const contextValue = await envelope.contextFactory();
    try {
      const document = envelope.parse(payload.query);
      const errors: readonly GraphQLError[] = envelope.validate(envelope.schema, document);
      if (errors.length > 0) return this.refuse(state, id, errors);
      return {
        schema: envelope.schema,
        operationName: payload.operationName,
        document,
        variableValues: payload.variables,
        contextValue,
        rootValue: { execute: envelope.execute, subscribe: envelope.subscribe },
      };
    } catch (error) {
      return this.refuse(state, id, [error as GraphQLError]);
    }
  }

  /** What is refused has no end of its own that the protocol would tell. */
  private refuse(state: SocketState, id: string, errors: readonly GraphQLError[]) {
    state.operations -= 1;
    finish(state, id);
    return errors;
  }

  /** An operation is over: its last message has been handed to the socket and written. */
  end({ extra }: SocketContext, id: string): void {
    const state = this.states.get(extra.socket);
    if (!state) return;
    state.operations -= 1;
    finish(state, id);
  }

  /** The socket is gone. */
  leave({ extra }: SocketContext): void {
    const state = this.states.get(extra.socket);
    state?.forget?.();
    for (const id of [...(state?.waiting.keys() ?? [])]) if (state) finish(state, id);
  }
}

/** The answer of an operation has left, or nobody is there to read it any more. */
function finish(state: SocketState, id: string): void {
  const waiting = state.waiting.get(id) ?? [];
  state.waiting.delete(id);
  for (const callback of waiting) callback();
}
