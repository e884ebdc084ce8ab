/** What is used of the package `negotiator`, which comes without types. */
declare module 'negotiator' {
  /** Reads the `accept` headers of a request. */
  export default class Negotiator {
    constructor(request: { readonly headers: Readonly<Record<string, string | undefined>> });
    /** The preferred one of these languages; undefined where none is acceptable. */
    language(available: readonly string[]): string | undefined;
  }
}
