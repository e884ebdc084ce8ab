/** A row of a vocabulary. */
export interface VocabularyRow<C extends string> {
  readonly code: C;
  readonly description: string;
}

/** The values of a GraphQL enum from a vocabulary, so that the two cannot differ. */
export function enumValues<const C extends string>(
  rows: readonly VocabularyRow<C>[],
): Record<C, { value: C; description: string }> {
  const entries = rows.map(({ code, description }) => [code, { value: code, description }]);
  return Object.fromEntries(entries) as Record<C, { value: C; description: string }>;
}
