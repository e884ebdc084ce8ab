import type { Lifecycle } from '../../kernel/lifecycle.js';
import { STATUSES, type Status } from './vocabulary.js';

/** What moves a migration. */
export type MigrationEvent = 'scan' | 'hold' | 'mark_ready' | 'cut_over' | 'roll_back';

const BEFORE_CUTOVER = { scan: 'scanned', hold: 'compared', mark_ready: 'ready' } as const;
const WAY_BACK = { roll_back: 'rolled_back' } as const;

/**
 * The state table of migrations. Scans and comparisons may be repeated until the cutover; a new
 * scan asks for a new comparison. Rolling back is possible from everywhere, as often as wanted.
 */
export const MIGRATION_LIFECYCLE: Lifecycle<Status, MigrationEvent> = {
  draft: { scan: 'scanned', hold: 'compared', ...WAY_BACK },
  scanned: { ...BEFORE_CUTOVER, ...WAY_BACK },
  compared: { ...BEFORE_CUTOVER, ...WAY_BACK },
  ready: { ...BEFORE_CUTOVER, cut_over: 'cut_over', ...WAY_BACK },
  cut_over: WAY_BACK,
  rolled_back: { ...BEFORE_CUTOVER, ...WAY_BACK },
};

/** The steps of the table, one row each, as they are published. */
export const TRANSITIONS = Object.entries(MIGRATION_LIFECYCLE).flatMap(([from, row]) =>
  Object.entries(row).map(([event, to]) => ({
    code: `${from}.${event}`,
    description: `What is ${from} becomes ${to} by ${event}.`,
    from: STATUSES.parse(from),
    event,
    to,
  })),
);
