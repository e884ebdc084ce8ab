import { type CodeOf, vocabulary } from '../../kernel/vocabulary.js';

/** How the monitor of the books stands. The worst comes first. */
export const BOOKS_STATES = vocabulary('BooksState', 'How the monitor of the books stands.', [
  { code: 'violated', description: 'Something is wrong in the books; the findings name it.' },
  {
    code: 'overdue',
    description: 'No check has come to its end for too long: nobody knows how the books are.',
  },
  { code: 'failing', description: 'The last check has failed; the next one comes by itself.' },
  { code: 'pending', description: 'No check has come to its end since the node has started.' },
  { code: 'verified', description: 'The last check came to its end and found nothing.' },
]);

/** A state of the monitor. */
export type BooksState = CodeOf<typeof BOOKS_STATES>;
