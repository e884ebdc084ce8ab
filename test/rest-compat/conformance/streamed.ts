/** A chunk as far as the tests look into it. */
export interface Chunk {
  readonly object?: string;
  readonly model?: string;
  readonly choices?: readonly {
    readonly delta?: { readonly role?: string; readonly content?: string | null };
    readonly finish_reason?: string | null;
  }[];
  readonly usage?: Record<string, unknown> | null;
  readonly error?: Record<string, unknown>;
  readonly [key: string]: unknown;
}

/** A stream as it stood on the wire. */
export interface Streamed {
  readonly status: number;
  readonly headers: Headers;
  /** Every line that is not blank. */
  readonly lines: readonly string[];
  /** The JSON values of the data lines, in order. */
  readonly chunks: readonly Chunk[];
  /** True when the last line is the terminator. */
  readonly done: boolean;
  readonly text: string;
}

/** Reads a response of a stream to its end. */
export async function readStreamed(response: Response): Promise<Streamed> {
  const body = await response.text();
  const lines = body.split('\n').filter((line) => line !== '');
  const data = lines.filter((line) => line.startsWith('data: ')).map((line) => line.slice(6));
  const chunks = data.filter((one) => one !== '[DONE]').map((one) => JSON.parse(one) as Chunk);
  return {
    status: response.status,
    headers: response.headers,
    lines,
    chunks,
    done: lines.at(-1) === 'data: [DONE]',
    text: chunks.map(({ choices }) => choices?.[0]?.delta?.content ?? '').join(''),
  };
}
