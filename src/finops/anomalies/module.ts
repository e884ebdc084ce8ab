import { registerModule } from '../../graph/registration.js';
import { ANOMALY_ERRORS } from './errors.js';

const ANOMALIES = {
  ids: {
    Anomaly: { number: 31, read: 'anomalies.read' },
    SpendPause: { number: 32, read: 'anomalies.read' },
  },
  errors: ANOMALY_ERRORS,
  mutations: { one_commit: ['anomalyRulePublish', 'spendResumeRequest'] },
  load: () => [import('./pauses.js'), import('./schema.js')],
} as const;

declare module '../../kernel/module-rows.js' {
  interface ModuleRows {
    readonly 'finops/anomalies': typeof ANOMALIES;
  }
}

registerModule('finops/anomalies', ANOMALIES);
