import type { Readable } from 'node:stream';

/** Most bytes of an answer that are kept. */
export const RESPONSE_BYTES_MAX = 65_536;

const CONTENT_TYPE_LENGTH_MAX = 200;

/** The answer of an endpoint as far as it is kept. */
export interface WebhookResponse {
  readonly contentType: string;
  readonly text: string;
  /** More followed that was not read, or the connection broke. */
  readonly truncated: boolean;
}

/**
 * Reads the first 64 KiB of an answer and lets go of the rest. An endpoint that stops in the middle
 * has still answered, so what came is kept.
 */
export async function captureResponse(
  contentType: string | undefined,
  body: Readable,
): Promise<WebhookResponse> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let complete = true;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk.subarray(0, RESPONSE_BYTES_MAX - bytes));
      bytes += chunk.length;
      if (bytes > RESPONSE_BYTES_MAX) break;
    }
  } catch {
    complete = false;
  } finally {
    body.destroy();
  }
  const truncated = !complete || bytes > RESPONSE_BYTES_MAX;
  return {
    contentType: storable((contentType ?? '').slice(0, CONTENT_TYPE_LENGTH_MAX)),
    text: decoded(Buffer.concat(chunks), truncated),
    truncated,
  };
}

/** The bytes as UTF-8. What a cut left of the last character is dropped. */
function decoded(bytes: Buffer, truncated: boolean): string {
  return storable(new TextDecoder('utf-8').decode(bytes, { stream: truncated }));
}

/** PostgreSQL keeps every character but the one of code 0. */
function storable(text: string): string {
  return text.replaceAll('\0', '\ufffd');
}
