import type { Severity, SourceProvider, UsedCapability } from './vocabulary.js';

/** A documented gap between a provider and this gateway. */
export interface DocumentedGap {
  readonly code: string;
  /** The gap concerns clients that use this. */
  readonly capability: UsedCapability;
  /** The source it is about; null for every source. */
  readonly provider: SourceProvider | null;
  readonly severity: Severity;
  readonly description: string;
  readonly workaround: string;
}

/** The documented gaps. A scan looks here; it does not probe anything. */
export const DOCUMENTED_GAPS: readonly DocumentedGap[] = [
  {
    code: 'vectors_of_another_model',
    capability: 'embeddings',
    provider: null,
    severity: 'major',
    description: 'Vectors of different models cannot be compared with each other.',
    workaround: 'Build stored indexes again with the embeddings model that you will use here.',
  },
  {
    code: 'no_audio_endpoints',
    capability: 'audio',
    provider: null,
    severity: 'major',
    description: 'There are no endpoints for transcription and speech.',
    workaround:
      'Send input_audio parts in chat messages, or leave transcription with the old provider.',
  },
  {
    code: 'no_batch_files',
    capability: 'batch',
    provider: null,
    severity: 'major',
    description: 'Files of requests are not taken.',
    workaround: 'Send the requests one by one, with metadata.feature set, within the rpm limit.',
  },
  {
    code: 'openai_other_interfaces',
    capability: 'chat',
    provider: 'openai',
    severity: 'minor',
    description: 'The Responses and Assistants interfaces are not served.',
    workaround: 'Use chat completions; SDKs and tools have a switch for it.',
  },
  {
    code: 'openrouter_routing_fields',
    capability: 'chat',
    provider: 'openrouter',
    severity: 'minor',
    description: 'The fields models, provider and transforms do not choose the route here.',
    workaround: 'Use gw:auto, and state the rules in a policy (POST /v1/gw/policies).',
  },
  {
    code: 'anthropic_messages_format',
    capability: 'chat',
    provider: 'anthropic',
    severity: 'major',
    description: 'The Messages format is not taken; chat completions are.',
    workaround: 'Use a chat-completions client; the system prompt becomes the first message.',
  },
  {
    code: 'anthropic_stream_events',
    capability: 'streaming',
    provider: 'anthropic',
    severity: 'minor',
    description: 'Streams carry chat-completion chunks, not the events of the Messages format.',
    workaround: 'A chat-completions client reads them without any code of yours.',
  },
  {
    code: 'anthropic_tool_blocks',
    capability: 'tool_calls',
    provider: 'anthropic',
    severity: 'major',
    description: 'tool_use and tool_result blocks are not taken.',
    workaround: 'Send tools as functions and results as messages of the role tool.',
  },
  {
    code: 'anthropic_cache_markers',
    capability: 'long_context',
    provider: 'anthropic',
    severity: 'minor',
    description: 'cache_control markers have no effect.',
    workaround: 'Keep the fixed part of the prompt at its beginning.',
  },
  {
    code: 'azure_deployments',
    capability: 'chat',
    provider: 'azure_openai',
    severity: 'minor',
    description: 'There are no deployment names in the path and no api-version.',
    workaround: 'Use the plain client class of the SDK, with the model in the body.',
  },
  {
    code: 'yandex_native_format',
    capability: 'chat',
    provider: 'yandex',
    severity: 'major',
    description: 'The native completion format (modelUri, completionOptions) is not taken.',
    workaround: 'Use a chat-completions client; model names are those of GET /v1/models.',
  },
  {
    code: 'gigachat_access_tokens',
    capability: 'chat',
    provider: 'gigachat',
    severity: 'minor',
    description: 'There is no exchange of an authorization key for a short-lived token.',
    workaround: 'Send the API key of the gateway as the bearer, and remove the exchange.',
  },
  {
    code: 'gigachat_functions',
    capability: 'tool_calls',
    provider: 'gigachat',
    severity: 'major',
    description: 'The fields functions and function_call are not understood by every model.',
    workaround: 'Send tools and tool_choice.',
  },
  {
    code: 'litellm_proxy_settings',
    capability: 'chat',
    provider: 'litellm',
    severity: 'minor',
    description: 'Router settings, budgets and virtual keys of the proxy do not come along.',
    workaround: 'State them as policies and keys (POST /v1/gw/policies, POST /api-keys).',
  },
  {
    code: 'vllm_guided_decoding',
    capability: 'json_schema',
    provider: 'vllm',
    severity: 'minor',
    description: 'guided_json and its like are forwarded, and few providers obey them.',
    workaround: 'Send response_format with a JSON Schema.',
  },
  {
    code: 'unknown_source',
    capability: 'chat',
    provider: 'other',
    severity: 'minor',
    description: 'The differences of this source are not documented.',
    workaround: 'Compare with an evaluation set before the cutover.',
  },
];
