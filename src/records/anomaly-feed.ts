import { eventFeed } from './feed.js';

/**
 * The feed of what is odd in a tenant: cost and traffic, soft alerts, keys that outlive others,
 * prices of used models that are to change.
 */
export const ANOMALY_FEED = eventFeed('anomalies');
