import type { RequestHandler, Response } from 'express';
import { newId } from '../../kernel/ids.js';

/** What a page of text may load: style, pictures and the script of its copy buttons. */
const TEXT_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; " +
  "form-action 'none'; frame-ancestors 'none'";

/**
 * What the two tools may load: their own files, and styles and pictures that they make
 * themselves. They talk to this server alone; no address outside is in the list.
 */
const TOOL_POLICY =
  "default-src 'none'; script-src 'self'; worker-src 'self'; connect-src 'self'; " +
  "style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Headers of everything that is opened in a browser; each answer has an id of its own. */
export const commonHeaders: RequestHandler = (_request, response, next) => {
  response.set({
    'x-request-id': newId('Request'),
    'content-security-policy': TEXT_POLICY,
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    // Pages show the address that the caller used: whoever keeps one asks before showing it again.
    'cache-control': 'no-cache',
  });
  next();
};

/** Lets the page run the scripts that this server holds. */
export function allowTool(response: Response): Response {
  return response.set('content-security-policy', TOOL_POLICY);
}

/** Lets programs on pages of other hosts read a machine-readable document. */
export function allowEveryone(response: Response): Response {
  return response.set({
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
  });
}

/** Keeps what only a secret link shows out of caches and of what searches. */
export function keepPrivate(response: Response): Response {
  return response.set({ 'cache-control': 'no-store', 'x-robots-tag': 'noindex, nofollow' });
}
