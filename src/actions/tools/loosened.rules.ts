import { ruleOf, type ToolContract } from './contract.js';
import { isLimitLoosened, isLooseByItself, isLoosened } from './verb-meaning.rules.js';

/** A version of a tool with who has stated it. */
export interface StatedVersion {
  readonly contract: ToolContract;
  readonly registeredBy: string;
  /** Whoever registered it is a member who may approve calls. */
  readonly byApprover: boolean;
}

/** Who asks for which verb. */
export interface AskedVerb {
  readonly memberId: string;
  readonly verb: string;
  /** False where there are earlier versions than those that were read. */
  readonly isWhole: boolean;
}

/**
 * Whether a member has loosened a verb by themselves: it may do more now than another member who
 * may approve has last let it do, or, where there is none, than it could at first, and than a verb
 * that its tool declares may do by default. A new signing secret is no statement of what a verb may
 * do. Without anything to compare with, it counts as loosened.
 * @param versions the latest one first
 */
export function isLoosenedBy(
  versions: readonly StatedVersion[],
  { memberId, verb, isWhole }: AskedVerb,
): boolean {
  const present = versions[0]?.contract;
  const rule = present && ruleOf(present, verb);
  if (!rule) return false;
  const before = versions.find(
    (each, at) =>
      each.byApprover &&
      each.registeredBy !== memberId &&
      ruleOf(each.contract, verb) !== undefined &&
      !isRotation(each, versions[at + 1]),
  );
  if (!before && isLooseByItself(rule)) return true;
  const first = isWhole ? versions.findLast(({ contract }) => ruleOf(contract, verb)) : undefined;
  const base = (before ?? first)?.contract;
  const former = base && ruleOf(base, verb);
  if (!former) return true;
  return (
    isLoosened(former, rule) || isLimitLoosened(base.amountMicroMaxAuto, present.amountMicroMaxAuto)
  );
}

function isRotation({ contract }: StatedVersion, earlier: StatedVersion | undefined): boolean {
  return earlier !== undefined && earlier.contract.signingGeneration !== contract.signingGeneration;
}
