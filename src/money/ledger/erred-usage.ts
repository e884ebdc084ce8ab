/**
 * Whether a usage row is of a request that failed by no fault of its client: a provider failed, was
 * at its limit or could not be called. A request that a provider refuses to read, and one that its
 * client has left, are no errors of anybody but the client.
 */
export const ERRED_SQL = `status = 'failed'
  AND (http_status >= 500 OR error_code = 'upstream_rate_limited')`;
