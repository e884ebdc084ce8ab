import type { ExportedEvent } from '../../records/audit-chain.js';

/** Members of an event by the keys of CEF: its own where it has one, else ours. */
const KEYS: readonly (readonly [key: string, member: keyof ExportedEvent])[] = [
  ['externalId', 'id'],
  ['act', 'action'],
  ['suid', 'actor_id'],
  ['gwActorKind', 'actor_kind'],
  ['gwTenantId', 'tenant_id'],
  ['gwPosition', 'position'],
  ['gwSubject', 'subject'],
  ['gwSubjectId', 'subject_id'],
  ['gwBeforeHash', 'before_hash'],
  ['gwAfterHash', 'after_hash'],
  ['gwRequestId', 'request_id'],
  ['gwPreviousHash', 'previous_hash'],
  ['gwChainHash', 'chain_hash'],
];

/** An event as a line of the Common Event Format, version 0. Absent members are null. */
export function cefLine(event: ExportedEvent): string {
  const name = escaped(event.action, /[\\|]/g);
  const parts = KEYS.flatMap(([key, member]) => {
    const value = event[member];
    return value === null ? [] : [`${key}=${escaped(String(value), /[\\=]/g)}`];
  });
  const time = `rt=${Date.parse(event.created_at)}`;
  return `CEF:0|LLM gateway|audit trail|1|${name}|${name}|3|${[time, ...parts].join(' ')}`;
}

function escaped(text: string, special: RegExp): string {
  return text.replace(special, '\\$&').replaceAll('\r', '\\r').replaceAll('\n', '\\n');
}
