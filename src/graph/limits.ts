/** Levels of selection in one operation. */
export const DEPTH_MAX = 12;

/** Price of one operation in points: a connection costs about as many as it returns at most. */
export const COMPLEXITY_MAX = 5_000;

/** Names in one document of fields that are asked for under more than one name. */
export const ALIASES_MAX = 15;

/** Lexical tokens in one document. */
export const TOKENS_MAX = 2_000;

/** Selections in one document, with the spreads of fragments written out. */
export const SELECTIONS_MAX = 10_000;

/** Points a caller may spend a minute. */
export const POINTS_PER_MINUTE = 60_000;

/** Ids in one question for things by their ids. */
export const NODES_MAX = 100;

/** Values in one condition of a filter. */
export const FILTER_VALUES_MAX = 100;

/** Items of a page when the caller does not say, and at most. */
export const PAGE_DEFAULT = 50;
export const PAGE_MAX = 200;
