import type { EffectivePolicy } from '../../access/policies/rules.js';
import type { Jurisdiction } from '../../catalog/providers/vocabulary.js';
import { fail } from '../../kernel/errors/fail.js';
import type { DataClass } from '../../kernel/firewall/vocabulary.js';
import type { JsonObject } from '../../kernel/json.js';
import { openRoutes } from '../../routing/data-routes.rules.js';
import { remainingDataClass } from '../firewall/finding.js';
import { inspectRequest, type RequestInspection } from '../firewall/inspect.js';
import { maskedLabels } from '../firewall/labels.js';
import type { InferenceRequest } from '../request.js';

/** What the firewall made of a request, and where its data may go. */
export interface Inspected {
  readonly inspection: RequestInspection<JsonObject>;
  /** The class that decides about routes. */
  readonly dataClass: DataClass;
  readonly jurisdictionsAllowed: readonly Jurisdiction[];
}

/**
 * Finds, masks or blocks, and decides which data routes are open.
 * @throws firewall_blocked
 */
export function firewallIn(request: InferenceRequest, policy: EffectivePolicy): Inspected {
  const inspection = inspectRequest(request.body, policy.firewall);
  if (inspection.verdict === 'blocked') {
    const blocked = inspection.findings.filter(
      (finding) => policy.firewall[finding.class] === 'block' && finding.confidence === 'confirmed',
    );
    const classes = [...new Set(blocked.map((finding) => finding.class))];
    fail('firewall_blocked', {
      values: { classes: classes.join(', ') },
      data: { gw_firewall: { verdict: 'blocked', findings: inspection.findings } },
    });
  }
  const dataClass =
    policy.hybrid === 'any'
      ? remainingDataClass(inspection.findings, policy.firewall)
      : inspection.dataClass;
  return { inspection, dataClass, jurisdictionsAllowed: openRoutes(policy, dataClass) };
}

/** The request with labels as its rows may keep them; the same one where nothing was found. */
export function withLabelsMasked(
  request: InferenceRequest,
  { inspection }: Inspected,
  { firewall }: EffectivePolicy,
): InferenceRequest {
  if (inspection.findings.length === 0) return request;
  return { ...request, metadata: maskedLabels(request.metadata, firewall) };
}
