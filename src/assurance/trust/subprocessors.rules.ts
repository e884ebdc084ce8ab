import type { Provider, ProviderModel } from '../../catalog/providers/model.js';
import { JURISDICTIONS, type Jurisdiction } from '../../catalog/providers/vocabulary.js';
import { DATA_CLASSES, type DataClass } from '../../kernel/firewall/vocabulary.js';
import { openRoutes } from '../../routing/data-routes.rules.js';
import type { TrustFacts } from './facts.js';

const CLASSES = DATA_CLASSES.map(({ code }) => code);

/** The classes of data that a route may carry, by the rule that guards the routes. */
export function classesOn(jurisdiction: Jurisdiction): readonly DataClass[] {
  const widest = { hybrid: 'any' } as const;
  return CLASSES.filter((each) => openRoutes(widest, each).includes(jurisdiction));
}

/** A provider as the register of sub-processors shows it. */
export function subprocessorOf(provider: Provider, facts: TrustFacts) {
  const { id, name, operator, homepage, status, statusReason, simulated, models } = provider;
  const hosts = facts.observed.filter(({ providerId }) => providerId === id);
  const routes = JURISDICTIONS.codes.flatMap((jurisdiction) => {
    const served = models.filter((model) => model.jurisdiction === jurisdiction);
    if (served.length === 0) return [];
    const contacted = hosts.filter((host) => host.jurisdiction === jurisdiction);
    return [
      {
        jurisdiction,
        operators: [...new Set(served.map((model: ProviderModel) => model.operator))],
        dataClasses: classesOn(jurisdiction),
        modelCount: served.length,
        observedHosts: [...new Set(contacted.map(({ host }) => host))].sort(),
      },
    ];
  });
  return {
    id,
    name,
    operator,
    homepage,
    status,
    statusReason,
    simulated,
    getsMetadata: facts.toldMetadata.has(id),
    retention: simulated ? ('nothing_leaves' as const) : ('missing' as const),
    observed: hosts.length > 0,
    routes,
  };
}
