import type { Plugin } from 'graphql-yoga';
import type { OperationCtx } from './graphql-plugins.js';
import type { GraphqlArrival } from './graphql-refusal.js';

/** The type in which events of a subscription are sent. */
const EVENTS = 'text/event-stream';
/** The types of answers; an answer of a query or a mutation may also be sent as one event. */
const ANSWERS = ['application/json', 'application/graphql-response+json', EVENTS] as const;

/** The types that a client may be told of where it accepts none of them. */
export const ANSWER_TYPES = ANSWERS.join(', ');

/**
 * Whether a client takes an answer of one of these types. Read as the engine reads it: a type that
 * asks for another charset than UTF-8 counts for nothing; a quality of 0 excludes a type.
 */
function takes(accept: string | undefined, types: readonly string[]): boolean {
  const ranges = (accept || '*/*').replace(/\s/g, '').toLowerCase().split(',');
  return ranges.some((range) => {
    const [media = '', ...parameters] = range.split(';');
    if (parameters.some((each) => /^q=0(\.0*)?$/.test(each))) return false;
    if (parameters.some((each) => /charset=(?!utf-8$)/.test(each))) return false;
    return types.some((type) => matches(media, type));
  });
}

function matches(range: string, type: string): boolean {
  const [group, name] = range.split('/');
  const [typeGroup, typeName] = type.split('/');
  return (group === '*' || group === typeGroup) && (name === '*' || name === typeName);
}

/** Whether the answer of a query or a mutation can be sent in a form that the client takes. */
export function takesAnswers(accept: string | undefined): boolean {
  return takes(accept, ANSWERS);
}

// What was refused for the type of its answer, so that the answer says so.
const refused = new WeakSet<GraphqlArrival>();

/** Whether a subscription was not begun because its client takes no events. */
export function isRefusedEvents(arrival: GraphqlArrival): boolean {
  return refused.has(arrival);
}

/** Begins no subscription over HTTP whose events the client does not take. */
export function eventsAreTaken(): Plugin<OperationCtx> {
  return {
    onSubscribe({ args, setResultAndStopExecution }) {
      const { arrival, request } = args.contextValue as OperationCtx & { request?: Request };
      if (!arrival || !request || takes(request.headers.get('accept') ?? undefined, [EVENTS]))
        return;
      refused.add(arrival);
      setResultAndStopExecution({ data: null } as never);
    },
  };
}
