import { vocabulary } from '../../kernel/vocabulary.js';

/** Kinds of batch work. */
export const BATCH_JOB_TYPES = vocabulary('BatchJobType', 'A kind of batch work.', [
  { code: 'classification', description: 'Each row gets one of given labels.' },
  { code: 'extraction', description: 'Each row gives values of given fields.' },
  { code: 'summarization', description: 'Each row gets a short text of what matters in it.' },
  { code: 'generation', description: 'Each row gets a new text.' },
  { code: 'embeddings', description: 'Each row gets a vector.' },
]);

/** Whether a template can be priced, and what comes of it. */
export const BATCH_VERDICTS = vocabulary('BatchVerdict', 'Whether packing rows pays.', [
  { code: 'pays', description: 'From `pays_from_rows` on, packed requests cost less in all.' },
  { code: 'never_pays', description: 'A packed row costs as much as a single one.' },
  {
    code: 'cannot_serve',
    description: 'The model does other work, or has no room for a packed request.',
  },
  { code: 'cannot_price', description: 'The model has no price in force on this server.' },
]);
