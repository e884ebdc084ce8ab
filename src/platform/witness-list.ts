import { NOTE_KEYS, readVerifierKey, type VerifierKey } from '../kernel/signed-note.js';
import { hostOf, isAmong, isPublicHost } from './network/public-address.js';

/** Who cosigns the logs of this installation from outside. */
export interface Witness extends VerifierKey {
  /** Where it is asked to cosign; undefined for one that brings its cosignatures itself. */
  readonly url: string | undefined;
}

/** The most witnesses of an installation. */
export const WITNESSES_MAX = 16;

/** An entry: a key, and after an @ the address of the witness. */
const ENTRY = /^(.*?)(?:@(https?:\/\/.*))?$/;

/**
 * Reads a list of witnesses, separated by commas or spaces, each `name+id+key` or
 * `name+id+key@https://address`.
 * @param hostsAllowed hosts inside that may be called, also over http
 * @returns the witnesses, or everything that is wrong, each as a sentence
 */
export function witnessesIn(
  list: string,
  hostsAllowed: ReadonlySet<string>,
): { readonly witnesses: readonly Witness[]; readonly faults: readonly string[] } {
  const entries = list.split(/[\s,]+/).filter(Boolean);
  const faults: string[] = [];
  const witnesses: Witness[] = [];
  for (const entry of entries) {
    const [, text = '', url] = ENTRY.exec(entry) ?? [];
    const key = readVerifierKey(text, NOTE_KEYS.cosignature);
    const fault = typeof key === 'string' ? key : urlFault(url, hostsAllowed);
    if (fault !== undefined) faults.push(`"${entry}" ${fault}`);
    if (typeof key !== 'string') witnesses.push({ ...key, url: url?.replace(/\/+$/, '') });
  }
  faults.push(...repeated(witnesses));
  if (entries.length > WITNESSES_MAX) faults.push(`lists more than ${WITNESSES_MAX} witnesses`);
  return { witnesses, faults };
}

/** A cosignature does not name its witness, so one key would count as two of them. */
function repeated(witnesses: readonly Witness[]): string[] {
  return witnesses.flatMap((each, place) => {
    const before = witnesses.slice(0, place);
    const isThere = before.some(({ publicKey }) => publicKey.equals(each.publicKey));
    return isThere ? [`"${each.text}" repeats a key; each witness needs its own`] : [];
  });
}

function urlFault(text: string | undefined, hostsAllowed: ReadonlySet<string>) {
  if (text === undefined) return undefined;
  if (!URL.canParse(text)) return 'has an address that is not a URL';
  const url = new URL(text);
  if (url.username || url.password || url.search || url.href.includes('#')) {
    return 'has an address with a user, a query or a fragment';
  }
  if (isAmong(hostOf(url), hostsAllowed)) return undefined;
  if (url.protocol === 'https:' && isPublicHost(hostOf(url))) return undefined;
  return 'has an address that is not public and https; GW_WEBHOOK_ALLOW allows hosts inside';
}
