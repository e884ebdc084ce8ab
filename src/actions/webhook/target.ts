import type { Fault } from '../../kernel/errors/fail.js';
import { fault } from '../../kernel/errors/faults.js';
import type { Config } from '../../platform/config.js';
import {
  hostOf,
  isAmong,
  isPublicAddress,
  isPublicHost,
} from '../../platform/network/public-address.js';

/** Longest address of an endpoint, in characters. */
const WEBHOOK_URL_LENGTH_MAX = 2_048;

/** Ports below 1024 belong to services that speak something else; https has this one. */
const HTTPS_PORT = 443;
const OPEN_PORT_MIN = 1_024;

/** What webhooks may call besides the public internet. */
export type WebhookAllowance = Pick<Config, 'webhookHostsAllowed'>;

/** An endpoint whose address follows the rules. */
export interface WebhookTarget {
  readonly url: URL;
  /** The operator allows this host by name, so its addresses are not judged. */
  readonly hostAllowed: boolean;
}

interface UrlRule {
  readonly message: string;
  readonly breaks: (target: WebhookTarget, host: string) => boolean;
}

/**
 * The rules for the address of an endpoint, in the order in which they are named. They see the URL
 * as the WHATWG parser normalised it: decimal, octal and hexadecimal forms of addresses, full-width
 * letters and percent signs have become what they mean.
 */
const URL_RULES: readonly UrlRule[] = [
  {
    message: 'must begin with https://',
    breaks: ({ url, hostAllowed }) =>
      url.protocol !== 'https:' && !(hostAllowed && url.protocol === 'http:'),
  },
  {
    message: 'must not hold a user name or a password',
    breaks: ({ url }) => url.username !== '' || url.password !== '',
  },
  {
    message: 'must not have a fragment',
    breaks: ({ url }) => url.href.includes('#'),
  },
  {
    message: `must have port ${HTTPS_PORT} or one from ${OPEN_PORT_MIN}`,
    breaks: ({ url, hostAllowed }) => !hostAllowed && !isOpenPort(url.port),
  },
  {
    message: 'must name a host of the public internet',
    breaks: ({ hostAllowed }, host) => !hostAllowed && !isPublicHost(host),
  },
];

/** The endpoint of a URL, or everything that is wrong with the URL, as clauses. */
export function webhookTarget(
  text: string,
  allowance: WebhookAllowance,
): WebhookTarget | readonly string[] {
  if (text.length > WEBHOOK_URL_LENGTH_MAX) {
    return [`must have at most ${WEBHOOK_URL_LENGTH_MAX} characters`];
  }
  if (!URL.canParse(text)) return ['must be a URL such as https://api.example.com/hook'];
  const url = new URL(text);
  const host = hostOf(url);
  const target = { url, hostAllowed: isAmong(host, allowance.webhookHostsAllowed) };
  const broken = URL_RULES.filter((rule) => rule.breaks(target, host));
  return broken.length === 0 ? target : broken.map(({ message }) => message);
}

/**
 * What is wrong with the URL of an endpoint, as far as it can be told without asking for its
 * addresses; those are judged at each call.
 * @param path the field as the caller wrote it
 */
export function webhookUrlFaults(path: string, text: string, allowance: WebhookAllowance): Fault[] {
  const judged = webhookTarget(text, allowance);
  if (!Array.isArray(judged)) return [];
  return judged.map((clause: string) => fault(path, 'invalid', clause));
}

/** True where a connection to this address may be made on behalf of a webhook. */
export function mayConnect(address: string, allowance: WebhookAllowance): boolean {
  return isPublicAddress(address) || isAmong(address, allowance.webhookHostsAllowed);
}

function isOpenPort(port: string): boolean {
  const number = port === '' ? HTTPS_PORT : Number(port);
  return number === HTTPS_PORT || number >= OPEN_PORT_MIN;
}
