import type OpenAI from 'openai';

/** A whole chat answer, as the client package types it. */
export type WireCompletion = OpenAI.Chat.ChatCompletion;
/** A chunk of a stream. */
export type WireChunk = OpenAI.Chat.ChatCompletionChunk;
/** A list of embeddings. */
export type WireEmbeddings = OpenAI.CreateEmbeddingResponse;
/** A model of the list. */
export type WireModel = OpenAI.Model;
/** What stands under `error`. */
export type WireError = OpenAI.ErrorObject;
