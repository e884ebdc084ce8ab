import type { Operation } from '../catalog/providers/vocabulary.js';
import { asObject, type JsonObject } from '../kernel/json.js';

/** What decides how many tokens a request can have, read once and without reading its text. */
export interface RequestSize {
  /** Bytes of the JSON body less what is inlined of images, sound and files. */
  readonly textBytes: number;
  /** Images of high or of no stated detail, inlined or by address. */
  readonly images: number;
  /** Images that are asked for in low detail. */
  readonly imagesLow: number;
  /** Bytes of inlined sound, decoded. */
  readonly audioBytes: number;
  /** Bytes of inlined files, decoded. */
  readonly fileBytes: number;
  /** Texts that are embedded, each in a window of its own; 1 for a chat. */
  readonly inputs: number;
  /** What one window must hold, answer included, where it was counted; else it is guessed. */
  readonly windowTokens?: number;
  /** Tokens of its texts, where they were counted; else they are guessed. */
  readonly textTokens?: number;
  /** True where a part of the prompt lies elsewhere, so that nothing but the window bounds it. */
  readonly isOpen: boolean;
}

/** A size while it is read. */
type Tally = { -readonly [name in keyof RequestSize]: RequestSize[name] };

/** The size of a chat body without faults. `bodyBytes` is the length of its JSON. */
export function chatSize(body: JsonObject, bodyBytes: number): RequestSize {
  // A character of a string takes at least a byte of JSON, so this is never below the text's own.
  const tally = textSize(bodyBytes);
  tally.isOpen = body.web_search_options != null;
  for (const message of body.messages as JsonObject[]) {
    if (message.audio != null) tally.isOpen = true;
    if (Array.isArray(message.content)) addParts(message.content, tally);
  }
  return tally;
}

/** The size of an embeddings body without faults. */
export function embeddingsSize(input: unknown, bodyBytes: number): RequestSize {
  const isList = Array.isArray(input) && typeof input[0] !== 'number';
  return textSize(bodyBytes, isList ? input.length : 1);
}

/**
 * The size of a body in which something is masked. A placeholder may be longer than the value that
 * it stands for, and what is sent is what a provider counts.
 */
export function maskedSize(size: RequestSize, operation: Operation, body: JsonObject): RequestSize {
  const bytes = Buffer.byteLength(JSON.stringify(body));
  const sent = operation === 'chat' ? chatSize(body, bytes) : embeddingsSize(body.input, bytes);
  return {
    ...size,
    textBytes: Math.max(size.textBytes, sent.textBytes),
    audioBytes: Math.max(size.audioBytes, sent.audioBytes),
    fileBytes: Math.max(size.fileBytes, sent.fileBytes),
  };
}

function textSize(textBytes: number, inputs = 1): Tally {
  return { textBytes, images: 0, imagesLow: 0, audioBytes: 0, fileBytes: 0, inputs, isOpen: false };
}

function addParts(parts: readonly JsonObject[], tally: Tally): void {
  for (const part of parts) {
    const { type } = part;
    if (type === 'text' || type === 'refusal') continue;
    if (type === 'image_url') addImage(asObject(part.image_url), tally);
    else if (type === 'input_audio') addAudio(asObject(part.input_audio), tally);
    else if (type === 'file') addFile(asObject(part.file), tally);
    else if (String(type).endsWith('_url')) tally.isOpen = true;
  }
}

function addImage(image: JsonObject | undefined, tally: Tally): void {
  if (image?.detail === 'low') tally.imagesLow += 1;
  else tally.images += 1;
  const url = image?.url;
  if (typeof url === 'string' && url.startsWith('data:image/')) tally.textBytes -= url.length;
}

function addAudio(audio: JsonObject | undefined, tally: Tally): void {
  if (typeof audio?.data !== 'string') return;
  tally.textBytes -= audio.data.length;
  tally.audioBytes += decodedBytes(audio.data);
}

function addFile(file: JsonObject | undefined, tally: Tally): void {
  if (typeof file?.file_data !== 'string') {
    tally.isOpen = true;
    return;
  }
  tally.textBytes -= file.file_data.length;
  tally.fileBytes += decodedBytes(file.file_data);
}

/** Bytes behind base64, rounded up; a `data:` address in front of it only makes it more. */
function decodedBytes(base64: string): number {
  return Math.ceil((base64.length * 3) / 4);
}
