/** What is accepted for an input object beside its own names. All names are wire names. */
export interface TypeAliases {
  /** What a caller may write → the field that it means; `budgets.daily_rub` is one of a field. */
  readonly names?: Readonly<Record<string, string>>;
  /**
   * Names of a share from 0 to 1 (`min_quality: 0.8`) → the field in basis points that it means.
   */
  readonly shares?: Readonly<Record<string, string>>;
  /** A field → what it means where that one is not given: `retries` by itself is what they cost. */
  readonly alone?: Readonly<Record<string, string>>;
  /** Names that are refused wherever they stand, each with the reason and what to write instead. */
  readonly refused?: Readonly<Record<string, string>>;
  /** By field: values that a caller may write, each with the value that it means. */
  readonly values?: Readonly<
    Record<string, readonly (readonly [written: unknown, meant: unknown])[]>
  >;
  /** One bare value in place of the object stands for that value in every field. */
  readonly oneForAll?: boolean;
  /** The field that a bare text in place of the object means. */
  readonly bare?: string;
  /**
   * A list of these may be written as an object: its keys are the field `key`, and a bare text or
   * number in it is the field `bare`.
   */
  readonly byKey?: { readonly key: string; readonly bare: string };
}

/** Aliases by the name of the input object. */
export type AliasTable = Readonly<Record<string, TypeAliases>>;
