import type { Fault } from '../../kernel/errors/fail.js';
import { fits, present } from '../../kernel/errors/faults.js';
import { inputValues } from '../../kernel/fields/faults.js';
import type { DecisionInputs } from '../decision/decide.rules.js';
import { featuresStated } from '../decision/stated-request.js';
import type { RouteModel } from '../decision/tables.js';
import { SWITCH_ACTIVE } from '../decision/terms.rules.js';
import {
  STATED_TERMS,
  type StatedCandidate,
  type StatedSituation,
  type StatedTerms,
} from './tables.js';
import { modelFaults, type Offer, switchFaults, termFaults } from './terms.rules.js';

/** What no single field of a stated situation tells, with every fault. */
export function situationFaults(stated: StatedSituation): Fault[] {
  const { candidates, terms, killSwitch, incumbent } = stated;
  const offer: Offer = {
    models: new Map(candidates.map(({ model, provider }) => [model, [provider]])),
    providers: candidates.map(({ provider }) => provider),
    inRussia: new Set(
      candidates.filter(({ jurisdiction }) => jurisdiction === 'rf').map(({ model }) => model),
    ),
  };
  const names = candidates.map(({ model }) => model);
  return [
    ...candidates.flatMap((one, at) => {
      const path = `input.candidates.${at}`;
      return [
        ...fits(`${path}.model`, names.indexOf(one.model) === at, 'must be unique'),
        ...intervalFaults(one, path),
      ];
    }),
    ...(terms ? [...termFaults(terms, offer, 'input.terms'), ...marginFaults(terms)] : []),
    ...(killSwitch ? switchFaults(killSwitch, offer, 'input.killSwitch') : []),
    ...(incumbent === null ? [] : modelFaults('input.incumbent', incumbent, offer)),
  ];
}

/** A whole situation says what its request earns, or its margin would judge nothing. */
function marginFaults({ revenueMicro, marginBasisPointsMin }: StatedTerms): Fault[] {
  if (marginBasisPointsMin === null) return [];
  return present('input.terms.revenueRub', revenueMicro, 'is needed for a margin');
}

function intervalFaults(one: StatedCandidate, path: string): Fault[] {
  const { qualityBasisPoints: quality } = one;
  const { qualityLowBasisPoints: low, qualityHighBasisPoints: high } = one;
  return [
    ...fits(`${path}.qualityLowBasisPoints`, (low ?? quality) <= quality, 'lies above the quality'),
    ...fits(
      `${path}.qualityHighBasisPoints`,
      (high ?? quality) >= quality,
      'lies below the quality',
    ),
  ];
}

/** A stated situation as the router reads one. */
export function statedInputs(stated: StatedSituation): DecisionInputs {
  const { candidates, jurisdictionsAllowed, killSwitch, incumbent, seed } = stated;
  const terms = stated.terms ?? inputValues(STATED_TERMS.fields, {});
  return {
    features: { ...featuresStated(stated), jurisdictionsAllowed, modelsAllowed: null },
    situation: {
      useCase: 'stated',
      terms: {
        ...terms,
        whenUnmeasured: terms.whenUnmeasured ?? 'REFUSE',
        origin: 'DECLARED',
        contractKey: 'stated',
        contractVersion: 0,
      },
      killSwitch: killSwitch ?? SWITCH_ACTIVE,
      models: candidates.map(statedModel),
      ties: 'RUSSIA_FIRST',
    },
    incumbent,
    seed,
  };
}

/** An image costs what the published rule of tiles says. */
const IMAGE_TOKENS_MAX = 2_000_000_000;

function statedModel(stated: StatedCandidate): RouteModel {
  const { model, operation, isSimulated, qualityBasisPoints, provider, ...rest } = stated;
  const { qualitySource, samples, latencyMs, accepted, rejected } = rest;
  const { jurisdiction, capabilities, contextWindow, maxOutputTokens, isHealthy } = rest;
  const { inputMicroPerMillion, outputMicroPerMillion } = rest;
  return {
    model,
    operation,
    isSimulated,
    qualityBasisPoints,
    qualityLowBasisPoints: rest.qualityLowBasisPoints ?? qualityBasisPoints,
    qualityHighBasisPoints: rest.qualityHighBasisPoints ?? qualityBasisPoints,
    qualitySource,
    samples,
    latencyMs,
    accepted,
    rejected,
    answeredBasisPoints: null,
    deployments: [
      {
        deployment: `${provider}:${model}`,
        provider,
        jurisdiction,
        capabilities,
        contextWindow,
        maxOutputTokens,
        imageTokensMax: IMAGE_TOKENS_MAX,
        imageTokensLowMax: IMAGE_TOKENS_MAX,
        priceFrom: null,
        inputMicroPerMillion,
        outputMicroPerMillion,
        isHealthy,
      },
    ],
  };
}
