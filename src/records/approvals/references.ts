import { defineReference } from '../references.js';
import { APPROVAL_EVENTS } from './events.js';
import {
  APPROVAL_DECISIONS,
  APPROVAL_EXECUTIONS,
  APPROVAL_KINDS,
  APPROVAL_STATUSES,
} from './vocabulary.js';

defineReference('approvals.kind', APPROVAL_KINDS);
defineReference('approvals.status', APPROVAL_STATUSES);
defineReference('approvals.decision', APPROVAL_DECISIONS);
defineReference('approvals.execution', APPROVAL_EXECUTIONS);
defineReference('approvals.event', APPROVAL_EVENTS);
