/**
 * Answers that somebody can give without having read the question: nothing, one word, a common
 * sentence, and the plainest JSON of each kind. A judgement that one of them passes does not tell
 * answers apart, so what it says of an answer is no evidence.
 */
export const ANSWER_PROBES = [
  '',
  ' ',
  'word',
  'слово',
  'Thank you for your question, I will be happy to help you with it today.',
  'Спасибо за вопрос, я буду рад помочь вам с ним сегодня.',
  '{}',
  '{"word":"word"}',
  '[]',
  '["word"]',
  '"word"',
  '987654321',
] as const;

/** Whether a judgement passes an answer that was given without having read the question. */
export function passesAnything(judge: (answer: string) => boolean): boolean {
  return ANSWER_PROBES.some(judge);
}
