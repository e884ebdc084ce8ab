import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { ownList } from '../../graph/own-list.js';
import { argsOf, outputOf, storedFields } from '../../graph/table-types.js';
import {
  bigInteger,
  defaulting,
  instant,
  integer,
  optional,
  text,
  uuid,
} from '../../kernel/fields/field.js';
import { NOTE_LENGTH_MAX } from '../../kernel/signed-note.js';
import {
  noteOfCheckpoint,
  publicNote,
  publishLog,
  submitCosignatures,
  unpublishLog,
  witnessRequest,
} from './publication.js';
import { logKeyOf } from './published-logs.js';
import { SUBMITTED, WITNESS } from './tables.js';

const NAME = { name: text('The last part of the origin of the log.', { max: 64 }) };
/** A note takes a signature and the look at a few tiles. */
const COMPLEXITY = { field: 10, multiplier: 1 } as const;

const LogPublication = builder.prismaNode('LogPublication', {
  id: { field: 'id', description: 'The id of the publication.' },
  description: 'The transparency log of the organization as it is public for witnesses.',
  fields: (t) => ({
    ...storedFields(t, {
      name: text('The last part of its address; nobody can guess it.'),
      origin: text('The name of the log in its notes: their first line.'),
    }),
    key: t.string({
      description: 'The public key of the log as `name+id+key`: what a witness is set up with.',
      select: { origin: true, publicKey: true },
      resolve: (publication) => logKeyOf(publication),
    }),
    ...storedFields(t, {
      createdAt: instant('When it became public.'),
      endedAt: optional(instant('When its publication ended; null while it is public.')),
    }),
  }),
});

ownList({
  field: 'logPublications',
  type: LogPublication,
  description: 'Publications of the transparency log, the latest first; at most one is open.',
  permission: 'transparency.read',
});

builder.queryFields((t) => ({
  logWitnesses: t.field({
    type: [outputOf(WITNESS)],
    description: 'The witnesses whose cosignatures this installation accepts.',
    resolve: (_root, _args, { services }) =>
      services.config.witnesses.map(({ name, text: key }) => ({ name, key })),
  }),
  logCheckpointNote: t.string({
    description:
      'A checkpoint of the published log as a signed note (c2sp.org/tlog-checkpoint): signed by ' +
      'the log, then by each witness that has cosigned it.',
    authScopes: { can: 'transparency.read' },
    complexity: COMPLEXITY,
    args: argsOf(t, { id: uuid('The checkpoint that is read.') }),
    resolve: (_root, { id }, ctx) => noteOfCheckpoint(authorized(ctx), id),
  }),
  publicLogCheckpoint: t.string({
    description:
      'The latest checkpoint of a published log as a signed note, for everybody who has its name.',
    complexity: COMPLEXITY,
    args: argsOf(t, {
      ...NAME,
      cosignaturesMin: defaulting(
        integer('Only a checkpoint that at least this many witnesses have cosigned.'),
        0,
      ),
    }),
    resolve: (_root, { name, cosignaturesMin }, ctx) => publicNote(ctx, name, cosignaturesMin),
  }),
  publicLogGrowth: t.string({
    description:
      'What a witness that knows a published log at a size verifies before it cosigns the latest ' +
      'checkpoint: the body of `add-checkpoint` (c2sp.org/tlog-witness).',
    complexity: COMPLEXITY,
    args: argsOf(t, {
      ...NAME,
      old: defaulting(bigInteger('How many leaves the witness knows; 0 for none.'), 0n),
    }),
    resolve: (_root, { name, old }, ctx) => witnessRequest(ctx, name, old),
  }),
}));

builder.mutationFields((t) => ({
  logPublish: t.field({
    type: LogPublication,
    description:
      'Makes the checkpoints of the transparency log public for witnesses, at an address that ' +
      'nobody can guess. Public are the size and the root; no leaf and no name.',
    authScopes: { can: 'transparency.publish' },
    resolve: (_root, _args, ctx) => publishLog(authorized(ctx)) as never,
  }),
  logUnpublish: t.field({
    type: LogPublication,
    description:
      'Ends the publication of the transparency log. A later one has another address and key.',
    authScopes: { can: 'transparency.publish' },
    args: argsOf(t, { id: uuid('The publication that ends.') }),
    resolve: (_root, { id }, ctx) => unpublishLog(authorized(ctx), id) as never,
  }),
  logCosignaturesSubmit: t.field({
    type: outputOf(SUBMITTED),
    description:
      'Takes what listed witnesses have signed of a published checkpoint. Everybody may bring ' +
      'it: only signatures by the listed keys count.',
    args: argsOf(t, {
      ...NAME,
      note: text('The note of the checkpoint with the cosignatures.', { max: NOTE_LENGTH_MAX }),
    }),
    resolve: (_root, { name, note }, ctx) => submitCosignatures(ctx, name, note),
  }),
}));
