// What is asked: a chat of about 1.2 KB, or a long one.
const SENTENCE = 'Summarise the contract below and list every payment date, amount and party. ';
const SHORT = 700;

const textOf = (length) => SENTENCE.repeat(Math.ceil(length / SENTENCE.length)).slice(0, length);

/** The path of the chat wire. */
export const CHAT_PATH = '/v1/chat/completions';

/** A chat request whose question has so many characters, of the model that a target names. */
export function chatBody({ length = SHORT, stream = false, model = 'gpt-4o-mini' } = {}) {
  return {
    model,
    messages: [
      { role: 'system', content: textOf(200) },
      { role: 'user', content: textOf(length) },
    ],
    temperature: 0.2,
    max_tokens: 256,
    stream,
    ...(stream ? { stream_options: { include_usage: true } } : {}),
  };
}

/** True for the answer of the upstream, so that a cached or invented one is not measured. */
export function isAnswer(text) {
  try {
    const content = JSON.parse(text).choices[0].message.content;
    return content.startsWith('the quick brown fox');
  } catch {
    return false;
  }
}
