import { vocabulary } from '../../kernel/vocabulary.js';

/** What asking the past again came to. */
export const WHAT_IF_VERDICTS = vocabulary(
  'RoutingWhatIfVerdict',
  'What asking past decisions again came to.',
  [
    { code: 'IDENTICAL', description: 'Every decision comes out as it was.' },
    { code: 'DIFFERENT', description: 'Some come out otherwise, and the data carries how much.' },
    {
      code: 'CANNOT_CONCLUDE',
      description: 'Some come out otherwise, and the data does not carry what that means.',
    },
    { code: 'cannot_certify', description: 'Nothing was decided in the window.' },
  ],
);

/** What making recorded decisions again showed. */
export const REPLAY_VERDICTS = vocabulary(
  'RoutingReplayVerdict',
  'What making recorded decisions again showed.',
  [
    { code: 'IDENTICAL', description: 'Every recorded decision comes out again as it was.' },
    { code: 'DIFFERENT', description: 'Some do not, or what they were made from is damaged.' },
    { code: 'cannot_certify', description: 'Nothing was decided in the window.' },
  ],
);

/** Which estimates of quality past decisions are asked again with. */
export const WHAT_IF_SCORECARDS = vocabulary(
  'RoutingWhatIfScorecards',
  'Which scorecards past decisions are asked again with.',
  [
    { code: 'RECORDED', description: 'Those of the time of each decision.' },
    { code: 'CURRENT', description: 'Those of today, outcomes included.' },
  ],
);

/** Windows are of thirty days where nothing else is asked. */
export const WINDOW_DAYS = 30;
/** So many differing decisions are named. */
export const NAMED_MAX = 100;
