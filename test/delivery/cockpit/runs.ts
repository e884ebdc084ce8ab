/** A check as it is answered over REST. */
export interface ShownCheck {
  readonly code: string;
  readonly status: string;
  readonly message: string;
  readonly fix: string | null;
  readonly latency_ms: number | null;
  readonly status_code: number | null;
  readonly request_id: string | null;
  readonly evidence: Readonly<Record<string, unknown>>;
  readonly simulated: boolean;
  readonly cost_rub: number | null;
}

/** A run as it is answered over REST. */
export interface ShownRun {
  readonly id: string;
  readonly status: string;
  readonly simulated: boolean;
  readonly checks: readonly ShownCheck[];
  readonly cost_rub: number;
  readonly caller_kind: string;
  readonly caller_id: string;
  readonly request_id: string;
}

/** Where runs are made. */
export const COCKPIT = '/v1/gw/migration/cockpit';
