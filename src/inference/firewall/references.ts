import { defineReference } from '../../records/references.js';
import { UNREAD_POSITIONS } from './unread-positions.js';

defineReference('firewall.unread_position', UNREAD_POSITIONS);
