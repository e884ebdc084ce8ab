import { AUTO_MODEL } from '../../catalog/providers/vocabulary.js';
import type { Fault } from '../../kernel/errors/fail.js';
import { fault, fits } from '../../kernel/errors/faults.js';
import { nearestNames } from '../../kernel/near-names.js';
import type { AliasesInForce } from './alias-cache.js';

/** An alias that a request has used. */
export interface UsedAlias {
  /** As the client sent it. */
  readonly name: string;
  readonly target: string;
  readonly version: number;
}

/** What begins so is a name of the gateway's own. */
const OWN_PREFIX = 'gw:';
const ROUTE_PREFIX = `${OWN_PREFIX}route/`;

/** Letters, digits, marks, punctuation and inner spaces: nothing that a log would not show. */
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S}]+(?: [\p{L}\p{M}\p{N}\p{P}\p{S}]+)*$/u;

/** True for a name that no alias can have, so that nobody need look for one. */
export function isOwnName(model: string): boolean {
  return model.slice(0, OWN_PREFIX.length).toLowerCase() === OWN_PREFIX;
}

/** The key of the route policy that a target names; undefined for another target. */
export function routePolicyKeyOf(target: string): string | undefined {
  return target.startsWith(ROUTE_PREFIX) ? target.slice(ROUTE_PREFIX.length) : undefined;
}

/**
 * The alias that holds for a model name. A target is never read as an alias again, so there are
 * neither chains nor circles. A callable model keeps its name unless the alias may shadow it.
 */
export function aliasFor(
  aliases: AliasesInForce,
  model: string,
  isCallable: (model: string) => boolean,
): UsedAlias | undefined {
  const found = aliases.get(model);
  if (!found?.terms.active) return undefined;
  const { target, shadowsModel } = found.terms;
  if (isCallable(model) && !shadowsModel) return undefined;
  return { name: model, target, version: found.version };
}

/** The names of aliases in force that are close to a misspelt one, best first, at most three. */
export function nearAliases(aliases: AliasesInForce, model: string): string[] {
  const active = [...aliases].flatMap(([name, { terms }]) => (terms.active ? [name] : []));
  return nearestNames(model, active);
}

/** Every fault of the name of an alias. */
export function aliasNameFaults(path: string, name: string): Fault[] {
  if (isOwnName(name)) {
    return [fault(path, 'invalid', `must not begin with ${OWN_PREFIX}, as the gateway's own do`)];
  }
  return fits(
    path,
    PRINTABLE.test(name),
    'must have printable characters and single spaces inside',
  );
}

/** A callable model keeps its name unless its owner says otherwise. */
export function shadowFaults(path: string, name: string, shadowsModel: boolean): Fault[] {
  const what = `names a model that is served here; only shadowsModel lets an alias stand for it`;
  return fits(
    path,
    shadowsModel,
    `${what}, and without an alias ${name.slice(0, 64)} works as it is`,
  );
}

/** The fault of a target that nothing can be called by; `near` are names that may be meant. */
export function unknownTarget(path: string, near: readonly string[]): Fault {
  const meant = near.length > 0 ? `; did you mean ${near.join(' or ')}?` : '';
  const what = `must be ${AUTO_MODEL}, a model of GET /v1/models or ${ROUTE_PREFIX}<policy key>`;
  return fault(path, 'unknown_value', `${what}${meant}`);
}

/** The fault of a target that names a route policy which is not there. */
export function unknownRoutePolicy(path: string): Fault {
  return fault(path, 'unknown_value', 'names a route policy that your organization does not have');
}

/**
 * What whoever names an unknown model may do, in sentences: near names, or `reason` where it is
 * known why the model cannot be called; gw:auto; and the call that makes the name an alias.
 */
export function unknownModelHint(
  near: readonly string[],
  { reason }: { readonly reason?: string | undefined } = {},
): string {
  const meant = near.length > 0 ? `Did you mean ${near.join(' or ')}?` : 'See GET /v1/models.';
  return (
    `${reason ?? meant} ${AUTO_MODEL} lets the gateway choose. To keep the name in your code, ` +
    'make it an alias: POST /v1/gw/model-aliases with alias and target, in GraphQL ' +
    'modelAliasPublish.'
  );
}
