import { setTimeout as sleep } from 'node:timers/promises';
import type { Deployment } from '../../catalog/providers/model.js';
import { NO_USAGE, type UsageVector } from '../../catalog/providers/price.js';
import { loadTokenizer, type Tokenizer } from '../../catalog/providers/tokenizer.js';
import { sharedNowMs } from '../../kernel/clock.js';
import {
  type Carrier,
  type CarrierHandle,
  type CarrierReceiver,
  type CarrierRequest,
  ForbiddenRoute,
} from './carrier.js';
import { PatternWithoutText } from './pattern-text.js';
import { answerChoices, reasoningTokens } from './sandbox-answer.js';
import { embed } from './sandbox-embeddings.js';
import { faultsOf, type SandboxFaults } from './sandbox-faults.js';
import { members, readChat, type SandboxChat, SandboxRefusal } from './sandbox-request.js';
import { answerId, streamedAnswer, wholeAnswer } from './sandbox-wire.js';
import { SchemaWithoutInstance } from './schema-instance.js';
import { countChatInput } from './tokens.js';

/**
 * The built-in provider: answers in process, deterministically, in the bytes of the chat wire, and
 * marks every answer `simulated`. It reads the body that an upstream would get and nothing else,
 * so what the firewall masked it never sees. Slowness and failures are asked for by metadata.
 */
export class SandboxCarrier implements Carrier {
  send(request: CarrierRequest, receiver: CarrierReceiver): CarrierHandle {
    if (!request.jurisdictionsAllowed.includes(request.deployment.jurisdiction)) {
      throw new ForbiddenRoute(request.deployment);
    }
    const exchange = new SandboxExchange(receiver);
    void exchange.run(request);
    return exchange;
  }

  /** Requests to it carry no credential. */
  masked(_deployment: Deployment, text: string): string {
    return text;
  }
}

class SandboxExchange implements CarrierHandle {
  #over = false;
  readonly #left = new AbortController();
  #resumed: (() => void) | undefined;

  constructor(private readonly receiver: CarrierReceiver) {}

  resume(): void {
    this.#resumed?.();
  }

  abort(): void {
    this.#over = true;
    this.#left.abort();
    this.#resumed?.();
  }

  async run(request: CarrierRequest): Promise<void> {
    try {
      const tokenizer = await loadTokenizer();
      const body = members(JSON.parse(request.body.toString('utf8')));
      const faults = faultsOf(body.metadata, request.deployment.upstreamName);
      await this.#pause(faults.delayMs);
      if (this.#over || faults.silent) return;
      if (faults.reset) return this.#break();
      if (faults.status) return this.#refuse(faults.status, 'This failure was asked for.', faults);
      if (request.operation === 'embeddings') this.#whole(embed(body, tokenizer));
      else await this.#chat(request, body, faults, tokenizer);
    } catch (error) {
      if (isRefusal(error)) this.#refuse(400, error.message, undefined);
      else if (!this.#over) this.receiver.onError(error as Error);
    }
  }

  async #chat(
    request: CarrierRequest,
    body: Readonly<Record<string, unknown>>,
    faults: SandboxFaults,
    tokenizer: Tokenizer,
  ): Promise<void> {
    const chat = readChat(body);
    const { messages, tools } = body;
    const input = countChatInput(
      tokenizer,
      Array.isArray(messages) ? messages : [],
      Array.isArray(tools) ? tools : [],
    );
    requireWindow(request.deployment, chat, input);
    const choices = answerChoices(withLimit(request.deployment, chat), tokenizer);
    const answer = {
      id: answerId(request.body),
      created: Math.floor(sharedNowMs() / 1_000),
      chat,
      choices,
      usage: faults.withoutUsage
        ? undefined
        : usageOf(input, faults.cachedTokens, choices, reasoningTokens(chat)),
    };
    if (chat.stream) await this.#stream(streamedAnswer(answer, tokenizer), faults);
    else this.#whole(wholeAnswer(answer, tokenizer));
  }

  async #stream(chunks: Generator<unknown>, faults: SandboxFaults): Promise<void> {
    this.receiver.onStatus(200, undefined);
    let sent = 0;
    for (const chunk of chunks) {
      if (sent === faults.cutAfter) return this.#break();
      if (sent === faults.errorAfter) {
        await this.#write({ error: { message: 'This failure was asked for.', code: 500 } });
        return this.#end();
      }
      await this.#pause(sent === 0 ? 0 : faults.gapMs);
      await this.#write(chunk);
      if (this.#over) return;
      sent += 1;
    }
    await this.#bytes('data: [DONE]\n\n');
    this.#end();
  }

  #write(payload: unknown): Promise<void> {
    return this.#bytes(`data: ${JSON.stringify(payload)}\n\n`);
  }

  async #bytes(text: string): Promise<void> {
    if (this.#over || this.receiver.onData(Buffer.from(text))) return;
    await new Promise<void>((resolve) => {
      this.#resumed = resolve;
    });
    this.#resumed = undefined;
  }

  #whole(answer: unknown): void {
    if (this.#over) return;
    this.receiver.onStatus(200, undefined);
    this.receiver.onData(Buffer.from(JSON.stringify(answer)));
    this.#end();
  }

  #refuse(status: number, message: string, faults: SandboxFaults | undefined): void {
    if (this.#over) return;
    const error = { message, type: 'sandbox_error', param: null, code: null };
    this.receiver.onStatus(status, faults?.retryAfterMs);
    this.receiver.onData(Buffer.from(JSON.stringify({ error })));
    this.#end();
  }

  #end(): void {
    if (this.#over) return;
    this.#over = true;
    this.receiver.onEnd();
  }

  #break(): void {
    if (this.#over) return;
    this.#over = true;
    this.receiver.onError(Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }));
  }

  async #pause(milliseconds: number): Promise<void> {
    if (milliseconds <= 0 || this.#over) return;
    const { signal } = this.#left;
    await sleep(milliseconds, undefined, { signal }).catch(() => undefined);
  }
}

function isRefusal(error: unknown): error is Error {
  const refusals = [SandboxRefusal, SchemaWithoutInstance, PatternWithoutText, SyntaxError];
  return refusals.some((kind) => error instanceof kind);
}

function requireWindow(deployment: Deployment, chat: SandboxChat, input: number): void {
  const { contextWindow } = deployment;
  const wanted = input + (chat.outputTokensMax ?? 0);
  if (wanted <= contextWindow) return;
  throw new SandboxRefusal(
    `This model's maximum context length is ${contextWindow} tokens; ${wanted} were requested.`,
  );
}

function withLimit(deployment: Deployment, chat: SandboxChat): SandboxChat {
  const limit = Math.min(
    chat.outputTokensMax ?? deployment.maxOutputTokens,
    deployment.maxOutputTokens,
  );
  return { ...chat, outputTokensMax: limit };
}

function usageOf(
  input: number,
  cachedTokens: number,
  choices: readonly { outputTokens: number }[],
  reasoning: number,
): UsageVector {
  const cached = Math.min(cachedTokens, input);
  return {
    ...NO_USAGE,
    input_uncached: input - cached,
    input_cached: cached,
    output_text: choices.reduce((sum, choice) => sum + choice.outputTokens, 0),
    output_reasoning: reasoning * choices.length,
  };
}
