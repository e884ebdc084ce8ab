import { PAGE_DEFAULT, PAGE_MAX } from './limits.js';

/** What the arguments of a list mean, wherever a list takes them. */
export const PAGE_ARGUMENTS = {
  first:
    `How many items to return from the beginning of the list, or behind \`after\`: 1 to ` +
    `${PAGE_MAX}, by default ${PAGE_DEFAULT}.`,
  after: 'Continues behind the item with this cursor: `endCursor` of the page before.',
  last:
    'How many items to return from the end of the list, or in front of `before`: ' +
    `1 to ${PAGE_MAX}.`,
  before: 'Ends in front of the item with this cursor: `startCursor` of the page behind.',
} as const;

/** What customers read about the parts of a page, in the words of the relay plugin's options. */
export const PAGE_TEXTS = {
  firstArgOptions: { description: PAGE_ARGUMENTS.first },
  afterArgOptions: { description: PAGE_ARGUMENTS.after },
  lastArgOptions: { description: PAGE_ARGUMENTS.last },
  beforeArgOptions: { description: PAGE_ARGUMENTS.before },
  cursorFieldOptions: {
    description: 'The place of the item in its list, to continue from it with `after`.',
  },
  pageInfoFieldOptions: { description: 'Where the page begins and ends, and what lies beyond.' },
  pageInfoTypeOptions: {
    description: 'Where a page of a list begins and ends, and whether there is more of the list.',
  },
  hasNextPageFieldOptions: {
    description: 'Whether the list goes on behind the last item of this page.',
  },
  hasPreviousPageFieldOptions: {
    description: 'Whether the list has items in front of the first one of this page.',
  },
  startCursorFieldOptions: {
    description: 'The cursor of the first item of the page; null for an empty page.',
  },
  endCursorFieldOptions: {
    description: 'The cursor of the last item of the page; null for an empty page.',
  },
} as const;
