import { createHash } from 'node:crypto';
import { loadTokenizer } from '../../../catalog/providers/tokenizer.js';
import type { JournalEntry, Prompt, PromptVersion } from '../../../generated/prisma/client.js';
import type { AuthorizedCtx } from '../../../graph/ctx.js';
import { database } from '../../../graph/database.js';
import { canonicalJson, type Sealable } from '../../../kernel/canonical.js';
import { sharedNowMs } from '../../../kernel/clock.js';
import { failOnFaults } from '../../../kernel/errors/fail.js';
import { sealedContent } from '../../../kernel/fields/sealed.js';
import type { JsonObject } from '../../../kernel/json.js';
import { moscowDay } from '../../../kernel/time.js';
import { change } from '../../../records/change.js';
import { appendEntry } from '../../../records/journals.js';
import { requireOwn } from '../../../records/own.js';
import { readContextRules } from '../../context-policies/input.rules.js';
import { readPack } from '../../context-policies/pack-json.rules.js';
import { evaluatePack } from '../../context-policies/service.js';
import { evidenceOf } from '../../evaluations/evidence.js';
import { EVIDENCE } from '../../evaluations/evidence-tables.js';
import { readSamples } from '../content.rules.js';
import { GATE_JOURNAL } from '../journal.js';
import { contentOf, requireVersion, stageToPromote } from '../stored.js';
import type { StatedSamples } from '../tables.js';
import type { PromptContent } from '../vocabulary.js';
import { type ContextFinding, type GateResult, runGate } from './gate.rules.js';
import type { NamedModel } from './models.rules.js';
import { GATE_RECEIPTS, type GateRun } from './receipt.js';
import { type GateFindings, RUN_FIELDS } from './tables.js';

/**
 * A gate run, as it is asked for: outputs that are given are judged beside those of the version,
 * values and a context pack take the place of its own.
 */
export interface GateOrder extends StatedSamples {
  /** Default: the version that a promotion without a version takes. */
  readonly version?: number | null;
}

/**
 * Runs the gate of a version and seals its receipt. The same version under the same samples,
 * models, prices, policies and recorded evaluations has one receipt: a run that repeats it returns
 * that one.
 * @throws invalid_request, not_found, prompt_without_version
 */
export async function testPrompt(
  ctx: AuthorizedCtx,
  id: string,
  order: GateOrder,
): Promise<JournalEntry> {
  const prompt = await requireOwn(ctx, 'Prompt', id);
  const number = (await stageToPromote(database(ctx), prompt, order.version)).version;
  const version = await requireVersion(ctx, id, number);
  const own = contentOf(version);
  const content = withSamples(own, order);
  const { named, facts } = await namedModels(ctx, content);
  const context = await contextOf(ctx, prompt, content);
  const { count: countTokens } = await loadTokenizer();
  const ownOutputs = own.samples.outputs.length;
  const evidence = await evidenceOf(ctx, prompt, version);
  const { finding } = context;
  const result = runGate({ content, ownOutputs, named, countTokens, context: finding, evidence });
  const recorded = sealedContent(EVIDENCE.fields, evidence);
  const inputs = { samples: content.samples, models: facts, context: context.facts, recorded };
  const key = `${version.id}:${sha256(canonicalJson(inputs as unknown as Sealable))}`;
  const findings = findingsOf(prompt, version, result, context);
  return change(ctx, { action: 'promptTest', subject: 'PromptVersion' }, async (tx) => {
    const receipt = await GATE_RECEIPTS.seal(ctx, key, findings, { tx });
    const run: GateRun = {
      ...receipt.content,
      receiptId: receipt.id,
      sha256: Buffer.from(receipt.row.sha256).toString('hex'),
      alreadySealed: receipt.alreadySealed,
    };
    const body = sealedContent(RUN_FIELDS, run);
    const event = { value: run.gateStatus, subject: id, body };
    const { entry } = await appendEntry(ctx, GATE_JOURNAL, event, { tx });
    const after = { receipt_id: receipt.id, gate_status: run.gateStatus };
    return { result: entry, id: version.id, after };
  });
}

/**
 * The content with the samples of a gate run. Its own outputs stay: a run that brings others cannot
 * hide one that is against the schema.
 */
function withSamples(content: PromptContent, order: GateOrder): PromptContent {
  const { value, faults } = readSamples(order, '');
  failOnFaults(faults);
  const own = content.samples;
  return {
    ...content,
    samples: {
      variables: order.sampleVariables == null ? own.variables : value.variables,
      outputs: order.sampleOutputs == null ? own.outputs : [...own.outputs, ...value.outputs],
      context_pack: order.contextPack == null ? own.context_pack : value.context_pack,
    },
  };
}

/** What is known of the models that the variants name, with the facts that decide of it. */
async function namedModels(ctx: AuthorizedCtx, { modelVariants }: PromptContent) {
  const { registry, policies } = ctx.services;
  const policy = await policies.forProject(ctx.who.tenantId, ctx.who.projectId);
  const day = moscowDay(sharedNowMs());
  const names = [...new Set(modelVariants.map(({ model }) => model))];
  const named = new Map<string, NamedModel>(
    names.map((name) => {
      if (registry.aliases.has(name)) return [name, { kind: 'alias' }];
      const model = registry.models.get(name);
      if (!model) return [name, { kind: 'unknown', near: registry.near(name) }];
      const inside = model.deployments.some(({ jurisdiction }) => jurisdiction === 'rf');
      const isListed = policy.allowedModels?.has(name) ?? true;
      const notListed = isListed ? undefined : `not on the allow-list of ${policy.allowListOf}`;
      const outside =
        policy.hybrid === 'rf_only' && !inside ? 'its route leaves Russia' : undefined;
      const price = registry.priceAt(name, day);
      return [name, { kind: 'model', model, refusal: notListed ?? outside, price }];
    }),
  );
  return { named, facts: [...named].map(([name, each]) => ({ name, ...factsOf(each) })) };
}

function factsOf(named: NamedModel): Readonly<Record<string, Sealable>> {
  if (named.kind === 'unknown') return { kind: named.kind, near: named.near };
  if (named.kind === 'alias') return { kind: named.kind };
  const { operation, capabilities, contextWindow, maxOutputTokens } = named.model;
  const prices = Object.entries(named.price?.microRubPerMillion ?? {});
  return {
    kind: named.kind,
    operation,
    capabilities,
    contextWindow,
    maxOutputTokens,
    refusal: named.refusal ?? null,
    price: prices.map(([dimension, micro]) => [dimension, String(micro)]),
  };
}

/** What the package's context policy says about the pack, with the facts that decide of it. */
async function contextOf(ctx: AuthorizedCtx, prompt: Prompt, { samples }: PromptContent) {
  const undated = (finding: ContextFinding, facts: string | null, id: string | null) => {
    return { finding, facts, id, asOf: null };
  };
  const { contextPolicyName: name } = prompt;
  const policy = await policyOf(ctx, prompt);
  if (!policy && name !== null) return undated({ kind: 'unknown_policy', name }, name, null);
  if (!policy) return undated({ kind: 'no_policy' }, null, null);
  const { id } = policy;
  if (samples.context_pack === null) return undated({ kind: 'no_pack' }, id, id);
  const { items, asOf: stated } = readPack('contextPack', samples.context_pack as JsonObject);
  // The end of the day in Moscow: a run can be repeated, and nothing of today lies ahead of it.
  const asOf = stated ?? new Date(`${moscowDay(sharedNowMs())}T23:59:59.999+03:00`);
  const { violations } = await evaluatePack(ctx, readContextRules(policy.rules), items, asOf);
  const told = violations.map(({ itemId, rule, message, fix }) => {
    return { item_id: itemId, rule, message, fix };
  });
  return {
    finding: { kind: 'evaluated' as const, violations: told },
    facts: { id, as_of: asOf.toISOString() },
    id,
    asOf,
  };
}

/** The policy of a package; one that was named before it was there is the latest of that name. */
function policyOf(ctx: AuthorizedCtx, { contextPolicyId: id, contextPolicyName: name }: Prompt) {
  if (id === null && name === null) return null;
  const where = id === null ? { name: name ?? '' } : { id };
  return database(ctx).contextPolicy.findFirst({ where, orderBy: { id: 'desc' } });
}

function findingsOf(
  prompt: Prompt,
  version: PromptVersion,
  result: GateResult,
  {
    id: contextPolicyId,
    asOf: contextAsOf,
  }: { readonly id: string | null; readonly asOf: Date | null },
): GateFindings {
  return {
    ...result,
    promptId: prompt.id,
    promptKey: prompt.promptKey,
    versionId: version.id,
    version: version.version,
    contentHash: Buffer.from(version.contentHash).toString('hex'),
    templateHash: sha256(version.template),
    contextPolicyId,
    contextAsOf,
  };
}

function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}
