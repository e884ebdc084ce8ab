import { flag } from './field.js';

/** The field of whatever may have lost its personal data. */
export const ERASED_FIELD = {
  erased: flag(
    'True where the organization has erased its personal data: what it was in is null then.',
  ),
} as const;
