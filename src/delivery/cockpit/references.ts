import { defineReference } from '../../records/references.js';
import { CHECK_EVENTS, CHECK_STATUSES, CHECKS, RUN_STATUSES } from './vocabulary.js';

defineReference('cockpit.check', CHECKS);
defineReference('cockpit.check_status', CHECK_STATUSES);
defineReference('cockpit.run_status', RUN_STATUSES);
defineReference('cockpit.event', CHECK_EVENTS);
