import type { KillSwitch, Terms } from './tables.js';

/** The terms of a router that nobody has given others: published, and of version 0. */
export const DEFAULT_TERMS: Terms = {
  origin: 'DEFAULT',
  contractKey: 'default',
  contractVersion: 0,
  mode: 'COST_CONTROLLED',
  qualityFloorBasisPoints: null,
  costMicroMax: null,
  latencyMsMax: null,
  modelsAllowed: [],
  providersAllowed: [],
  pinnedModel: null,
  fallbackModel: null,
  whenNonePasses: 'NEXT_BEST',
  whenUnmeasured: 'REFUSE',
  revenueMicro: null,
  marginBasisPointsMin: null,
  explorationBasisPoints: 0,
  explorationLossBasisPointsMax: 0,
  hysteresisBasisPoints: 0,
};

/** The kill switch of a router that nobody has switched. */
export const SWITCH_ACTIVE: KillSwitch = { state: 'ACTIVE', pinnedModel: null };
