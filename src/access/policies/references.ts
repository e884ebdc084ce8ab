import {
  CONTENT_CARRIERS,
  CONTENT_READERS,
  CONTENTS,
  UNREAD_MODES,
} from '../../kernel/firewall/contents.js';
import {
  CONFIDENCES,
  DATA_CLASSES,
  FINDING_CLASSES,
  FIREWALL_MODES,
} from '../../kernel/firewall/vocabulary.js';
import { defineReference } from '../../records/references.js';
import { HYBRID_MODES, LIMIT_BOUNDS } from './vocabulary.js';

defineReference('policies.hybrid', HYBRID_MODES);
defineReference(
  'policies.limit',
  Object.entries(LIMIT_BOUNDS).map(([code, bounds]) => ({ code, ...bounds })),
);
defineReference('firewall.class', FINDING_CLASSES);
defineReference('firewall.mode', FIREWALL_MODES);
defineReference('firewall.confidence', CONFIDENCES);
defineReference('firewall.data_class', DATA_CLASSES);
defineReference('firewall.content', CONTENTS.rows);
defineReference('firewall.content_reader', CONTENT_READERS.rows);
defineReference('firewall.content_carrier', CONTENT_CARRIERS.rows);
defineReference('firewall.unread_mode', UNREAD_MODES.rows);
