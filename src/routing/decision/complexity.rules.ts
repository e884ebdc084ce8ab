import type { Features } from './tables.js';
import { COMPLEXITIES, type Complexity } from './vocabulary.js';

/** What makes a request harder, and by how many points. */
interface ComplexitySign {
  readonly code: string;
  readonly description: string;
  readonly points: number;
  readonly applies: (features: Features) => boolean;
}

/** The published signs. Each that applies adds its points. */
export const COMPLEXITY_SIGNS: readonly ComplexitySign[] = [
  {
    code: 'long_input',
    description: 'Its texts have 2,000 tokens or more.',
    points: 1,
    applies: ({ textTokens }) => textTokens >= 2_000,
  },
  {
    code: 'very_long_input',
    description: 'Its texts have 16,000 tokens or more.',
    points: 2,
    applies: ({ textTokens }) => textTokens >= 16_000,
  },
  {
    code: 'long_answer',
    description: 'It asks for answers of up to 4,000 tokens or more.',
    points: 1,
    applies: ({ outputTokensMax }) => (outputTokensMax ?? 0) >= 4_000,
  },
  {
    code: 'conversation',
    description: 'It has eight messages or more.',
    points: 1,
    applies: ({ turns }) => turns >= 8,
  },
  {
    code: 'tools',
    description: 'The model may call tools.',
    points: 2,
    applies: ({ needs }) => needs.includes('tools'),
  },
  {
    code: 'strict_form',
    description: 'The answer must be by a JSON Schema.',
    points: 1,
    applies: ({ needs }) => needs.includes('json_schema'),
  },
  {
    code: 'media',
    description: 'It holds images or sound.',
    points: 1,
    applies: ({ needs }) => needs.includes('vision') || needs.includes('audio'),
  },
  {
    code: 'reasoning',
    description: 'It asks the model to reason.',
    points: 4,
    applies: ({ needs }) => needs.includes('reasoning'),
  },
];

/** How hard a request is, by the sum of points of the signs that apply. */
export function complexityOf(features: Features): Complexity {
  let points = 0;
  for (const sign of COMPLEXITY_SIGNS) if (sign.applies(features)) points += sign.points;
  return COMPLEXITIES.rows.findLast((row) => row.points <= points)?.code ?? 'SIMPLE';
}
