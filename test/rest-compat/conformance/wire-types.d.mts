import type OpenAI from 'openai';

/** The answers that are checked, as the client library itself types them. */
export type ChatCompletion = OpenAI.Chat.ChatCompletion;
export type ChatCompletionChunk = OpenAI.Chat.ChatCompletionChunk;
export type CreateEmbeddingResponse = OpenAI.CreateEmbeddingResponse;
export type Model = OpenAI.Model;
export type ErrorObject = OpenAI.ErrorObject;
