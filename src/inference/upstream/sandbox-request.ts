import { asObject, type JsonObject } from '../../kernel/json.js';

/** What the sandbox reads of a chat request. It sees the body that an upstream would see. */
export type SandboxChat = Readonly<ReturnType<typeof readChat>>;

/** A function that may be called. */
export type SandboxTool = Readonly<ReturnType<typeof readTool>>;

type ToolChoice = 'none' | 'auto' | 'required' | { readonly name: string };
type ResponseFormat = 'text' | 'json_object' | { readonly schema: unknown };

/** A request that the sandbox refuses, as a provider would with 400. */
export class SandboxRefusal extends Error {}

const CHOICES_MAX = 16;

/**
 * Reads a chat request.
 * @throws SandboxRefusal for what a provider would refuse as invalid
 */
export function readChat(body: JsonObject) {
  if (!Array.isArray(body.messages) || body.messages.length === 0) {
    throw new SandboxRefusal("'messages' must be a non-empty array.");
  }
  const tools = list(body.tools).map(readTool);
  const choices = body.n === undefined || body.n === null ? 1 : Number(body.n);
  if (!Number.isInteger(choices) || choices < 1 || choices > CHOICES_MAX) {
    throw new SandboxRefusal(`'n' must be between 1 and ${CHOICES_MAX}.`);
  }
  return {
    model: String(body.model),
    messages: body.messages.map(readMessage),
    stream: body.stream === true,
    includeUsage: members(body.stream_options).include_usage === true,
    tools,
    toolChoice: readToolChoice(body.tool_choice, tools),
    parallelToolCalls: body.parallel_tool_calls !== false,
    responseFormat: readFormat(members(body.response_format)),
    choices,
    stop: typeof body.stop === 'string' ? [body.stop] : list(body.stop).filter(isText),
    outputTokensMax: positive(body.max_completion_tokens) ?? positive(body.max_tokens),
    reasoningEffort: isText(body.reasoning_effort) ? body.reasoning_effort : undefined,
    logprobs: body.logprobs === true,
    topLogprobs: Math.min(positive(body.top_logprobs) ?? 0, 20),
  };
}

function readMessage(raw: unknown) {
  const { role, content } = members(raw);
  if (!isText(role)) throw new SandboxRefusal("every message needs a 'role'.");
  if (!Array.isArray(content)) return { role, text: isText(content) ? content : '', images: 0 };
  const parts = content.map(members);
  return {
    role,
    text: parts
      .map(({ text }) => (isText(text) ? text : ''))
      .filter(Boolean)
      .join('\n'),
    images: parts.filter(({ type }) => type === 'image_url').length,
  };
}

function readTool(raw: unknown) {
  const { name, description, parameters } = members(members(raw).function);
  if (!isText(name) || name === '') throw new SandboxRefusal("every tool needs a 'function.name'.");
  return { name, description: isText(description) ? description : '', parameters };
}

function readToolChoice(raw: unknown, tools: readonly SandboxTool[]): ToolChoice {
  if (tools.length === 0) {
    if (raw === undefined || raw === null || raw === 'none' || raw === 'auto') return 'none';
    throw new SandboxRefusal("'tool_choice' is only allowed when 'tools' are specified.");
  }
  if (raw === undefined || raw === null || raw === 'auto') return 'auto';
  if (raw === 'none' || raw === 'required') return raw;
  const { name } = members(members(raw).function);
  if (isText(name) && tools.some((tool) => tool.name === name)) return { name };
  throw new SandboxRefusal("'tool_choice' names no tool of 'tools'.");
}

function readFormat(format: JsonObject): ResponseFormat {
  if (format.type === 'json_object') return 'json_object';
  if (format.type !== 'json_schema') return 'text';
  const { schema } = members(format.json_schema);
  if (schema === undefined) throw new SandboxRefusal("'json_schema.schema' is missing.");
  return { schema };
}

/** The members of an object, or none for anything else. */
export function members(value: unknown): JsonObject {
  return asObject(value) ?? {};
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function positive(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : undefined;
}
