import { CLASS_MEMBERS, meansDataClass } from '../../kernel/firewall/data-class.rules.js';
import { DATA_CLASSES } from '../../kernel/firewall/vocabulary.js';
import { asObject, type JsonObject } from '../../kernel/json.js';
import type { Findings } from './findings.js';
import { oneOf } from './shape.js';

/** A class of data, by its code. */
export const DATA_CLASS_SHAPE = oneOf(...DATA_CLASSES.map(({ code }) => code));

/** Members of a body below which clients put what belongs into the body, or into its headers. */
const MISPLACING = ['extra_body', 'extra_headers', 'headers'] as const;

/**
 * Notes what states no class in a body though it means to: a value that is no class, and a name
 * that nobody reads, be it misspelt or in the wrong place. What is null states nothing.
 */
export function checkStatedClass(body: JsonObject, found: Findings): void {
  for (const name in body) checkMember(name, body[name], true, found);
  const { metadata, messages } = body;
  within('metadata', metadata, found, checkMetadata);
  if (Array.isArray(messages)) within('messages', messages, found, checkMessages);
  for (const name of MISPLACING) within(name, body[name], found, refuseBelow);
}

function checkMetadata(metadata: unknown, found: Findings): void {
  const given = asObject(metadata) ?? {};
  for (const [name, value] of Object.entries(given)) {
    // The shape of the metadata has judged its own member.
    if (name !== 'data_class') checkMember(name, value, true, found);
    within(name, value, found, refuseBelow);
  }
}

function checkMessages(messages: unknown, found: Findings): void {
  for (const [index, value] of (messages as readonly unknown[]).entries()) {
    const message = asObject(value);
    if (!message) continue;
    found.enter(index);
    for (const name in message) checkMember(name, message[name], false, found);
    within('metadata', message.metadata, found, refuseBelow);
    found.leave();
  }
}

/** Nothing states a class anywhere below. */
function refuseBelow(value: unknown, found: Findings): void {
  if (typeof value !== 'object' || value === null || found.isFull) return;
  for (const [name, member] of Object.entries(value)) {
    checkMember(name, member, false, found);
    within(name, member, found, refuseBelow);
  }
}

function checkMember(name: string, value: unknown, isPlace: boolean, found: Findings): void {
  if (value == null || !meansDataClass(name)) return;
  found.enter(name);
  if (isPlace && CLASS_MEMBERS.has(name)) DATA_CLASS_SHAPE.check(value, found);
  else found.add('unknown_value', 'is not read: state the class in metadata.data_class');
  found.leave();
}

function within(
  step: string,
  value: unknown,
  found: Findings,
  check: (value: unknown, found: Findings) => void,
): void {
  if (typeof value !== 'object' || value === null) return;
  found.enter(step);
  check(value, found);
  found.leave();
}
