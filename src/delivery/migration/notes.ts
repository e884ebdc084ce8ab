/** What the history of a migration can say, in the order of its life. */
export const MIGRATION_NOTES = [
  { code: 'created', description: 'The migration was created.' },
  { code: 'scanned', description: 'A compatibility scan was made.' },
  { code: 'compared', description: 'A comparison was made and sealed.' },
  { code: 'cutover_blocked', description: 'A cutover was asked for and did not happen.' },
  { code: 'cutover_requested', description: 'A cutover waits in the approval queue.' },
  { code: 'cutover_rejected', description: 'A member rejected the cutover.' },
  { code: 'cutover_expired', description: 'Nobody decided about the cutover in time.' },
  {
    code: 'cutover_not_executed',
    description: 'The cutover was approved, but something had changed by then.',
  },
  { code: 'cut_over', description: 'The migration was cut over.' },
  { code: 'rolled_back', description: 'The migration was rolled back.' },
] as const;

/** A note of the history. */
export type MigrationNote = (typeof MIGRATION_NOTES)[number]['code'];
