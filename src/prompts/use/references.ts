import { defineReference } from '../../records/references.js';
import { SCHEMA_STATES, TRAFFIC_STATES } from './vocabulary.js';

defineReference('prompt-use.traffic', TRAFFIC_STATES.rows);
defineReference('prompt-use.schema', SCHEMA_STATES.rows);
