import { bigInteger, fieldTable, instant, list, object, text } from '../../kernel/fields/field.js';

/** A cosignature of a checkpoint. */
export const COSIGNATURE = fieldTable('LogCosignature', 'A witness that cosigned a checkpoint.', {
  witness: text('The name of the witness.'),
  time: instant('When the witness says that it signed.'),
});

/** What a submission left. */
export const SUBMITTED = fieldTable('LogCosignaturesTaken', 'What is kept of a checkpoint.', {
  size: bigInteger('How many leaves the checkpoint has.'),
  cosignatures: list(
    object(COSIGNATURE, 'A cosignature.'),
    'All witnesses that have cosigned it, each with its first cosignature.',
  ),
});

/** A witness that the operator lists. */
export const WITNESS = fieldTable('LogWitness', 'A witness whose cosignatures are accepted.', {
  name: text('The name of the witness, as its signatures say it.'),
  key: text('Its public key as `name+id+key`, for `--witness` of the verifier.'),
});
