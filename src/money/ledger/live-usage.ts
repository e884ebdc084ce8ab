import { ORIGIN_MEMBER } from '../../kernel/origin.js';

const BY_CLIENTS_SQL = `status = 'complete' AND metadata -> '${ORIGIN_MEMBER}' IS NULL`;

/**
 * The condition on rows of `usage_event` that show live use: answered in full, by a model that is
 * not simulated, for a request that the gateway did not make for itself. Whatever takes usage for
 * evidence asks by this condition.
 */
export const LIVE_USAGE_SQL = `${BY_CLIENTS_SQL} AND NOT simulated`;

/** The same use of simulated models: it may be shown under that name, and is never evidence. */
export const SIMULATED_USAGE_SQL = `${BY_CLIENTS_SQL} AND simulated`;
