import { z } from 'zod';
import { dataFile } from '../../platform/data-file.js';
import { KEY_HOURS } from '../../records/idempotency-statements.js';
import { inventoryText, unreadText } from './contents.rules.js';
import type { TrustFacts } from './facts.js';
import {
  CONTROL_AREAS,
  CONTROL_SETTINGS,
  type ControlSetting,
  type ControlStatus,
} from './vocabulary.js';

const PATHS = z.array(z.string().regex(/^(src|test|prisma)\/[\w./-]+$/)).default([]);
const CONTROL = z.strictObject({
  code: z.string().regex(/^[a-z][a-z0-9_]*$/),
  area: z.enum(CONTROL_AREAS.codes),
  title: z.string().min(1),
  statement: z.string().min(1),
  setting: z.enum(CONTROL_SETTINGS.codes).optional(),
  enforced_in: PATHS,
  proven_by: PATHS,
  roadmap: z.literal(true).optional(),
});
const FILE = z.strictObject({ controls: z.array(CONTROL).min(1) });

/** Every control, in the order of the file, with the figures and lists that the code decides by. */
export const CONTROL_ROWS = dataFile('src/assurance/trust/controls.yaml', FILE).controls.map(
  (row) => ({
    ...row,
    statement: row.statement
      .replace('{inventory}', inventoryText())
      .replace('{unread}', unreadText())
      .replace('{key_hours}', String(KEY_HOURS)),
  }),
);

/** A control as it holds on this server. */
export interface Control {
  readonly code: string;
  readonly area: (typeof CONTROL_ROWS)[number]['area'];
  readonly title: string;
  readonly statement: string;
  readonly status: ControlStatus;
  readonly setting: ControlSetting | null;
  readonly enforcedIn: readonly string[];
  readonly provenBy: readonly string[];
}

/** What holds of each control: by the code, by a setting, or not. */
export function controlsOf({ settings }: Pick<TrustFacts, 'settings'>): readonly Control[] {
  return CONTROL_ROWS.map(({ setting, roadmap, enforced_in, proven_by, ...row }) => ({
    ...row,
    setting: setting ?? null,
    status: roadmap ? 'roadmap' : statusBy(setting && settings[setting]),
    enforcedIn: enforced_in,
    provenBy: proven_by,
  }));
}

function statusBy(isSet: boolean | undefined): ControlStatus {
  if (isSet === undefined) return 'enforced';
  return isSet ? 'in_force' : 'not_in_force';
}

/** Whether a control can be relied on now. */
export function holds({ status }: Pick<Control, 'status'>): boolean {
  return status === 'enforced' || status === 'in_force';
}
