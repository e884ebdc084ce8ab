import type { CounterAnswer, CounterCall } from '../../platform/counters/asked.js';
import type { WorkerSeat } from './seat.js';

/** What the primary gives a worker that can be sent. */
export type SentSeat = Pick<WorkerSeat, 'name' | 'names' | 'connections'>;

/** What a worker says to its primary. */
export type WorkerMessage =
  | { readonly kind: 'here' }
  /** Its event loop turns. */
  | { readonly kind: 'beat'; readonly isDebugged: boolean }
  | { readonly kind: 'serving'; readonly url: string }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'counted'; readonly calls: readonly CounterCall[] }
  /** It was asked for the metrics of all. */
  | { readonly kind: 'figures_wanted'; readonly id: number }
  /** Its own metrics. */
  | { readonly kind: 'own_figures'; readonly id: number; readonly text: string };

/** What the primary says to a worker. */
export type PrimaryMessage =
  | { readonly kind: 'seat'; readonly seat: SentSeat }
  | { readonly kind: 'answers'; readonly answers: readonly CounterAnswer[] }
  | { readonly kind: 'own_figures_wanted'; readonly id: number }
  | { readonly kind: 'figures'; readonly id: number; readonly text: string };
