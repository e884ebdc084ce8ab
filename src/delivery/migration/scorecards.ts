import { registerEvaluations } from '../../routing/economics/evaluations.js';
import { COMPARISONS } from './receipts.js';

/** Every item that was answered is a request of its own; one that was refused shows nothing. */
registerEvaluations(COMPARISONS, ({ evaluation }) =>
  (evaluation?.results ?? []).flatMap(({ requestId, passed }) =>
    requestId === null ? [] : [{ requestId, passed }],
  ),
);
