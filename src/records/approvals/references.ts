import { defineReference } from '../references.js';
import { APPROVAL_EVENTS } from './events.js';
import {
  APPROVAL_DECISIONS,
  APPROVAL_EXECUTIONS,
  APPROVAL_KINDS,
  APPROVAL_STATUSES,
} from './vocabulary.js';

defineReference('approvals.kind', APPROVAL_KINDS.rows);
defineReference('approvals.status', APPROVAL_STATUSES.rows);
defineReference('approvals.decision', APPROVAL_DECISIONS.rows);
defineReference('approvals.execution', APPROVAL_EXECUTIONS.rows);
defineReference('approvals.event', APPROVAL_EVENTS);
