import type { IncomingMessage, Server } from 'node:http';
import { type ExecutionArgs, type ExecutionResult, GraphQLError } from 'graphql';
import type { Context, SubscribePayload } from 'graphql-ws';
import { type Extra, useServer } from 'graphql-ws/use/ws';
import { type ServerOptions, WebSocketServer } from 'ws';
import { requireLevels } from '../../rest-compat/body.js';
import { fromAddress } from '../access/auth/allowed-address.js';
import { shownCredential } from '../access/auth/basic.js';
import type { Services } from '../graph/ctx.js';
import { GatewayError } from '../kernel/errors/fail.js';
import { limitedAddress } from '../platform/network/client-address.js';
import { addressOf } from './context.js';
import type { Yoga } from './graphql.js';
import { asGraphqlError, presentError } from './graphql-errors.js';
import { noting, tellOperation } from './graphql-log.js';
import { GRAPHQL_PATH, graphqlArrival } from './graphql-refusal.js';
import type { LiveCredentials } from './live-credentials.js';
import type { Load } from './load/load.js';
import { noteErrors } from './operation-facts.js';
import { SocketLimits } from './socket-limits.js';
import { takeUpgrades } from './upgrades.js';

const INIT_WITHIN_MS = 3_000;
/** A client that does not answer the end of its socket is cut off. */
const CLOSE_WITHIN_MS = 2_000;
const PAYLOAD_BYTES_MAX = 64 * 1024;
const CLOSED_BY_CREDENTIAL = 4403;
const TOO_MANY = 4429;
const UNAUTHORIZED = 4401;

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
  load: Load,
): () => Promise<void> {
  const limits = new SocketLimits(services);
  const options: ServerOptions & { readonly closeTimeout: number } = {
    noServer: true,
    path: GRAPHQL_PATH,
    maxPayload: PAYLOAD_BYTES_MAX,
    closeTimeout: CLOSE_WITHIN_MS,
    verifyClient: ({ req }, verified) => limits.verify(req, verified),
  };
  const sockets = new WebSocketServer(options);
  const protocol = new SocketProtocol(yoga, services, { live, load, limits });
  const help = 'Open sockets.';
  services.metrics.gauge({ name: 'gw_sockets', help, read: () => limits.size });
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
  // What a client sends against the protocol closes its socket, and is no fault to tell of.
  sockets.on('connection', (socket) => {
    socket.removeAllListeners('error');
    socket.on('error', () => {});
  });
  takeUpgrades(server, sockets);
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
  /** Whose share its operations take. */
  readonly caller: string;
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
    private readonly node: {
      readonly live: LiveCredentials;
      readonly load: Load;
      readonly limits: SocketLimits;
    },
  ) {}

  /** Admits a socket without a credential, for public fields, or with a valid one. */
  async connect({ connectionParams, extra }: SocketContext): Promise<boolean> {
    const shown = credentialOf(connectionParams, extra.request);
    // Whoever shows two is nobody.
    if (shown === undefined) return false;
    const { authorization } = shown;
    const { authenticator } = this.services;
    const { lookedAt } = this.node.live;
    const address = addressOf(this.services, extra.request);
    const found = await authenticator.identify(authorization, true);
    const { who, whoFailure, expiresAtMs } = fromAddress(found, address);
    // What is no credential at all is named by the operations that need one.
    if (whoFailure && whoFailure.code !== 'unusable_credential') return false;
    // Nobody tells a second time that a socket has gone.
    if (extra.socket.readyState !== extra.socket.OPEN) return false;
    const lease = who &&
      authorization !== undefined && {
        authorization,
        tenantId: who.tenantId,
        address,
        expiresAtMs,
        isFeed: false,
        end: () => extra.socket.close(CLOSED_BY_CREDENTIAL, 'Forbidden'),
      };
    const leave = who ? this.node.limits.enter(who) : undefined;
    if (who && !leave) {
      extra.socket.close(TOO_MANY, 'Too many sockets');
      return true;
    }
    const forgetLease = lease ? this.node.live.add(lease, lookedAt) : undefined;
    const caller = who?.tenantId ?? limitedAddress(address);
    const waiting = new Map();
    const forget = () => {
      forgetLease?.();
      leave?.();
      forgetIdle?.();
    };
    const state: SocketState = { authorization, forget, caller, operations: 0, waiting };
    const forgetIdle = who ? undefined : this.endIdle(extra, state);
    this.states.set(extra.socket, state);
    return true;
  }

  /** Nobody keeps a socket open without a credential, beyond the operations that ask for none. */
  private endIdle({ socket }: Extra, state: SocketState): () => void {
    const timer = setInterval(() => {
      if (state.operations === 0) socket.close(UNAUTHORIZED, 'Unauthorized');
    }, INIT_WITHIN_MS).unref();
    return () => clearInterval(timer);
  }

  /** Prepares an operation, or names what is wrong with it. */
  async begin({ extra }: SocketContext, id: string, payload: SubscribePayload): Promise<Started> {
    const state = this.states.get(extra.socket);
    if (state) state.operations += 1;
    if (!state || state.operations > this.services.config.GW_SOCKET_OPERATIONS_MAX) {
      extra.socket.close(TOO_MANY, 'Too many operations');
      return [new GraphQLError('Too many operations')];
    }
    const waiting: (() => void)[] = [];
    state.waiting.set(id, waiting);
    const init = {
      arrival: graphqlArrival(this.services, extra.request),
      socketRequest: extra.request,
      authorization: state.authorization,
      onFinished(callback: () => void) {
        if (state.waiting.get(id) === waiting) waiting.push(callback);
        else callback();
      },
    };
    const { arrival } = init;
    waiting.push(() => tellOperation(this.services, arrival, 200));
    const presented = (error: unknown) => {
      const shown = presentError(asGraphqlError(error), { arrival, services: this.services });
      noteErrors(arrival, [shown]);
      return shown;
    };
    try {
      // One operation that cannot be prepared ends alone: others on the socket go on.
      const place = await this.node.load.admit('general', state.caller);
      init.onFinished(() => place.leave());
      requireLevels(payload.variables);
      const envelope = this.yoga.getEnveloped({ ...init, place, params: payload } as never);
      const contextValue = await envelope.contextFactory();
      const document = envelope.parse(payload.query);
      const errors: readonly GraphQLError[] = envelope.validate(envelope.schema, document);
      if (errors.length > 0) return this.refuse(state, id, errors.map(presented));
      return {
        schema: envelope.schema,
        operationName: payload.operationName,
        document,
        variableValues: payload.variables,
        contextValue,
        rootValue: {
          execute: noting(arrival, envelope.execute),
          subscribe: noting(arrival, envelope.subscribe),
        },
      };
    } catch (error) {
      return this.refuse(state, id, [presented(error)]);
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

/** The credential of a handshake; undefined for one that shows several. */
function credentialOf(
  params: SocketContext['connectionParams'],
  { headers }: IncomingMessage,
): { readonly authorization: string | undefined } | undefined {
  try {
    return { authorization: shownBy(params) ?? shownCredential(headers) };
  } catch (error) {
    if (error instanceof GatewayError) return undefined;
    throw error;
  }
}

/** The credential in the parameters of a connection, by the names of the headers. */
function shownBy(params: Readonly<Record<string, unknown>> = {}): string | undefined {
  const entries = Object.entries(params).filter(([, value]) => typeof value === 'string');
  return shownCredential(
    Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), String(value)])),
  );
}

/** The answer of an operation has left, or nobody is there to read it any more. */
function finish(state: SocketState, id: string): void {
  const waiting = state.waiting.get(id) ?? [];
  state.waiting.delete(id);
  for (const callback of waiting) callback();
}
