import { createHash } from 'node:crypto';
import { canonicalJson, type Sealable } from '../../kernel/canonical.js';
import { fail } from '../../kernel/errors/fail.js';
import { nearestNames } from '../../kernel/near-names.js';
import type { Manifest } from './manifest.js';
import { CALL_QUALITY_CONTROL } from './manifests/call-quality-control.js';
import { CONTRACT_REVIEW } from './manifests/contract-review.js';
import { CRM_CALL_SUMMARY } from './manifests/crm-call-summary.js';
import { CRM_LEAD_QUALIFICATION } from './manifests/crm-lead-qualification.js';
import { ECOMMERCE_PRODUCT_DESCRIPTION } from './manifests/ecommerce-product-description.js';
import { EMPLOYEE_ASSISTANT } from './manifests/employee-assistant.js';
import { FINANCE_PAYMENT_PURPOSE } from './manifests/finance-payment-purpose.js';
import { HR_RESUME_SCREENING } from './manifests/hr-resume-screening.js';
import { INVOICE_EXTRACTION } from './manifests/invoice-extraction.js';
import { MARKETING_CAMPAIGN_COPY } from './manifests/marketing-campaign-copy.js';
import { PROCUREMENT_OFFER_COMPARISON } from './manifests/procurement-offer-comparison.js';
import { RAG_KNOWLEDGE_ASSISTANT } from './manifests/rag-knowledge-assistant.js';
import { SUPPORT_TICKET_REPLY } from './manifests/support-ticket-reply.js';
import { SUPPORT_TICKET_TRIAGE } from './manifests/support-ticket-triage.js';
import { TENDER_DOCUMENT_ANALYSIS } from './manifests/tender-document-analysis.js';
import type { Category } from './vocabulary.js';

/** Every blueprint, in the order of the catalogue. */
export const BLUEPRINTS: readonly Manifest[] = [
  CRM_LEAD_QUALIFICATION,
  CRM_CALL_SUMMARY,
  RAG_KNOWLEDGE_ASSISTANT,
  TENDER_DOCUMENT_ANALYSIS,
  CONTRACT_REVIEW,
  INVOICE_EXTRACTION,
  CALL_QUALITY_CONTROL,
  SUPPORT_TICKET_REPLY,
  SUPPORT_TICKET_TRIAGE,
  HR_RESUME_SCREENING,
  ECOMMERCE_PRODUCT_DESCRIPTION,
  FINANCE_PAYMENT_PURPOSE,
  PROCUREMENT_OFFER_COMPARISON,
  MARKETING_CAMPAIGN_COPY,
  EMPLOYEE_ASSISTANT,
];

const BY_ID = new Map(BLUEPRINTS.map((manifest) => [manifest.id, manifest]));

/** The blueprints of a category, or all. */
export function blueprintsOf(category: Category | undefined): readonly Manifest[] {
  return BLUEPRINTS.filter((each) => category === undefined || each.category === category);
}

/** True for the ids of the server's own blueprints. */
export function isBuiltIn(id: string): boolean {
  return BY_ID.has(id);
}

/**
 * The blueprint of the server that has this id.
 * @throws blueprint_unknown, which names near ids
 */
export function blueprintById(id: string): Manifest {
  const found = BY_ID.get(id);
  if (found) return found;
  const near = nearestNames(id, BY_ID.keys());
  const hint =
    near.length > 0 ? `Did you mean ${near.join(' or ')}?` : 'See GET /v1/gw/blueprints.';
  return fail('blueprint_unknown', { values: { id, hint }, param: 'id' });
}

/** The sha256 of the manifest as canonical JSON: runs and deployments name it. */
export function manifestHash(manifest: Manifest): Uint8Array<ArrayBuffer> {
  const text = canonicalJson(manifest as unknown as Sealable);
  return new Uint8Array(createHash('sha256').update(text, 'utf8').digest());
}
