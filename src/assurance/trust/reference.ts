import { codes, publishReference } from '../../records/reference-field.js';
import {
  ANSWERS,
  ARTIFACT_STATUSES,
  ARTIFACT_VISIBILITIES,
  CONTROL_AREAS,
  CONTROL_SETTINGS,
  CONTROL_STATUSES,
  FLOW_KINDS,
  FLOW_STATUSES,
  RETENTION_EVIDENCE,
} from './vocabulary.js';

publishReference({
  module: 'trust',
  type: 'TrustReference',
  description:
    'The lists by which the trust centre says what holds, what is missing and what is planned.',
  lists: {
    controlAreas: codes('control_area', CONTROL_AREAS),
    controlStatuses: codes('control_status', CONTROL_STATUSES),
    controlSettings: codes('control_setting', CONTROL_SETTINGS),
    answers: codes('answer', ANSWERS),
    artifactStatuses: codes('artifact_status', ARTIFACT_STATUSES),
    artifactVisibilities: codes('artifact_visibility', ARTIFACT_VISIBILITIES),
    retentionEvidence: codes('retention_evidence', RETENTION_EVIDENCE),
    flowNodeKinds: codes('flow_node_kind', FLOW_KINDS),
    flowStatuses: codes('flow_status', FLOW_STATUSES),
  },
});
