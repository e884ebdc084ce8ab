import { builder } from '../graph/builder.js';
import { enumOf, inputOf, shownFields } from '../graph/table-types.js';
import { sharedNowMs } from '../kernel/clock.js';
import { type Fault, failOnFaults } from '../kernel/errors/fail.js';
import { type GivenValues, inputFaults, inputValues } from '../kernel/fields/faults.js';
import {
  allOptional,
  type Fields,
  type FieldTable,
  fieldTable,
  list,
  optional,
  text,
  type ValuesOf,
} from '../kernel/fields/field.js';
import { declared, PROVENANCES, type Sourced } from '../kernel/provenance.js';
import { moscowDay } from '../kernel/time.js';
import { whenEnough } from '../kernel/verdict.js';

/** What is answered instead where the evidence does not suffice. */
export interface FailClosed<I> {
  /** The verdict, one of those that the answer's own field `verdict` may have. */
  readonly otherwise: string;
  readonly reason: string;
  /** The evidence that the input lacks; the rule is reached only where it lacks none. */
  readonly missing: (input: I) => readonly string[];
}

/** What a module says of a calculator on stated figures. */
export interface WhatIf<I extends Fields, O extends Fields> {
  /** The query, such as `priceQuote`. */
  readonly field: string;
  readonly description: string;
  readonly input: FieldTable<I>;
  readonly output: FieldTable<O>;
  /** Faults that no single field has, by argument paths below `input`. */
  readonly faults?: (input: ValuesOf<I>) => readonly Fault[];
  readonly failClosed?: FailClosed<ValuesOf<I>>;
  /** The rule, which serves what is measured as well. `day` is the day of asking in Moscow. */
  readonly rule: (input: ValuesOf<I>, day: string) => ValuesOf<O> | Promise<ValuesOf<O>>;
}

const REFUSED = {
  reason: optional(text('Why the figures do not suffice; null where they do.')),
  needed: list(text('A missing part.'), 'What would have to be known; empty where all is.'),
} as const;
/** A refusal leaves every figure null; that it refuses is always said. */
function refusable({ verdict, ...figures }: Fields): Fields {
  if (!verdict) throw new TypeError('an answer that may refuse has a field `verdict`');
  return { verdict, ...allOptional(figures), ...REFUSED };
}

const STATED = 'The figures, as the caller states them.';

/**
 * Publishes a pure rule as a query on figures that the caller states. Its answer says so: it is
 * `declared` and never authoritative, and where evidence is missing it refuses.
 */
export function whatIf<I extends Fields, O extends Fields>(definition: WhatIf<I, O>): void {
  const { field, description, input, output, failClosed } = definition;
  const shown: Fields = failClosed ? refusable(output.fields) : output.fields;
  fieldTable(output.name, output.description, shown);
  const type = builder.objectRef<Sourced<ValuesOf<Fields>>>(output.name).implement({
    description: output.description,
    fields: (t) => ({
      ...(shownFields(t, shown, ({ value }: Sourced<ValuesOf<Fields>>) => value) as object),
      authoritative: t.boolean({
        description: 'False: a projection of stated figures, not a bill and not a measurement.',
        resolve: () => false,
      }),
      provenance: t.field({
        type: enumOf(PROVENANCES),
        description: 'Where the figures come from: `declared`, since the caller has stated them.',
        resolve: ({ provenance }) => provenance,
      }),
    }),
  });
  builder.queryField(field, (t) =>
    t.field({
      type,
      description,
      complexity: { field: 1, multiplier: 1 },
      args: {
        input: t.arg({ type: inputOf(input as never), required: true, description: STATED }),
      },
      resolve: (_root, args) => answer(definition, args.input as GivenValues),
    }),
  );
}

async function answer<I extends Fields, O extends Fields>(
  { input, faults = () => [], failClosed, rule }: WhatIf<I, O>,
  given: GivenValues,
): Promise<Sourced<ValuesOf<Fields>, 'declared'>> {
  const values = inputValues(input.fields, given);
  failOnFaults(inputFaults(input.fields, values, 'input'));
  failOnFaults(faults(values));
  const today = moscowDay(sharedNowMs());
  if (!failClosed) return declared((await rule(values, today)) as ValuesOf<Fields>);
  const { otherwise, reason, missing } = failClosed;
  const enough = { value: values, missing: missing(values) };
  const found = await whenEnough(enough, { otherwise, reason }, async (known) => ({
    ...(await rule(known, today)),
    reason: null,
    needed: [],
  }));
  return declared(found as unknown as ValuesOf<Fields>);
}
