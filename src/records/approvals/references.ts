import { defineReference } from '../references.js';
import { APPROVAL_EVENTS } from './events.js';

defineReference('approvals.event', APPROVAL_EVENTS);
