import { readFileSync } from 'node:fs';
import {
  openedContent,
  type SealedContent,
  sealedContent,
} from '../../../src/kernel/fields/sealed.js';
import {
  SEALED_DECISION_FIELDS,
  sealedDecision,
} from '../../../src/routing/decision/sealed-decision.js';

/** What is given to the process, and what it prints. */
export type SealedDecisions = readonly SealedContent[];

/** Decides again what the sealed contents of a file say, and prints what it would seal. */
const contents = JSON.parse(readFileSync(0, 'utf8')) as SealedDecisions;
const again = contents.map((content) => {
  const { requestId, inputs } = openedContent(SEALED_DECISION_FIELDS, content);
  return sealedContent(SEALED_DECISION_FIELDS, sealedDecision(requestId, inputs));
});
process.stdout.write(JSON.stringify(again));
