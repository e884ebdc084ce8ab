import { defineReference } from '../../records/references.js';
import {
  CACHE_ADVICE,
  DRIFT_RULES,
  DRIFT_STATISTICS,
  DRIFT_VERDICTS,
  HEALTH_TERMS,
  HEALTH_VERDICTS,
} from './vocabulary.js';

defineReference('observability.health_terms', HEALTH_TERMS.rows);
defineReference('observability.health_verdicts', HEALTH_VERDICTS.rows);
defineReference('observability.drift_rules', DRIFT_RULES.rows);
defineReference('observability.drift_statistics', DRIFT_STATISTICS.rows);
defineReference('observability.drift_verdicts', DRIFT_VERDICTS.rows);
defineReference('observability.cache_advice', CACHE_ADVICE.rows);
