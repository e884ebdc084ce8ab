import type { Capability, Operation } from '../catalog/providers/vocabulary.js';
import type { JsonObject } from '../kernel/json.js';

/** A request for a model as all stages read it; the body itself is kept whole beside it. */
export interface InferenceRequest {
  readonly operation: Operation;
  readonly body: JsonObject;
  /** Bytes of the body as JSON. */
  readonly bodyBytes: number;
  readonly model: string;
  readonly stream: boolean;
  /** True when the client asked for usage in the stream. */
  readonly includeUsage: boolean;
  readonly needs: readonly Capability[];
  readonly images: number;
  /** Answer tokens that the client allows for one choice; undefined where it does not say. */
  readonly outputTokensMax: number | undefined;
  readonly choices: number;
  readonly metadata: RequestMetadata;
}

/** The parts of `metadata` that reports group by, and the rest. */
export interface RequestMetadata {
  readonly feature: string | undefined;
  readonly environment: string | undefined;
  readonly clientId: string | undefined;
  readonly rest: Readonly<Record<string, unknown>>;
}

const METADATA_VALUE_LENGTH_MAX = 512;

/** Reads `metadata`: values that are not short texts are kept out of the columns. */
export function readMetadata(body: JsonObject): RequestMetadata {
  const given = body.metadata;
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return NO_METADATA;
  const { feature, environment, client_id: clientId, ...rest } = given as JsonObject;
  return {
    feature: shortText(feature),
    environment: shortText(environment),
    clientId: shortText(clientId),
    rest,
  };
}

const NO_METADATA: RequestMetadata = {
  feature: undefined,
  environment: undefined,
  clientId: undefined,
  rest: {},
};

function shortText(value: unknown): string | undefined {
  const fits = typeof value === 'string' && value.length <= METADATA_VALUE_LENGTH_MAX;
  return fits && value !== '' ? value : undefined;
}
