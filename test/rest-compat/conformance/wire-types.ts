import type OpenAI from 'openai';

/** Answers of the wire as the client package itself types them. */
export interface Wire {
  readonly completion: OpenAI.Chat.ChatCompletion;
  readonly chunk: OpenAI.Chat.ChatCompletionChunk;
  readonly embeddings: OpenAI.CreateEmbeddingResponse;
  readonly model: OpenAI.Model;
  /** What stands under `error`. */
  readonly error: OpenAI.ErrorObject;
}
