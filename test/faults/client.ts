import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';

/** What a client saw of one chat request, also when it was cut. */
export interface Seen {
  /** Empty when not even the headers came. */
  readonly requestId: string;
  /** 0 when not even the headers came. */
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** All of it came: the whole body, or the stream with its `[DONE]`. */
  readonly complete: boolean;
  /** By performance.now(), when it ended. */
  readonly endedMs: number;
}

/** How a chat request is made and given up. */
export interface ChatOptions {
  readonly credential: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Asked after each part of the answer; true cuts the connection. */
  readonly cutWhen?: (textSoFar: string) => boolean;
  /** Cuts the connection when so many milliseconds have passed. */
  readonly cutAfterMs?: number;
}

const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });

/** Asks for a chat completion and reports what came, never rejecting. */
export function chat(url: string, options: ChatOptions): Promise<Seen> {
  return new Promise((resolve) => {
    let response: IncomingMessage | undefined;
    let text = '';
    let over = false;
    const finish = (ended: boolean) => {
      if (over) return;
      over = true;
      clearTimeout(timer);
      const isStream = String(response?.headers['content-type']).includes('event-stream');
      resolve({
        requestId: String(response?.headers['x-request-id'] ?? ''),
        status: response?.statusCode ?? 0,
        text,
        headers: response?.headers ?? {},
        complete: isStream ? text.endsWith('data: [DONE]\n\n') : ended,
        endedMs: performance.now(),
      });
    };
    const request = httpRequest(`${url}/v1/chat/completions`, {
      method: 'POST',
      agent,
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${options.credential}`,
        ...options.headers,
      },
    });
    const cut = () => {
      finish(false);
      request.destroy();
    };
    const timer = setTimeout(cut, options.cutAfterMs ?? 60_000);
    request.on('error', () => finish(false));
    request.on('response', (answer) => {
      response = answer;
      answer.setEncoding('utf8');
      answer.on('data', (part: string) => {
        text += part;
        if (options.cutWhen?.(text)) cut();
      });
      answer.on('error', () => finish(false));
      answer.on('close', () => finish(answer.complete));
    });
    request.end(JSON.stringify(options.body));
  });
}

/** The chunks of a stream as far as they came. */
export function chunksOf({ text }: Pick<Seen, 'text'>): Record<string, unknown>[] {
  return text
    .split('\n\n')
    .slice(0, -1)
    .filter((event) => event.startsWith('data: {'))
    .map((event) => JSON.parse(event.slice('data: '.length)) as Record<string, unknown>);
}

/** The code of an error answer; undefined for any other. */
export function errorCodeOf({ text }: Pick<Seen, 'text'>): string | undefined {
  try {
    return (JSON.parse(text) as { error?: { code?: string } }).error?.code;
  } catch {
    return undefined;
  }
}

/** Runs a task so many times, at most `width` at once; the results in order. */
export async function inParallel<T>(
  times: number,
  width: number,
  task: (index: number) => Promise<T>,
): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const worker = async () => {
    while (next < times) {
      const index = next;
      next += 1;
      results[index] = await task(index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, times) }, worker));
  return results;
}
